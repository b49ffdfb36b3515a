import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOptions } from '../../lib/options/read-options.js';
import { openTarget } from '../../lib/options/store/target.js';

const ENV = { S3_BUCKET: 'bucket', S3_HOSTNAME: '127.0.0.1', S3_ACCESS_KEY: 'key', S3_SECRET_KEY: 'secret-secret' };

test('a store with an address of the other IP version is refused', async () => {
  const { values } = readOptions('run', { ipv6: true }, { operands: ['10', '2'] });
  await assert.rejects(openTarget(values, ENV), {
    message: '--ipv6: expected a host name or an IPv6 address, got 127.0.0.1',
  });
  const other = readOptions('run', { ipv4: true }, { operands: ['10', '2'] });
  const { store } = await openTarget(other.values, ENV);
  assert.equal(store.family, 4);
  const both = readOptions('run', { ipv4: true, ipv6: true }, { operands: ['10', '2'] });
  assert.deepEqual(both.problems, ['--ipv4 cannot be combined with --ipv6']);
});
