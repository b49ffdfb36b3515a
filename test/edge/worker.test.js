import assert from 'node:assert/strict';
import { test } from 'node:test';
import worker from '../../edge/worker.js';
import { LiveCredentials } from '../../lib/store/live-credentials.js';
import { RequestSigner, sha256 } from '../../lib/store/sigv4.js';
import { Keyspace } from '../../lib/load/workload/keyspace.js';
import { startCpuTime } from '../helpers/cpu-time.js';
import { MemoryBucket } from '../helpers/memory-bucket.js';

const HOST = 'edge.example.com';
const SECRET = 'a secret of its own';
const keyspace = new Keyspace({ runId: 'run1', prefix: 'benchmark', buckets: ['local'] });
const OWN_KEYS = [keyspace.keyOf(1), keyspace.probeKeyOf(2), keyspace.copyKeyOf(3), keyspace.probeCopies.keyOf(4)];

/** Keys that no run makes, named by requests with the right secret. */
const OTHER_KEYS = [
  'x/y/z/w/00000000-1',
  'benchmark/run1/aaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'p/'.repeat(300),
  'benchmark%2frun1/00000000-1',
  keyspace.keyOf(1).replace('run1/', 'run1%2f'),
  keyspace.keyOf(1).replace('b', '%62'),
  'benchmark/run1/00000000-1',
  keyspace.keyOf(1).replace(/-1$/, '-01'),
  `${keyspace.keyOf(1)}99999999999999999999`,
  `${keyspace.keyOf(1)}/`,
  `${keyspace.keyOf(1)}/x`,
  keyspace.keyOf(1).replace('run1/', 'run1/more/'),
  keyspace.keyOf(1).replace('run1/', '/'),
  keyspace.keyOf(1).replace('benchmark', 'benchmarks'),
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
   * @param {{ query?: string, body?: string, host?: string, condition?: [name: string, value: string][] }} [options]
   * @returns {Promise<{ status: number, text: string, timing: string | null }>}
   */
  async ask(method, path, { query = '', body = '', host = HOST, condition = [] } = {}) {
    const credentials = new LiveCredentials({ accessKeyId: 'edge', secretAccessKey: SECRET });
    const signer = new RequestSigner({ credentials, region: 'auto', host, now: Date.now });
    const list = signer.signHeaders(method, path, sha256(body), query, condition);
    const headers = new Headers({ host, 'content-length': String(body.length) });
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
    return { status: answer.status, text: await answer.text(), timing: answer.headers.get('server-timing') };
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

test('a write whose condition does not hold is refused with 412', async () => {
  const edge = new TestWorker();
  const path = `/local/${OWN_KEYS[0]}`;
  const put = async (/** @type {string} */ name, /** @type {string} */ value) =>
    (await edge.ask('PUT', path, { body: 'next', condition: [[name, value]] })).status;
  const { httpEtag = '' } = (await edge.bucket.head(OWN_KEYS[0])) ?? {};
  assert.equal(await put('if-none-match', '*'), 412);
  assert.equal(await put('if-match', '"other"'), 412);
  assert.equal(await put('if-match', httpEtag), 200);
  assert.equal(await put('if-match', httpEtag), 412);
});

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
    for (const method of ['HEAD', 'GET', 'PUT']) {
      assert.match(
        String((await edge.ask(method, `/local/${key}`, { body: method === 'PUT' ? 'x' : '' })).timing),
        /^r2;dur=\d+$/,
      );
    }
    assert.equal((await edge.ask('HEAD', `/local/${key}`)).status, 200);
    assert.equal((await edge.ask('PUT', `/local/${key}`, { body: 'other' })).status, 200);
    assert.equal((await edge.ask('DELETE', `/local/${key}`)).status, 204);
    assert.equal(edge.bucket.objects.has(key), false);
  }
  const { status, text } = await edge.ask('GET', '/local', { query: 'list-type=2&prefix=benchmark%2Frun1%2F' });
  assert.equal(status, 200);
  assert.match(text, /<Key>benchmark\/run1\/00000000-1<\/Key>/);
});

test('the prefix must match exactly, not a folder below it', async () => {
  const key = new Keyspace({ runId: 'w', prefix: 'x/y/z', buckets: ['local'] }).keyOf(1);
  assert.equal((await new TestWorker({ EDGE_PREFIX: 'x/y/z' }).ask('HEAD', `/local/${key}`)).status, 404);
  assert.equal((await new TestWorker({ EDGE_PREFIX: 'x/y/z' }).ask('HEAD', `/local/${OWN_KEYS[0]}`)).status, 403);
  assert.equal((await new TestWorker({ EDGE_PREFIX: 'x' }).ask('HEAD', `/local/${key}`)).status, 403);
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
  for (const keys of [Array(200_000).fill(OWN_KEYS[3]), ['k'.repeat(5_000_000)]]) {
    const cpuTime = startCpuTime();
    const { status, text } = await edge.ask('POST', '/local', { query: 'delete=', body: deletionOf(keys) });
    assert.equal(status, 403);
    assert.match(text, /larger than 4194304 bytes/);
    assert.ok(cpuTime() < 1000, `${cpuTime()} ms`);
  }
  edge.assertUntouched();
  const keys = Array.from({ length: 1001 }, () => OWN_KEYS[3]);
  assert.equal((await edge.ask('POST', '/local', { query: 'delete=', body: deletionOf(keys) })).status, 400);
  assert.equal((await edge.ask('POST', '/local', { query: 'delete=', body: deletionOf(keys.slice(1)) })).status, 200);
});
