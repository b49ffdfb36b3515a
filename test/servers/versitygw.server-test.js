import { after } from 'node:test';
import { startVersitygw } from '../helpers/servers.js';
import { STRANGE_KEYS, STRANGER_KEYS } from '../helpers/strange-keys.js';
import {
  connectionsAreKept,
  connectionsAreReplaced,
  testChecksums,
  testCleanup,
  testExisting,
  testLoads,
  testMultipart,
  testRefusals,
  testRegion,
  testVersions,
  testWholeRuns,
} from './store-tests.js';

/** What the SDK's client asks for is tested with the other server. */
const DIRECT = ['direct'];

const persistent = await startVersitygw();
const closing = await startVersitygw({ keepAlive: false });
const versioning = await startVersitygw({ versioning: true });
after(() => Promise.all([persistent.stop(), closing.stop(), versioning.stop()]));

testWholeRuns('versitygw', persistent, connectionsAreKept);
testLoads('versitygw', persistent, DIRECT);
// versitygw does not encode listed keys when asked to, and XML cannot represent control characters.
testExisting(
  'versitygw',
  persistent,
  DIRECT,
  [...STRANGE_KEYS, ...STRANGER_KEYS].filter((key) => !/\p{Cc}/u.test(key)),
);
testMultipart('versitygw', persistent, DIRECT, {
  ...{ create: 'createmultipartupload', part: 'uploadpart', complete: 'completemultipartupload' },
});
testChecksums('versitygw', persistent, DIRECT);
testCleanup('versitygw', persistent, DIRECT);
testRefusals('versitygw', persistent, DIRECT);
testRegion('versitygw', persistent, DIRECT);
testVersions('versitygw', versioning);

testWholeRuns('versitygw that closes each connection', closing, connectionsAreReplaced);
