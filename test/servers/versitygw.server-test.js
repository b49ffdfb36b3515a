import { after } from 'node:test';
import { startVersitygw } from '../helpers/servers.js';
import {
  connectionsAreKept,
  connectionsAreReplaced,
  testCleanup,
  testCopies,
  testExisting,
  testGroups,
  testRange,
  testRefusals,
  testVersions,
  testWholeRuns,
} from './store-tests.js';

const persistent = await startVersitygw();
const closing = await startVersitygw({ keepAlive: false });
const versioning = await startVersitygw({ versioning: true });
after(() => Promise.all([persistent.stop(), closing.stop(), versioning.stop()]));

testWholeRuns('versitygw', persistent, connectionsAreKept);
testRange('versitygw', persistent);
testGroups('versitygw', persistent);
testCopies('versitygw', persistent);
testExisting('versitygw', persistent);
testCleanup('versitygw', persistent);
testRefusals('versitygw', persistent);
testVersions('versitygw', versioning);

testWholeRuns('versitygw that closes each connection', closing, connectionsAreReplaced);
