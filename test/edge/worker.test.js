import assert from 'node:assert/strict';
import { test } from 'node:test';
import worker from '../../edge/worker.js';
import { LiveCredentials } from '../../lib/s3/live-credentials.js';
import { RequestSigner, sha256 } from '../../lib/s3/sigv4.js';
import { SigningRegion } from '../../lib/s3/signing-region.js';
import { Keyspace } from '../../lib/workload/keyspace.js';
import { startCpuTime } from '../helpers/cpu-time.js';
import { MemoryBucket } from '../helpers/memory-bucket.js';

const HOST = 'edge.example.com';
const SECRET = 'a secret of its own';
const keyspace = new Keyspace({ runId: 'run1', prefix: 'benchmark', buckets: ['local'] });
const OWN_KEYS = [keyspace.keyOf(1), keyspace.probeKeyOf(2), keyspace.copyKeyOf(3), keyspace.claimKeyOf(4)];

/** Keys that no run makes, named by requests with the right secret. */
const OTHER_KEYS = [
  'x/y/z/w/-claim-0',
  'benchmark/run1/aaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'p/'.repeat(300),
  'benchmark%2frun1/00000000-1',
  'benchmark/run1%2f-claim-4',
  '%62enchmark/run1/-claim-4',
  'benchmark/run1/00000000-1',
  'benchmark/run1/-claim-04',
  'benchmark/run1/-claim-99999999999999999999',
  'benchmark/run1/-claim-4/',
  'benchmark/run1/-claim-4/x',
  'benchmark/run1/more/-claim-4',
  'benchmark//-claim-4',
  'benchmarks/run1/-claim-4',
  'somebody/elses',
  keyspace.keyOf(1).replace('run1', 'run2'),
];

class TestWorker {
  bucket = new MemoryBucket();

  /** @param {Record<string, string>} [settings] */
  constructor(settings = {}) {
    [...OWN_KEYS, ...OTHER_KEYS.map(decodeURIComponent)].forEach((key) =>
      this.bucket.objects.set(key, Buffer.from('x')),
    );
    this.env = { EDGE_SECRET: SECRET, R2_local: this.bucket, ...settings };
    this.keys = [...this.bucket.objects.keys()];
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{ query?: string, body?: string, host?: string }} [options]
   * @returns {Promise<{ status: number, text: string }>}
   */
  async ask(method, path, { query = '', body = '', host = HOST } = {}) {
    const credentials = new LiveCredentials({ accessKeyId: 'edge', secretAccessKey: SECRET });
    const signer = new RequestSigner({ credentials, region: new SigningRegion('auto'), host, now: Date.now });
    const list = signer.sign(method, path, sha256(body), query);
    const headers = new Headers({ host });
    for (let index = 0; index < list.length; index += 2) {
      headers.set(list[index], list[index + 1]);
    }
    const url = `https://${host}${path}${query === '' ? '' : `?${query}`}`;
    const request = /** @type {Request} */ ({
      method,
      url,
      headers,
      body: body === '' ? null : new Blob([body]).stream(),
    });
    const answer = await worker.fetch(request, this.env);
    return { status: answer.status, text: await answer.text() };
  }

  assertUntouched() {
    assert.deepEqual([...this.bucket.objects.keys()], this.keys);
    assert.ok([...this.bucket.objects.values()].every((bytes) => bytes.toString() === 'x'));
  }
}

/** @param {readonly string[]} keys */
function deletionOf(keys) {
  return `<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}</Delete>`;
}

test('only keys that a run under the prefix makes are served', async () => {
  const edge = new TestWorker();
  for (const key of OTHER_KEYS) {
    for (const method of ['PUT', 'GET', 'HEAD', 'DELETE']) {
      const { status } = await edge.ask(method, `/local/${key}`, { body: method === 'PUT' ? 'other' : '' });
      assert.equal(status, 403, `${method} ${key}`);
    }
    const { status } = await edge.ask('POST', '/local', { query: 'delete=', body: deletionOf([OWN_KEYS[0], key]) });
    assert.equal(status, 403, `deletion of ${key}`);
  }
  for (const prefix of ['', 'bench', 'benchmark', 'benchmarks/', 'x/']) {
    const { status } = await edge.ask('GET', '/local', { query: `list-type=2&prefix=${encodeURIComponent(prefix)}` });
    assert.equal(status, 403, `list of ${prefix}`);
  }
  assert.equal((await edge.ask('PUT', `/local/${keyspace.absentKey}`, { body: 'other' })).status, 403);
  edge.assertUntouched();
  assert.equal((await edge.ask('GET', `/local/${keyspace.absentKey}`)).status, 404);
  for (const key of OWN_KEYS) {
    assert.equal((await edge.ask('HEAD', `/local/${key}`)).status, 200);
    assert.equal((await edge.ask('PUT', `/local/${key}`, { body: 'other' })).status, 200);
    assert.equal((await edge.ask('DELETE', `/local/${key}`)).status, 204);
    assert.equal(edge.bucket.objects.has(key), false);
  }
  const { status, text } = await edge.ask('GET', '/local', { query: 'list-type=2&prefix=benchmark%2Frun1%2F' });
  assert.equal(status, 200);
  assert.match(text, /<Key>benchmark\/run1\/00000000-1<\/Key>/);
});

