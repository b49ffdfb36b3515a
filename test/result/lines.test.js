import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isStageName,
  machineLine,
  parseLine,
  retryingLine,
  scheduleLine,
  secondLine,
  summaryLine,
} from '../../lib/result/log/lines.js';

const MEGABYTE = 1024 ** 2;

const stage = fc.stringMatching(/^[A-Z][A-Za-z0-9-]{0,31}$/);
const count = fc.nat({ max: 1e15 - 1 });
const rate = fc.nat({ max: 1e12 - 1 }).map((tenths) => tenths / 10);

test('reads the four line shapes of the original tool', () => {
  assert.deepEqual(
    [
      'Write: scheduling for 10000 objects in 1000 threads and 1 buckets',
      '03:10:05: Write: Ops 931.1/s Throughput 14.5MB/s',
      'Retrying on TRANSIENT error',
      'Write took 13477ms. Peak ops 1284.2/s Avg ops 742.0/s  Total size 156.3MB  Recoverable errors 9',
    ].map(parseLine),
    [
      { kind: 'schedule', stage: 'Write', objects: 10_000 },
      { kind: 'second', time: '03:10:05', stage: 'Write', rate: 931.1, megabytes: 14.5 },
      { kind: 'retrying', retries: 1 },
      {
        ...{ kind: 'summary', stage: 'Write', duration: 13_477, peak: 1284.2, average: 742 },
        ...{ megabytes: 156.3, retries: 9 },
      },
    ],
  );
});

test('every written line is read back', () => {
  fc.assert(
    fc.property(fc.record({ stage, objects: count, threads: count, buckets: count }), (plan) => {
      assert.deepEqual(parseLine(scheduleLine(plan)), { kind: 'schedule', stage: plan.stage, objects: plan.objects });
    }),
  );
  fc.assert(
    fc.property(stage, fc.nat(2e9), count, (name, secondStart, operations) => {
      const line = parseLine(secondLine(name, { secondStart, operations: operations % 1e12, bytes: 3.1 * MEGABYTE }));
      const time = new Date((secondStart + 1) * 1000).toISOString().slice(11, 19);
      assert.deepEqual(line, { kind: 'second', time, stage: name, rate: operations % 1e12, megabytes: 3.1 });
    }),
  );
  fc.assert(
    fc.property(stage, count, rate, rate, count, (name, duration, peak, average, retries) => {
      const line = summaryLine(name, { duration, peak, average, bytes: 0, retries });
      assert.deepEqual(parseLine(line), {
        kind: 'summary',
        stage: name,
        duration,
        peak,
        average,
        megabytes: 0,
        retries,
      });
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), (retries) => {
      assert.deepEqual(parseLine(retryingLine(retries)), { kind: 'retrying', retries });
    }),
  );
  const json = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(json, (data) => {
      assert.deepEqual(parseLine(machineLine(data)), { kind: 'machine', data: JSON.parse(JSON.stringify(data)) });
    }),
  );
});

test('lines about one operation of a mix, and lines for people, are never parsed', () => {
  for (const line of [
    secondLine('Mixed read', { secondStart: 0, operations: 5, bytes: 0 }),
    summaryLine('Mixed read', { duration: 1, peak: 1, average: 1, bytes: 0, retries: 0 }),
    'Write latency (closed loop): min 1.00ms mean 1.00ms p50 1.00ms p90 1.00ms p95 1.00ms p99 1.00ms p99.9 1.00ms max 1.00ms',
    'Write limited by: store (evidence)',
    'Write: searching for its capacity with 40,000 objects and up to 256 threads and 1 bucket',
  ]) {
    assert.equal(parseLine(line), null, line);
  }
});

test('a machine line whose braces or quotes were changed, or that is cut, is known to be one', () => {
  const line = '# r2-benchmark {"kind":"run"}';
  const changed = [line.replace(/[{}]/g, '***'), line.replaceAll('"', '“'), line.slice(0, -3), '# r2-benchmark []'];
  for (const text of changed) {
    assert.deepEqual(parseLine(text), { kind: 'unreadable' }, text);
  }
});

test('a stage name starts with a capital letter and has at most 32 characters', () => {
  assert.deepEqual(['Write', 'Copy-part2', 'write', '', 'W'.repeat(33), '__proto__'].map(isStageName), [
    true,
    true,
    ...[false, false, false, false],
  ]);
});
