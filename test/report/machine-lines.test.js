import fc from 'fast-check';
import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLine, parseLine } from '../../lib/log/log-line.js';
import { LatencyHistogram } from '../../lib/meter/latency-histogram.js';
import { OPERATIONS } from '../../lib/operations/registry.js';
import { FORMAT_VERSION, rampMachineLines, runLine, stageMachineLines } from '../../lib/report/machine-lines.js';
import { formatSizes, parseSizes } from '../../lib/workload/size-distribution.js';
import { runFacts } from '../../lib/run/run-facts.js';
import { cases } from '../helpers/cases.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/**
 * @import { MachineRecord } from '../../lib/log/log-line.js'
 * @import { RampPlan } from '../../lib/model/run-config.js'
 */

const MAX_LINE_LENGTH = 999;

/** Every kind under which a failed attempt may be counted. */
const ERROR_KINDS = [
  ...['abandoned', 'certificate', 'client-error', 'clock-skew', 'connect', 'connection', 'denied'],
  ...['incomplete-request', 'integrity', 'name', 'no-bucket', 'not-found', 'other', 'protocol', 'redirect'],
  ...['rewritten-too-soon', 'server-error', 'stale-connection', 'throttled', 'timeout', 'tls', 'truncated'],
];

/** @param {MachineRecord} record */
function written(record) {
  const line = formatLine(record);
  assert.ok(line.length <= MAX_LINE_LENGTH, `${line.length} characters`);
  const parsed = parseLine(line);
  assert.ok(parsed !== null && parsed.kind === 'machine');
  return /** @type {any} */ (parsed.data);
}

/** @param {readonly number[]} latencies ms */
function stageOf(latencies) {
  return finishedStage({ operations: latencies.map((latency) => ({ after: 1, latency })) });
}

test('the line at a run’s start has its facts and the format’s version', () => {
  const facts = runFacts({
    config: runConfig(NO_TARGET),
    host: 'fra-1',
    startedAt: 0,
    clock: null,
    versions: { node: '20.0.0' },
  });
  const data = written(runLine(facts));
  assert.deepEqual([data.kind, data.format, data.run, data.host], ['run', FORMAT_VERSION, 'run-1', 'fra-1']);
  assert.equal(data.options.objects, 20);
});

test('a run’s line keeps its length, and its run id, with the longest names and the largest numbers', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const config = runConfig(
    { ...NO_TARGET, hostname: `${'a'.repeat(63)}.`.repeat(4).slice(0, 253), port: 65_535 },
    {
      runId: 'r'.repeat(64),
      prefix: 'p'.repeat(512),
      objects: most,
      threads: most,
      size: most,
      timeout: most,
      retries: most,
      duration: most,
      gap: most,
      rate: 999_999.999,
      arrival: 'constant',
      warmup: most,
      keep: true,
    },
  );
  const versions = {
    'r2-benchmark': '100.100.100-beta.100',
    node: 'v100.100.100',
    undici: '100.100.100',
    sdk: '3.10000.100',
  };
  const facts = runFacts({ config, host: 'h'.repeat(253), startedAt: Date.now(), clock: null, versions });
  const data = written(runLine(facts));
  assert.equal(data.run, 'r'.repeat(64));
  assert.equal(data.options.objects, most);
});

test('a run’s line keeps its length with the longest sizes, which stand in it in full', () => {
  const sizes = parseSizes(Array.from({ length: 7 }, (_, place) => `${5_000_000_000 + place}=99999`).join(','));
  assert.ok(typeof sizes === 'object');
  const access = /** @type {const} */ ({ kind: 'zipf', exponent: 0.999 });
  const most = { objects: 1e9, threads: 100_000, size: 5 * 1024 ** 3, timeout: 3_600_000, retries: 1000 };
  const timed = { duration: 604_800_000, gap: 604_800_000, rate: 1_000_000, warmup: 604_800_000, keep: true };
  const config = runConfig(
    { ...NO_TARGET, hostname: `${'a'.repeat(63)}.`.repeat(4).slice(0, 253), port: 65_535 },
    {
      ...most,
      ...timed,
      sizes,
      access,
      multipart: { partSize: 5 * 1024 ** 3, partThreads: 1000, minSize: 0 },
      checksum: 'crc64nvme',
      runId: 'r'.repeat(64),
      prefix: 'p'.repeat(512),
      shard: { index: 59, count: 60 },
    },
  );
  const versions = { 'r2-benchmark': '100.100.100-beta.100', node: 'v100.100.100', sdk: '3.10000.100' };
  const facts = runFacts({ config, host: 'h'.repeat(253), startedAt: Date.now(), clock: null, versions });
  const { options, host } = written(runLine(facts));
  assert.deepEqual([options.sizes, options.access], [formatSizes(sizes), 'zipf:0.999']);
  assert.ok(host.length >= 30);
});

