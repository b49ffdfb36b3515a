import { after, test } from 'node:test';
import { startMoto, startRclone } from '../helpers/servers.js';
import { runLoad, testCleanup, testVersions } from './store-tests.js';

// Servers that differ from S3 in many details. They are slow, so each load runs once.

const SERVERS = { moto: await startMoto(), 'rclone serve s3': await startRclone() };
after(() => Promise.all(Object.values(SERVERS).map((server) => server.stop())));

const LOADS = {
  'a default run': ['--client', 'sdk'],
  'lists, copies and batches': ['--stages', 'write,list,copy,batch-remove', '--page-size', '30', '--batch', '15'],
  'a mix': ['--mix', 'write=40,read=40,remove=20'],
  'a run that leaves its objects to clean-up': ['--stages', 'write,copy'],
  'objects in parts': ['--size', '6MiB', '--multipart', '--part-size', '5MiB'],
};

for (const [title, server] of Object.entries(SERVERS)) {
  for (const [what, parameters] of Object.entries(LOADS)) {
    test(`${title}: ${what} succeeds and leaves nothing behind`, async () => {
      const objects = what === 'objects in parts' ? '6' : '120';
      await runLoad(server, [objects, '4', ...parameters], { bucketCount: 2, counted: [] });
    });
  }
  testCleanup(title, server, 'direct');
}

// moto keeps no versions in a bucket whose versioning is suspended.
testVersions('moto', SERVERS.moto, [false]);
