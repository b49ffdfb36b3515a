import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startMinio } from '../helpers/servers.js';
import {
  CLIENTS,
  connectionsAreKept,
  runRefused,
  testCleanup,
  testExisting,
  testLargeObject,
  testLoads,
  testMultipart,
  testRefusals,
  testRegion,
  testVersions,
  testWholeRuns,
} from './store-tests.js';

const plain = await startMinio();
const secure = await startMinio({ tls: true });
after(() => Promise.all([plain.stop(), secure.stop()]));

testWholeRuns('MinIO', plain, connectionsAreKept);
// The direct client is tested so with versitygw.
testLoads('MinIO', plain, 'sdk');
testExisting('MinIO', plain, 'sdk');
testMultipart('MinIO', plain, 'sdk', {
  ...{ create: 'newmultipartupload', part: 'putobjectpart', complete: 'completemultipartupload' },
});
testLargeObject('MinIO', plain);
testCleanup('MinIO', plain, 'sdk');
testRefusals('MinIO', plain, 'sdk');
testRegion('MinIO', plain, 'sdk');
testVersions('MinIO', plain);

testWholeRuns('MinIO over TLS', secure, connectionsAreKept);

for (const client of CLIENTS) {
  test(`MinIO over TLS, ${client} client: an untrusted certificate ends the run before anything is written`, async () => {
    const buckets = await secure.createBuckets(1);

    const run = await runRefused(client, secure, { buckets, trusting: false });

    assert.match(run.stderr, /certificate/i);
  });
}