test('a run’s line keeps its length whatever its names hold, and what tells loads apart stands in it in full', () => {
  const text = (/** @type {number} */ maxLength) =>
    fc.oneof(
      fc.string({
        minLength: maxLength,
        maxLength,
        unit: fc.constantFrom('"', '\\', '\u0001', '\n', '\ud800', '😀', 'a'),
      }),
      fc.string({ unit: 'binary', maxLength }),
    );
  const mix = ['write=17', 'read=17', 'range=17', 'stat=17', 'copy=16', 'remove=16'].map((share) => {
    const [operation, of] = share.split('=');
    return { operation, share: Number(of) };
  });
  const sizes = parseSizes(Array.from({ length: 7 }, (_, place) => `${5_000_000_000 + place}=99999`).join(','));
  assert.ok(typeof sizes === 'object');
  const most = { objects: 1e9, threads: 100_000, size: 5 * 1024 ** 3, timeout: 3_600_000, retries: 1000 };
  const timed = { duration: 604_800_000, gap: 604_800_000, rate: 999_999.999, warmup: 604_800_000, untilStable: 0.999 };
  const loads = [
    { mix, stages: ['write', 'mixed'], keep: true },
    { existing: '', stages: ['read', 'range', 'stat', 'list'] },
    { stages: OPERATIONS.map(({ name }) => name), checksum: /** @type {const} */ ('crc64nvme') },
  ];
  const versions = { 'r2-benchmark': '100.100.100-beta.100', node: 'v100.100.100', sdk: '3.10000.100' };
  fc.assert(
    fc.property(fc.constantFrom(...loads), text(253), text(512), text(253), text(1024), (load, ...names) => {
      const [hostname, prefix, host, existing] = names;
      const config = runConfig(
        { ...NO_TARGET, hostname, port: 65_535 },
        {
          ...{ ...most, ...timed, sizes, access: /** @type {const} */ ({ kind: 'zipf', exponent: 0.999 }) },
          ...{ ...load, ...('existing' in load ? { existing } : {}) },
          ...{ arrival: 'constant', prefix, runId: 'r'.repeat(64), shard: { index: 59, count: 60 } },
        },
      );
      const clock = { offset: -86_400_000.123, uncertainty: 1000.123 };
      const facts = runFacts({ config, host, startedAt: Date.now(), clock, versions });
      const { run, options } = written(runLine(facts));
      const { mix: mixed, sizes: several, access, stages } = facts.options;
      assert.deepEqual([run, options.mix, options.sizes, options.access], ['r'.repeat(64), mixed, several, access]);
      assert.deepEqual(options.stages, stages);
    }),
    { numRuns: cases(50) },
  );
});

test('names stand in full in a run’s line where there is room for them', () => {
  const [host, existing] = ['h'.repeat(100), 'photos/"2026"/'];
  const config = runConfig(NO_TARGET, { existing, stages: ['read'] });
  const facts = runFacts({ config, host, startedAt: 0, clock: null, versions: { node: '20.0.0' } });
  const data = written(runLine(facts));
  assert.deepEqual([data.host, data.options.existing], [host, existing]);
});

test('a run’s line keeps its length with the most steps of a ramp, and with the most hosts of one', () => {
  const threads = Array.from({ length: 20 }, (_, place) => 100_000 - place);
  const joining = Array.from({ length: 60 }, (_, slot) => (slot < 59 ? 0 : 100_000));
  const most = {
    objects: 1e9,
    threads: 100_000,
    size: 5 * 1024 ** 3,
    timeout: 3_600_000,
    retries: 1000,
    gap: 604_800_000,
  };
  const lineOf = (/** @type {RampPlan} */ rampPlan) => {
    const config = runConfig(
      { ...NO_TARGET, hostname: `${'a'.repeat(63)}.`.repeat(4).slice(0, 253), port: 65_535 },
      { ...most, runId: 'r'.repeat(64), prefix: 'p'.repeat(512), shard: { index: 59, count: 60 }, rampPlan },
    );
    const versions = { 'r2-benchmark': '100.100.100-beta.100', node: 'v100.100.100', sdk: '3.10000.100' };
    return written(runLine(runFacts({ config, host: 'h'.repeat(253), startedAt: Date.now(), clock: null, versions })));
  };
  assert.deepEqual(lineOf({ of: 'threads', threads, stepTime: 60_000 }).options.ramp, threads);
  for (const each of [joining, joining.map(() => 100_000)]) {
    const { shard, options } = lineOf({ of: 'hosts', threads: each, stepTime: 60_000 });
    assert.deepEqual(
      [shard, options.threads, options.rampHosts, options.stepTime, options.ramp],
      ['59/60', 100_000, true, 60_000, undefined],
    );
  }
});

