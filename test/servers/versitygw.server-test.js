import { after } from 'node:test';
import { startVersitygw } from '../helpers/servers.js';
import { connectionsAreKept, connectionsAreReplaced, testCleanup, testRefusals, testWholeRuns } from './store-tests.js';

const persistent = await startVersitygw();
const closing = await startVersitygw({ keepAlive: false });
after(() => Promise.all([persistent.stop(), closing.stop()]));

testWholeRuns('versitygw', persistent, connectionsAreKept);
testCleanup('versitygw', persistent);
testRefusals('versitygw', persistent);

testWholeRuns('versitygw that closes each connection', closing, connectionsAreReplaced);
