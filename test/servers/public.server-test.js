import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { cached, startNginx } from '../helpers/nginx.js';
import { assertStatus } from '../helpers/outcome.js';
import { startMinio } from '../helpers/servers.js';
import { runBenchmark } from './run-benchmark.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { CacheSum, StageResult } from '../../lib/result/result.js'
 * @import { LoggedRequest, Nginx } from '../helpers/nginx.js'
 * @import { Outcome } from '../helpers/outcome.js'
 */

const minio = await startMinio();
after(() => minio.stop());

const METHODS = /** @type {Record<string, string>} */ ({ read: 'GET', range: 'GET', stat: 'HEAD' });

/**
 * @param {TestContext} t
 * @param {Partial<Parameters<typeof startNginx>[0]>} [options]
 * @returns {Promise<Nginx>} in front of MinIO
 */
async function startCache(t, options = {}) {
  const nginx = await startNginx({ upstream: minio.port, location: cached(), ...options });
  t.after(() => nginx.stop());
  return nginx;
}

/**
 * @param {readonly string[]} parameters
 * @param {Nginx} nginx
 * @param {object} [choice]
 * @param {readonly string[]} [choice.buckets]
 * @param {string} [choice.url] that is read from
 * @returns {Promise<Outcome & { stages: StageResult[], requests: LoggedRequest[] }>} what nginx logged of the run's objects
 */
async function runPublic(parameters, nginx, { buckets, url = `${nginx.url}/{bucket}` } = {}) {
  const those = buckets ?? (await publicBuckets(1));
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-public-'));
  const json = path.join(folder, 'result.json');
  const run = await runBenchmark([...parameters, '--client', 'public', '--public-url', url, '--json', json], {
    server: minio,
    buckets: those,
  });
  const stages = await readFile(json, 'utf8').then(
    (text) => JSON.parse(text).stages,
    () => [],
  );
  await rm(folder, { recursive: true });
  return { ...run, stages, requests: await nginx.requests() };
}

/** @param {number} count */
async function publicBuckets(count) {
  const buckets = await minio.createBuckets(count);
  await Promise.all(buckets.map((bucket) => minio.publish(bucket)));
  return buckets;
}

/**
 * @param {readonly CacheSum[]} [cache]
 * @returns {Record<string, number>} operations by status
 */
function byStatus(cache = []) {
  return Object.fromEntries(cache.map(({ status, operations }) => [status, operations]).sort());
}

/**
 * @param {readonly LoggedRequest[]} requests
 * @param {(request: LoggedRequest) => boolean} isMeant
 * @returns {Record<string, number>} likewise, by nginx's own account
 */
function logged(requests, isMeant) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { cache } of requests.filter(isMeant)) {
    counts[cache] = (counts[cache] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).sort());
}

/** @param {readonly LoggedRequest[]} requests */
function assertNoCredentials(requests) {
  assert.ok(requests.length > 0);
  for (const { secrets, encoding, method } of requests) {
    assert.deepEqual(new Set(Object.values(secrets)), new Set(['']));
    assert.equal(encoding, 'identity');
    assert.ok(['GET', 'HEAD'].includes(method), method);
  }
}

test('nginx: counts by cache status match its log, without credentials, with two cores and two buckets', async (t) => {
  const nginx = await startCache(t);
  const run = await runPublic(
    ['300', '8', '--cores', '2', '--stages', 'write,read,range,stat,remove', '--no-preflight'],
    nginx,
    { buckets: await publicBuckets(2) },
  );
  assertStatus(run, 0);
  assertNoCredentials(run.requests);
  const isRange = (/** @type {LoggedRequest} */ { range }) => range !== '';
  const found = run.requests.filter(({ status }) => status !== 404);
  for (const [name, isMeant] of /** @type {readonly [string, (each: LoggedRequest) => boolean][]} */ ([
    ['Read', (each) => each.method === METHODS.read && !isRange(each)],
    ['Range', (each) => each.method === METHODS.range && isRange(each)],
    ['Stat', (each) => each.method === METHODS.stat],
  ])) {
    const stage = run.stages.find((each) => each.stage === name);
    const counts = logged(found, isMeant);
    assert.deepEqual(byStatus(stage?.cache), counts, name);
    assert.equal(stage?.operations, 300);
  }
  assert.deepEqual(byStatus(run.stages[1].cache), { MISS: 300 });
  assert.deepEqual(byStatus(run.stages[3].cache), { HIT: 300 });
  assert.deepEqual(run.stages[0].cache, []);
});

