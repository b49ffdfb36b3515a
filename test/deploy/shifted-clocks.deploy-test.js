import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startTestEndpoint } from '../helpers/local-s3.js';

// Three hosts whose clocks are seconds apart start at the same time by the store's clock. Their merged logs are compared with
// the store's own count for each second.

const run = promisify(execFile);
const TOOL = fileURLToPath(new URL('../../r2-benchmark.js', import.meta.url));
const PEAK = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));
const MACHINE = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
const FAKETIME = `/usr/lib/${MACHINE}-linux-gnu/faketime/libfaketime.so.1`;

/** Clock offsets of the hosts in seconds. */
const SHIFTS = ['-7', '+0', '+11'];

/** At a steady rate, a second's count does not depend on exactly when the second begins. */
const FAULTS = 'latency=40ms';

const THREADS = 10;

/** Holds even on a busy machine; the hosts' clocks are several times as far apart. */
const TOGETHER_MS = 1000;

/**
 * The most that the running sums may differ, even on a busy machine: one response per thread that the store has sent but the
 * client has not received, and as many again for the uncertainty of the clock.
 */
const IN_FLIGHT = 2 * THREADS * SHIFTS.length;

/** @type {Record<string, 'PUT' | 'GET' | 'HEAD' | 'DELETE'>} */
const METHODS = { Write: 'PUT', Read: 'GET', Stat: 'HEAD', Remove: 'DELETE' };

test('hosts whose clocks are seconds apart start together, and their sum matches the store’s count', async (t) => {
  assert.ok(existsSync(FAKETIME), `expected ${FAKETIME}: Debian's package faketime has it`);
  const folder = mkdtempSync(join(tmpdir(), 'r2-benchmark-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const endpoint = await startTestEndpoint(t, { faults: FAULTS });
  const { accessKeyId, secretAccessKey } = endpoint.credentials;
  const startAt = String(Math.ceil(Date.now() / 1000) + 20);
  // The store's counts should cover only the stages.
  const plain = ['--cores', '1', '--no-preflight'];
  const options = [...plain, '--start-at', startAt, '--duration', '4s', '--gap', '2s', '--run-id', 'shifted'];

  const logs = await Promise.all(
    SHIFTS.map(async (shift, host) => {
      const { stdout } = await run(
        process.execPath,
        [TOOL, '5000', String(THREADS), ...options, '--shard', `${host}/${SHIFTS.length}`],
        {
          cwd: folder,
          maxBuffer: 2 ** 26,
          env: {
            PATH: process.env.PATH,
            S3_BUCKET: 'bucket-a,bucket-b',
            S3_HOSTNAME: endpoint.hostname,
            S3_PORT: String(endpoint.port),
            S3_USE_SSL: '0',
            S3_ACCESS_KEY: accessKeyId,
            S3_SECRET_KEY: secretAccessKey,
            LD_PRELOAD: FAKETIME,
            FAKETIME: shift,
            DONT_FAKE_MONOTONIC: '1',
          },
        },
      );
      const log = join(folder, `log-${host}.txt`);
      writeFileSync(log, stdout);
      return log;
    }),
  );

  const report = await endpoint.report();
  await run(process.execPath, [PEAK, ...logs, '--json', join(folder, 'sum.json'), '--csv', join(folder, 'sum.csv')]);
  const { stages } = JSON.parse(readFileSync(join(folder, 'sum.json'), 'utf8'));
  const rows = readFileSync(join(folder, 'sum.csv'), 'utf8').trim().split('\n').slice(1);
  for (const { stage, operations, merge } of stages) {
    const { overlap, shares } = merge;
    const method = METHODS[stage];
    assert.equal(operations, report.requests[method].succeeded, `${stage}: all operations`);
    const starts = shares.map((/** @type {{ startedAt: number }} */ { startedAt }) => startedAt);
    assert.ok(Math.max(...starts) - Math.min(...starts) < TOGETHER_MS, `${stage}: the hosts start together`);
    let ahead = 0;
    for (const [second, count] of countsOf(stage, rows)) {
      const seen = report.bySecond[second]?.[method] ?? 0;
      ahead += seen - count;
      const isFull = second * 1000 >= overlap.from && (second + 1) * 1000 <= overlap.from + overlap.together;
      t.diagnostic(`${stage} ${second}: logs ${count}, store ${seen}${isFull ? '' : ' (edge)'}`);
      assert.ok(Math.abs(ahead) <= IN_FLIGHT, `${stage}, up to second ${second}: the store is ahead by ${ahead}`);
    }
  }
  assert.deepEqual(report.objects, { 'bucket-a': 0, 'bucket-b': 0 });
});

/**
 * @param {string} stage
 * @param {readonly string[]} rows of the CSV: second, stage, host, ops, bytes
 * @returns {Map<number, number>} operations of all hosts by epoch second
 */
function countsOf(stage, rows) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const [time, name, , operations] of rows.map((row) => row.split(','))) {
    if (name === stage) {
      const second = Date.parse(time) / 1000;
      counts.set(second, (counts.get(second) ?? 0) + Number(operations));
    }
  }
  return counts;
}
