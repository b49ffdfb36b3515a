import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEdgeConfig } from '../../lib/options/store/target.js';
import { runInProcess } from '../helpers/command.js';

const VARIABLES = { EDGE_URL: 'https://edge.example.com', EDGE_SECRET: 'edge-secret-1', S3_BUCKET: 'one,two' };
const NO_FILE = '.env';

/** What the Worker does not support at all. @type {[parameters: string[], problem: RegExp][]} */
const AGAINST_EDGE = [
  [['--local'], /^error: --local cannot be combined with --client edge$/m],
  [['--existing', 'photos/'], /^error: --existing cannot be combined with --client edge$/m],
  [['--multipart'], /^error: --multipart cannot be combined with --client edge$/m],
  [['--endpoint-url', 'https://s3.example.com'], /^error: --endpoint-url cannot be combined with --client edge$/m],
  [['--addressing', 'virtual'], /^error: --addressing cannot be combined with --client edge$/m],
  [['--stages', 'write,copy'], /^error: --client edge cannot run copy: R2 bindings do not support it$/m],
  [['--mix', 'read=90,write=5,copy=5'], /^error: --client edge cannot run copy: R2 bindings do not support it$/m],
  [
    ['--size', '100.1MB'],
    /^error: --client edge requires a --size of at most 100MB: Cloudflare accepts no larger request /m,
  ],
  [['--through'], /^error: unknown option --through: --client edge already sends each operation to the Worker$/m],
];

for (const [parameters, problem] of AGAINST_EDGE) {
  test(`--client edge rejects ${parameters.join(' ')} by name`, async () => {
    const { status, stderr } = await runInProcess(['100', '4', '--client', 'edge', ...parameters], VARIABLES);
    assert.equal(status, 2);
    assert.match(stderr, problem);
  });
}

test('--client edge accepts the largest body, and the options of any load', async () => {
  for (const parameters of [
    ['--size', '100MB'],
    ['--rate', '10'],
    ['--find-peak', '--cores', '2'],
    ['--ramp', '1,2'],
  ]) {
    const { stderr } = await runInProcess(['100', '4', '--client', 'edge', ...parameters], {});
    assert.match(stderr, /^error: EDGE_URL is not set/m);
    assert.doesNotMatch(stderr, /--client/);
  }
});

test('finds the Worker in its variables, and in no others', () => {
  const { store, overrides } = readEdgeConfig(VARIABLES, NO_FILE);
  assert.deepEqual(store.buckets, ['one', 'two']);
  assert.deepEqual([store.hostname, store.port, store.useTls], ['edge.example.com', 443, true]);
  assert.deepEqual(store.credentials, { accessKeyId: 'edge', secretAccessKey: 'edge-secret-1' });
  assert.ok(!JSON.stringify(overrides).includes('edge-secret-1'));
  assert.throws(
    () => readEdgeConfig({ S3_HOSTNAME: 'a.example.com' }, NO_FILE),
    (/** @type {any} */ { problems }) => {
      assert.deepEqual(
        problems.map((/** @type {string} */ problem) => problem.split(' ')[0]),
        ['.env:', 'S3_BUCKET', 'EDGE_URL', 'EDGE_SECRET'],
      );
      return true;
    },
  );
});
