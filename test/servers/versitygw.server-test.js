import { after } from 'node:test';
import { startVersitygw } from '../helpers/servers.js';
import { STRANGE_KEYS, STRANGER_KEYS } from '../helpers/strange-keys.js';
import {
  connectionsAreKept,
  connectionsAreReplaced,
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

const persistent = await startVersitygw();
const closing = await startVersitygw({ keepAlive: false });
const versioning = await startVersitygw({ versioning: true });
after(() => Promise.all([persistent.stop(), closing.stop(), versioning.stop()]));

testWholeRuns('versitygw', persistent, connectionsAreKept);
testLoads('versitygw', persistent, 'direct');
// versitygw does not encode listed keys when asked to, and XML cannot represent control characters.
testExisting(
  'versitygw',
  persistent,
  'direct',
  [...STRANGE_KEYS, ...STRANGER_KEYS].filter((key) => !/\p{Cc}/u.test(key)),
);
testMultipart('versitygw', persistent, 'direct', {
  ...{ create: 'createmultipartupload', part: 'uploadpart', complete: 'completemultipartupload' },
});
testCleanup('versitygw', persistent, 'direct');
testRefusals('versitygw', persistent, 'direct');
testRegion('versitygw', persistent, 'direct');
testVersions('versitygw', versioning);

testWholeRuns('versitygw that closes each connection', closing, connectionsAreReplaced);