for (const [title, valid, isStale] of /** @type {const} */ ([
  ['outlives an overwrite', '1h', true],
  ['keeps nothing', '0s', false],
])) {
  test(`nginx: old versions count as stale by cache, not as errors of the store, if the cache ${title}`, async (t) => {
    const nginx = await startCache(t, {
      location: isStale ? cached({ valid }) : `${cached({ valid })}\n proxy_cache_bypass 1; proxy_no_cache 1;`,
    });
    const mix = ['--mix', 'read=50,range=10,stat=10,write=25,remove=5', '--duration', '3s', '--range-size', '1000'];
    const run = await runPublic(['200', '8', ...mix, '--cores', '2'], nginx);
    assertStatus(run, 0);
    const mixed = run.stages[1];
    assert.deepEqual([mixed.staleReads, mixed.foreignReads, mixed.tornReads, mixed.integrityErrors], [0, 0, 0, 0]);
    assert.equal(Number(mixed.staleByCache) > 0, isStale, `${mixed.staleByCache} stale by cache`);
    const kinds = mixed.kinds ?? [];
    assert.equal(
      kinds.reduce((sum, kind) => sum + Number(kind.staleByCache), 0),
      mixed.staleByCache,
    );
    if (isStale) {
      const stale = kinds.filter(({ staleByCache }) => Number(staleByCache) > 0).map(({ operation }) => operation);
      // A slow host performs too few ranges and stats for each to meet an old version.
      assert.ok(stale.includes('read'));
      assert.deepEqual(
        stale.filter((operation) => !['read', 'range', 'stat'].includes(operation)),
        [],
      );
    }
  });
}

test('nginx caching for a distant store: percentiles by status reflect whether a response came from the cache', async (t) => {
  const latency = 200;
  const far = await startFaultProxy(t, minio, async (exchange) => {
    await wait(latency);
    await exchange.pass();
  });
  const nginx = await startCache(t, { upstream: far.port });
  const parameters = ['400', '16', '--access', 'zipf:0.99', '--stages', 'write,read,remove', '--no-preflight'];
  const run = await runPublic(parameters, nginx);
  assertStatus(run, 0);
  const { cache = [] } = run.stages[1];
  assert.deepEqual(
    byStatus(cache),
    logged(run.requests, ({ method, status }) => method === METHODS.read && status === 200),
  );
  const [hit, miss] = ['HIT', 'MISS'].map((status) => cache.find((each) => each.status === status)?.latency);
  assert.ok(hit && miss);
  assert.ok(miss.minimum >= latency && miss.p50 >= latency, `a miss took ${miss.minimum} ms`);
  assert.ok(miss.p50 < 2 * latency, `half of the misses took ${miss.p50} ms`);
  assert.ok(hit.p50 < latency / 2, `half of the hits took ${hit.p50} ms`);
});

/** @type {readonly [title: string, options: Parameters<typeof startCache>[1], status: number, shown: RegExp][]} */
const SITES = [
  [
    'public access that is off',
    { location: 'return 404;' },
    2,
    /failed \(HTTP 404 Not Found\): it does not have an object that the S3 API has/,
  ],
  [
    'a login page',
    { location: "default_type text/html; return 200 '<html>Sign in</html>';" },
    2,
    /failed \(HTTP 200 with an HTML page in place of the object\): check that it is the bucket's address/,
  ],
  [
    'a redirect',
    { location: 'return 302 https://elsewhere.example.com/login;' },
    2,
    /failed \(HTTP 302 Found\): it redirects to https:\/\/elsewhere\.example\.com\/login, but redirects are not followed/,
  ],
];

for (const [title, options, status, shown] of SITES) {
  test(`preflight: ${title} is one clear line`, async (t) => {
    const nginx = await startCache(t, options);
    const run = await runPublic(['20', '2', '--stages', 'write,read,remove'], nginx);
    assert.equal(run.status === 0 ? 0 : 2, status, run.stderr);
    assert.equal(run.stderr.split('\n').filter((line) => shown.test(line)).length, 1, run.stderr);
    assertNoCredentials(run.requests);
  });
}