test('the lines of a step have its seconds and its histogram, and keep their length', () => {
  const latencies = new LatencyHistogram();
  // No two gaps between them are the same, so that they compress badly.
  Array.from({ length: 2000 }, (_, place) => latencies.record(1 + ((place * 7919 * (place % 13)) % 9973)));
  const step = {
    ...{ slotStart: 7_258_118_400, slotSeconds: 60, hosts: 1, threads: 100_000, secondStart: 7_258_118_400 },
    operations: Array.from({ length: 48 }, () => 999_999),
    ...{ latency: latencies.summary(), histogram: latencies.encode() },
    ...{ errors: Number.MAX_SAFE_INTEGER, throttled: Number.MAX_SAFE_INTEGER, shortfall: null },
  };
  const [line, ...parts] = rampMachineLines('Remove', 'threads', step).map(written);
  const { latency, histogram, ...rest } = step;
  assert.deepEqual(line, { kind: 'ramp-step', stage: 'Remove', of: 'threads', ...rest });
  assert.ok(parts.length > 1 && latency !== null);
  assert.ok(parts.every(({ slotStart }) => slotStart === step.slotStart));
  assert.equal(parts.map(({ data }) => data).join(''), histogram);
});

test('the line at a stage’s end has its absolute times and all its counts', () => {
  const operations = [{ after: 10 }, { after: 20.5, failures: ['timeout', 'throttled'] }];
  const result = finishedStage(
    { name: 'Read', operations },
    { throttled: 1, skipped: 3, integrityErrors: 4, failed: 5 },
  );
  const data = written(stageMachineLines(result)[0]);
  assert.deepEqual([data.kind, data.stage, data.end], ['stage', 'Read', 'complete']);
  assert.deepEqual([data.start, data.stop], [1_700_000_000_250, 1_700_000_000_280.5]);
  assert.deepEqual(
    [
      data.operations,
      data.bytes,
      data.attempts,
      data.retries,
      data.throttled,
      data.skipped,
      data.integrityErrors,
      data.failed,
    ],
    [2, 2 * 16 * 1024, 4, 2, 1, 3, 4, 5],
  );
  assert.deepEqual(data.errors, { throttled: 1, timeout: 1 });
});

test('a stage’s line keeps its length with every kind of error and the largest numbers', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const errors = Object.fromEntries(ERROR_KINDS.map((kind) => [kind, Math.floor(most / ERROR_KINDS.length)]));
  const counts = { operations: most, bytes: most, attempts: most, retries: most, throttled: most, failed: most };
  const rest = { integrityErrors: most, skipped: most, abandoned: most, objects: most, threads: most };
  const times = { startedAt: 9_999_999_999_999.25, endedAt: 9_999_999_999_999.5, paused: 604_800_000.125 };
  const storeClock = { offset: -86_400_000.123, uncertainty: 1000.123 };
  const result = { ...stageOf([1]), ...counts, ...rest, ...times, storeClock, errors };
  const data = written(stageMachineLines(result)[0]);
  assert.deepEqual([data.operations, data.attempts], [most, most]);
});

test('a stage’s line names its most frequent errors, and adds up the others', () => {
  const few = Object.fromEntries(ERROR_KINDS.slice(0, 10).map((kind, place) => [kind, place + 1]));
  assert.deepEqual(written(stageMachineLines({ ...stageOf([1]), errors: few })[0]).errors, few);
  const many = Object.fromEntries(ERROR_KINDS.map((kind, place) => [kind, 10_000 + place]));
  const { others, ...named } = written(stageMachineLines({ ...stageOf([1]), errors: many })[0]).errors;
  const rarest = ERROR_KINDS.slice(0, -10);
  assert.deepEqual(named, Object.fromEntries(Object.entries(many).slice(-10)));
  assert.equal(
    others,
    rarest.reduce((sum, kind) => sum + many[kind], 0),
  );
});

test('the parts of a histogram join again to the whole, whatever its length', () => {
  const latencies = fc.array(fc.double({ min: 0.01, max: 3_600_000, noNaN: true }), { maxLength: 1500 });
  fc.assert(
    fc.property(latencies, (values) => {
      const result = stageOf(values);
      const parts = stageMachineLines(result).slice(1).map(written);
      assert.deepEqual(
        parts.map(({ part, of }) => [part, of]),
        parts.map((_, place) => [place + 1, parts.length]),
      );
      assert.ok(parts.every(({ kind, stage, unit }) => kind === 'histogram' && stage === 'Write' && unit === 'us'));
      const whole = parts.map(({ data }) => data).join('');
      assert.equal(whole, result.latency.histogram.operations);
      assert.equal(decodeFromCompressedBase64(whole).totalCount, values.length);
    }),
    { numRuns: cases(20) },
  );
});

test('a histogram that is long enough stands in several parts', () => {
  const histogram = new LatencyHistogram();
  for (let value = 1; value < 20_000; value++) {
    histogram.record((value * 7919) % 100_003);
  }
  const result = stageOf([1]);
  result.latency.histogram.operations = histogram.encode();
  const parts = stageMachineLines(result).slice(1).map(written);
  assert.ok(parts.length > 1, String(parts.length));
});