test('no slice reaches other keys, whatever layout and shard it claims', async () => {
  const slice = {
    ...{ claim: keyspace.claimKeyOf(9), layout: { runId: 'run1', prefix: 'benchmark', buckets: ['local'] } },
    ...{ shard: { index: 0, count: 1 }, operations: ['write'], kinds: [], size: 1, wroteObjects: true, threads: 1 },
    ...{
      amounts: { rangeSize: 1, pageSize: 1, batch: 1 },
      lasts: 1000,
      timeout: 1000,
      locals: [0],
      turns: [0],
      digests: [0],
    },
  };
  const elsewhere = new Keyspace({ runId: 'run1', prefix: 'x', buckets: ['local'] });
  for (const forged of [
    { ...slice, layout: { ...slice.layout, prefix: 'x' } },
    { ...slice, layout: { ...slice.layout, prefix: 'x' }, claim: elsewhere.claimKeyOf(9) },
    { ...slice, claim: 'somebody/elses' },
    ...[null, 7, {}, { ...slice, layout: null }],
  ]) {
    const edge = new TestWorker();
    const { status } = await edge.ask('POST', '/local', { query: 'slice=', body: JSON.stringify(forged) });
    assert.equal(status, 403, JSON.stringify(forged));
    edge.assertUntouched();
  }
  const edge = new TestWorker();
  const shard = { index: '/elsewhere', count: 1 };
  await edge.ask('POST', '/local', { query: 'slice=', body: JSON.stringify({ ...slice, shard }) });
  assert.deepEqual([...edge.bucket.objects.keys()], [...edge.keys, slice.claim]);
});

test('the prefix must match exactly, not a folder below it', async () => {
  const edge = new TestWorker({ EDGE_PREFIX: 'x/y/z' });
  assert.equal((await edge.ask('HEAD', '/local/x/y/z/w/-claim-0')).status, 200);
  assert.equal((await edge.ask('HEAD', `/local/${OWN_KEYS[3]}`)).status, 403);
  assert.equal((await new TestWorker({ EDGE_PREFIX: 'x' }).ask('HEAD', '/local/x/y/z/w/-claim-0')).status, 403);
});

test('a request signed for another host is refused', async () => {
  const path = `/local/${OWN_KEYS[0]}`;
  const edge = new TestWorker({ EDGE_HOSTS: `other.example.com,${HOST}` });
  assert.equal((await edge.ask('HEAD', path)).status, 200);
  assert.equal((await edge.ask('HEAD', path, { host: 'other.example.com' })).status, 200);
  const { status, text } = await edge.ask('PUT', path, { host: 'third.example.com' });
  assert.equal(status, 403);
  assert.match(text, /third\.example\.com is not one of the hosts in EDGE_HOSTS/);
});

test('an oversized document is refused at once', async () => {
  const edge = new TestWorker();
  for (const [query, body] of [
    ['delete=', deletionOf(Array(200_000).fill(OWN_KEYS[3]))],
    ['delete=', deletionOf(['k'.repeat(5_000_000)])],
    ['slice=', JSON.stringify({ locals: Array(3_000_000).fill(1) })],
  ]) {
    const cpuTime = startCpuTime();
    const { status, text } = await edge.ask('POST', '/local', { query, body });
    assert.equal(status, 403);
    assert.match(text, /larger than 4194304 bytes/);
    assert.ok(cpuTime() < 1000, `${cpuTime()} ms`);
  }
  edge.assertUntouched();
  const keys = Array.from({ length: 1001 }, () => OWN_KEYS[3]);
  assert.equal((await edge.ask('POST', '/local', { query: 'delete=', body: deletionOf(keys) })).status, 400);
  assert.equal((await edge.ask('POST', '/local', { query: 'delete=', body: deletionOf(keys.slice(1)) })).status, 200);
});
