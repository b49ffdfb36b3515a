import fc from 'fast-check';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatLine, MAX_LINE_LENGTH, parseLine } from '../../lib/log/log-line.js';
import { STAGE_NAMES } from '../../lib/operations/registry.js';
import { formatTimeOfDay } from '../../lib/log/units.js';
import { cases } from '../helpers/cases.js';
import { startCpuTime } from '../helpers/cpu-time.js';

/** @import { LogRecord } from '../../lib/log/log-line.js' */

/** @param {string} name */
function goldenLines(name) {
  return readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
}

const OLD_LINES = goldenLines('old-tool.txt');
const OWN_LINES = goldenLines('own-log.txt');

const LATENCIES = { minimum: 0, mean: 0.01, p50: 0.02, p90: 0.03, p99: 0.04, p999: 0.05, maximum: 0.06 };

/** @type {Readonly<Record<string, LogRecord>>} */
const EXAMPLES = {
  'Write: scheduling for 10000 objects in 1000 threads and 1 buckets': {
    kind: 'schedule',
    stage: 'Write',
    objects: 10_000,
    threads: 1000,
    buckets: 1,
  },
  '03:10:05: Write: Ops 931.1/s Throughput 14.5MB/s': {
    kind: 'second',
    time: '03:10:05',
    stage: 'Write',
    operationsPerSecond: 931.1,
    megabytesPerSecond: 14.5,
  },
  'Retrying on TRANSIENT error': { kind: 'retrying', more: 0 },
  'Retrying on TRANSIENT error (37 more)': { kind: 'retrying', more: 37 },
  'Write took 13477ms. Peak ops 1284.2/s Avg ops 742.0/s  Total size 156.3MB  Recoverable errors 9': {
    kind: 'summary',
    stage: 'Write',
    milliseconds: 13_477,
    peakOperationsPerSecond: 1284.2,
    averageOperationsPerSecond: 742,
    megabytes: 156.3,
    recoverableErrors: 9,
  },
  'Read: 31 integrity errors': { kind: 'integrity', stage: 'Read', count: 31 },
  'Read: 1 integrity error': { kind: 'integrity', stage: 'Read', count: 1 },
  '03:10:05: Mixed read: Ops 931.0/s Throughput 14.5MB/s': {
    ...{ kind: 'kind-second', time: '03:10:05', stage: 'Mixed', operation: 'read' },
    ...{ operationsPerSecond: 931, megabytesPerSecond: 14.5 },
  },
  'Mixed read took 13477ms. Peak ops 1284.2/s Avg ops 742.0/s  Total size 156.3MB  Recoverable errors 9': {
    ...{ kind: 'kind-summary', stage: 'Mixed', operation: 'read', milliseconds: 13_477 },
    ...{ peakOperationsPerSecond: 1284.2, averageOperationsPerSecond: 742, megabytes: 156.3, recoverableErrors: 9 },
  },
  'Mixed read: 2 integrity errors': { kind: 'kind-integrity', stage: 'Mixed', operation: 'read', count: 2 },
  'Mixed versions: 3 stale 1 foreign 0 torn': {
    ...{ kind: 'versions', stage: 'Mixed', staleReads: 3, foreignReads: 1, tornReads: 0 },
  },
  'Mixed attempt latency: min 0.00ms mean 0.01ms p50 0.02ms p90 0.03ms p99 0.04ms p99.9 0.05ms max 0.06ms': {
    ...LATENCIES,
    ...{ kind: 'latency', stage: 'Mixed', of: 'attempts', loop: null },
  },
  'Mixed stat attempt latency: min 0.00ms mean 0.01ms p50 0.02ms p90 0.03ms p99 0.04ms p99.9 0.05ms max 0.06ms': {
    ...LATENCIES,
    ...{ kind: 'kind-latency', stage: 'Mixed', operation: 'stat', of: 'attempts', loop: null },
  },
  'Mixed stat limited by: store (its own words)': {
    ...{ kind: 'kind-limit', stage: 'Mixed', operation: 'stat', cause: 'store', evidence: 'its own words' },
  },
  '  read       1234      803.2      900.0       12.5       14.5    20.01ms    24.50ms         7  store': {
    ...{ kind: 'kind-row', operation: 'read', objects: 1234, operationsPerSecond: 803.2 },
    ...{ peakOperationsPerSecond: 900, megabytesPerSecond: 12.5, peakMegabytesPerSecond: 14.5 },
    ...{ p50: 20.01, p99: 24.5, errors: 7, limitedBy: 'store' },
  },
  'Write latency (closed loop): min 3.12ms mean 12.20ms p50 11.80ms p90 15.00ms p99 30.20ms p99.9 80.10ms max 120.40ms':
    {
      kind: 'latency',
      stage: 'Write',
      of: 'operations',
      loop: 'closed loop',
      minimum: 3.12,
      mean: 12.2,
      p50: 11.8,
      p90: 15,
      p99: 30.2,
      p999: 80.1,
      maximum: 120.4,
    },
  'Stat attempt latency: min 0.00ms mean 0.01ms p50 0.02ms p90 0.03ms p99 0.04ms p99.9 0.05ms max 0.06ms': {
    kind: 'latency',
    stage: 'Stat',
    of: 'attempts',
    loop: null,
    minimum: 0,
    mean: 0.01,
    p50: 0.02,
    p90: 0.03,
    p99: 0.04,
    p999: 0.05,
    maximum: 0.06,
  },
  'Write connections: opened 1000 reused 9000 name 1.20ms TCP p50 12.10ms max 40.20ms TLS p50 14.20ms max 60.10ms': {
    kind: 'connections',
    stage: 'Write',
    opened: 1000,
    reused: 9000,
    name: 1.2,
    tcp: { p50: 12.1, maximum: 40.2 },
    tls: { p50: 14.2, maximum: 60.1 },
  },
  'Write connections: opened 3 reused 5 TCP p50 12.10ms max 40.20ms': {
    kind: 'connections',
    stage: 'Write',
    opened: 3,
    reused: 5,
    name: null,
    tcp: { p50: 12.1, maximum: 40.2 },
    tls: null,
  },
  'Read connections: opened 0 reused 10000': {
    kind: 'connections',
    stage: 'Read',
    opened: 0,
    reused: 10_000,
    name: null,
    tcp: null,
    tls: null,
  },
  'Read time to first byte: min 0.00ms mean 0.01ms p50 0.02ms p90 0.03ms p99 0.04ms p99.9 0.05ms max 0.06ms': {
    ...LATENCIES,
    kind: 'latency',
    stage: 'Read',
    of: 'firstByte',
    loop: null,
  },
  'Remove start delay: min 0.00ms mean 0.01ms p50 0.02ms p90 0.03ms p99 0.04ms p99.9 0.05ms max 0.06ms': {
    ...LATENCIES,
    kind: 'latency',
    stage: 'Remove',
    of: 'startDelay',
    loop: null,
  },
  'Write limited by: client CPU (busiest of 2 event loops busy 97% of the time, 1.93 CPU cores used)': {
    kind: 'limit',
    stage: 'Write',
    cause: 'client CPU',
    evidence: 'busiest of 2 event loops busy 97% of the time, 1.93 CPU cores used',
  },
  'Write: searching for the peak with 40000 objects in up to 256 threads and 1 buckets': {
    kind: 'search',
    stage: 'Write',
    objects: 40_000,
    threads: 256,
    buckets: 1,
  },
  'Stage     Threads      Ops/s        p50        p99    Errors Client  Step': { kind: 'step-header' },
  'Stat           16      803.2    20.01ms    24.50ms         7    12%  half size': {
    kind: 'step-row',
    stage: 'Stat',
    threads: 16,
    operationsPerSecond: 803.2,
    p50: 20.01,
    p99: 24.5,
    errors: 7,
    clientLoad: 12,
    phase: 'half size',
  },
  'Write           4        0.0          -          -         0   100%  ramp': {
    kind: 'step-row',
    stage: 'Write',
    threads: 4,
    operationsPerSecond: 0,
    p50: null,
    p99: null,
    errors: 0,
    clientLoad: 100,
    phase: 'ramp',
  },
  'Write          96     1185.7    79.68ms   163.97ms         0     7%  3 buckets': {
    ...{ kind: 'bucket-row', stage: 'Write', threads: 96, operationsPerSecond: 1185.7, p50: 79.68, p99: 163.97 },
    ...{ errors: 0, clientLoad: 7, buckets: 3 },
  },
  'Stage        Rate      Ops/s        p50        p99    Errors Client  Step': { kind: 'rate-header' },
  'Write       400.0      399.5    20.01ms    61.50ms         0    12%  refine, missed by this host': {
    ...{ kind: 'rate-row', stage: 'Write', rate: 400, operationsPerSecond: 399.5, p50: 20.01, p99: 61.5, errors: 0 },
    ...{ clientLoad: 12, phase: 'refine', verdict: 'client' },
  },
  'Write limit over buckets: whole store, account or path (3 buckets did 1.01 times as much as one)': {
    ...{ kind: 'bucket-limit', stage: 'Write', limit: 'whole store' },
    evidence: '3 buckets did 1.01 times as much as one',
  },
  'Write highest rate: 441.5 ops/s (95% CI 430.1 to 452.9); p99 up to 50.00ms': {
    ...{ kind: 'highest-rate', stage: 'Write', bound: 'exact', operationsPerSecond: 441.5 },
    ...{ interval: { low: 430.1, high: 452.9 }, evidence: 'p99 up to 50.00ms' },
  },
  'Read highest rate: at most 1.0 ops/s; it was not held': {
    ...{ kind: 'highest-rate', stage: 'Read', bound: 'at most', operationsPerSecond: 1, interval: null },
    evidence: 'it was not held',
  },
  'Read highest rate: not known; it was not held': {
    ...{ kind: 'highest-rate', stage: 'Read', bound: 'exact', operationsPerSecond: null, interval: null },
    evidence: 'it was not held',
  },
  'Write ceiling: 803.2 ops/s (95% CI 798.1 to 808.4) at 16 threads': {
    kind: 'capacity',
    word: 'ceiling',
    stage: 'Write',
    bound: 'exact',
    operationsPerSecond: 803.2,
    interval: { low: 798.1, high: 808.4 },
    threads: 16,
    note: null,
  },
  'Remove capacity: at least 50.0 ops/s at 1 thread; it was not held': {
    kind: 'capacity',
    word: 'capacity',
    stage: 'Remove',
    bound: 'at least',
    operationsPerSecond: 50,
    interval: null,
    threads: 1,
    note: 'it was not held',
  },
  'Stage         Ops      Ops/s     Peak/s       MB/s  Peak MB/s        p50        p99    Errors  Limited by': {
    kind: 'table-header',
  },
  'Read          100        4.7        8.0       94.0      101.5   512.00ms   830.20ms         0  concurrency': {
    kind: 'table-row',
    stage: 'Read',
    objects: 100,
    operationsPerSecond: 4.7,
    peakOperationsPerSecond: 8,
    megabytesPerSecond: 94,
    peakMegabytesPerSecond: 101.5,
    p50: 512,
    p99: 830.2,
    errors: 0,
    limitedBy: 'concurrency',
  },
  'Write       10000      742.0     1284.0       11.6       18.2    11.80ms    30.20ms         0  store throttling': {
    kind: 'table-row',
    stage: 'Write',
    objects: 10_000,
    operationsPerSecond: 742,
    peakOperationsPerSecond: 1284,
    megabytesPerSecond: 11.6,
    peakMegabytesPerSecond: 18.2,
    p50: 11.8,
    p99: 30.2,
    errors: 0,
    limitedBy: 'store throttling',
  },
  'Remove          0        0.0        0.0          -          -          -          -        31  not shown': {
    kind: 'table-row',
    stage: 'Remove',
    objects: 0,
    operationsPerSecond: 0,
    peakOperationsPerSecond: 0,
    megabytesPerSecond: null,
    peakMegabytesPerSecond: null,
    p50: null,
    p99: null,
    errors: 31,
    limitedBy: 'not shown',
  },
  '03:10:05: Copy-Part2: Ops 931.1/s Throughput 14.5MB/s': {
    kind: 'second',
    time: '03:10:05',
    stage: 'Copy-Part2',
    operationsPerSecond: 931.1,
    megabytesPerSecond: 14.5,
  },
  'Copy-Part2      10000      742.0     1284.0       11.6       18.2    11.80ms    30.20ms         0  bandwidth': {
    kind: 'table-row',
    stage: 'Copy-Part2',
    objects: 10_000,
    operationsPerSecond: 742,
    peakOperationsPerSecond: 1284,
    megabytesPerSecond: 11.6,
    peakMegabytesPerSecond: 18.2,
    p50: 11.8,
    p99: 30.2,
    errors: 0,
    limitedBy: 'bandwidth',
  },
  'Write was suspended for 4016ms, which are in no rate and no percentile': {
    kind: 'suspended',
    stage: 'Write',
    milliseconds: 4016,
  },
  '# r2-benchmark {"type":"of a later version","nested":{"list":[1,2.5,null]}}': {
    kind: 'machine',
    data: { type: 'of a later version', nested: { list: [1, 2.5, null] } },
  },
};

for (const [line, record] of Object.entries(EXAMPLES)) {
  test(`this is a ${record.kind} line, written and read: ${line}`, () => {
    assert.equal(formatLine(record), line);
    assert.deepEqual(parseLine(line), record);
  });
}

test('the examples cover every line kind', () => {
  const covered = new Set(Object.values(EXAMPLES).map(({ kind }) => kind));
  const message = /** @type {Error} */ (catchError(() => formatLine(/** @type {any} */ ({ kind: 'unheard-of' }))))
    .message;
  const [, kinds = ''] = /^expected a record of kind (.*), got unheard-of$/.exec(message) ?? [];
  assert.deepEqual(kinds.split(', ').sort(), [...covered].sort());
});

for (const [name, lines] of Object.entries({ 'old tool': OLD_LINES, 'own log': OWN_LINES })) {
  test(`every line of the ${name} comes back from its record with identical bytes`, () => {
    const written = lines.map((line) => formatLine(/** @type {LogRecord} */ (parseLine(line))));
    assert.deepEqual(written, lines);
  });
}

const stage = fc.oneof(fc.constantFrom(...STAGE_NAMES), fc.stringMatching(/^[A-Z][A-Za-z0-9-]{0,31}$/));
const count = fc.oneof(fc.nat(), fc.maxSafeNat());
/** @param {number} places */
const decimal = (places) =>
  fc.oneof(fc.nat(100_000), fc.nat({ max: 10 ** 12 * 10 ** places - 1 })).map((digits) => digits / 10 ** places);
const rate = decimal(1);
const milliseconds = decimal(2);
const opening = fc.option(fc.record({ p50: milliseconds, maximum: milliseconds }));

const operation = fc.oneof(
  fc.constantFrom('read', 'write', 'batch-remove', 'attempts'),
  fc.stringMatching(/^[a-z][a-z0-9-]{0,31}$/).filter((name) => name !== 'attempt'),
);

const sentence = fc.stringMatching(/^[\x20-\x7e]{1,600}$/);
const cause = fc.constantFrom('client CPU', 'store throttling', 'concurrency', 'store', 'bandwidth', 'inconclusive');

/** Values as a line can hold them, and plain objects, so that the same record must come back. */
const anyRecord = fc
  .oneof(
    fc.record({ kind: fc.constant('schedule'), stage, objects: count, threads: count, buckets: count }),
    fc.record({
      kind: fc.constant('second'),
      time: fc.nat(86_399).map(formatTimeOfDay),
      stage,
      operationsPerSecond: rate,
      megabytesPerSecond: rate,
    }),
    fc.record({ kind: fc.constant('retrying'), more: count }),
    fc.record({
      kind: fc.constant('summary'),
      stage,
      milliseconds: count,
      peakOperationsPerSecond: rate,
      averageOperationsPerSecond: rate,
      megabytes: rate,
      recoverableErrors: count,
    }),
    fc.record({ kind: fc.constant('integrity'), stage, count }),
    fc.record({ kind: fc.constant('kind-integrity'), stage, operation, count }),
    fc.record({ kind: fc.constant('versions'), stage, staleReads: count, foreignReads: count, tornReads: count }),
    fc.record({
      ...{ kind: fc.constant('kind-second'), time: fc.nat(86_399).map(formatTimeOfDay), stage, operation },
      ...{ operationsPerSecond: rate, megabytesPerSecond: rate },
    }),
    fc.record({
      ...{ kind: fc.constant('kind-summary'), stage, operation, milliseconds: count, peakOperationsPerSecond: rate },
      ...{ averageOperationsPerSecond: rate, megabytes: rate, recoverableErrors: count },
    }),
    fc.record({
      ...{
        kind: fc.constant('kind-latency'),
        stage,
        operation,
        loop: fc.constantFrom('closed loop', 'open loop', null),
      },
      of: fc.constantFrom('operations', 'attempts', 'firstByte', 'startDelay'),
      ...{ minimum: milliseconds, mean: milliseconds, p50: milliseconds, p90: milliseconds },
      ...{ p99: milliseconds, p999: milliseconds, maximum: milliseconds },
    }),
    fc.record({ kind: fc.constant('kind-limit'), stage, operation, cause, evidence: sentence }),
    fc.record({
      ...{ kind: fc.constant('kind-row'), operation, objects: count, operationsPerSecond: rate },
      ...{ peakOperationsPerSecond: rate, megabytesPerSecond: rate, peakMegabytesPerSecond: fc.option(rate) },
      ...{ p50: fc.option(milliseconds), p99: fc.option(milliseconds), errors: count, limitedBy: cause },
    }),
    fc.record({
      kind: fc.constant('latency'),
      stage,
      of: fc.constantFrom('operations', 'attempts', 'firstByte', 'startDelay'),
      loop: fc.constantFrom('closed loop', 'open loop', null),
      minimum: milliseconds,
      mean: milliseconds,
      p50: milliseconds,
      p90: milliseconds,
      p99: milliseconds,
      p999: milliseconds,
      maximum: milliseconds,
    }),
    fc.record({
      kind: fc.constant('connections'),
      stage,
      opened: count,
      reused: count,
      name: fc.option(milliseconds),
      tcp: opening,
      tls: opening,
    }),
    fc.record({ kind: fc.constant('table-header') }),
    fc.record({
      kind: fc.constant('table-row'),
      stage,
      objects: count,
      operationsPerSecond: rate,
      peakOperationsPerSecond: rate,
      megabytesPerSecond: fc.option(rate),
      peakMegabytesPerSecond: fc.option(rate),
      p50: fc.option(milliseconds),
      p99: fc.option(milliseconds),
      errors: count,
      limitedBy: cause,
    }),
    fc.record({ kind: fc.constant('limit'), stage, cause, evidence: sentence }),
    fc.record({ kind: fc.constant('search'), stage, objects: count, threads: count, buckets: count }),
    fc.record({ kind: fc.constant('step-header') }),
    fc.record({
      kind: fc.constant('step-row'),
      stage,
      threads: count,
      operationsPerSecond: rate,
      p50: fc.option(milliseconds),
      p99: fc.option(milliseconds),
      errors: count,
      clientLoad: count,
      phase: fc.constantFrom('ramp', 'refine', 'hold', 'whole size', 'half size', 'climb', 'second size'),
    }),
    fc.record({
      kind: fc.constant('capacity'),
      word: fc.constantFrom('capacity', 'ceiling'),
      stage,
      bound: fc.constantFrom('exact', 'at least'),
      operationsPerSecond: rate,
      interval: fc.option(fc.record({ low: rate, high: rate })),
      threads: count,
      note: fc.option(sentence),
    }),
    fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4, noNullPrototype: true })
      .map((data) => ({ kind: 'machine', data }))
      .filter(({ data }) => JSON.stringify(data).length <= 984),
  )
  .map((record) => /** @type {LogRecord} */ (JSON.parse(JSON.stringify(record))));

test('every record comes back from its line, which holds no line end and fits the limit', () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      const line = formatLine(record);
      assert.doesNotMatch(line, /[\n\r]/);
      assert.ok(line.length < 1000 && line.length <= MAX_LINE_LENGTH);
      assert.deepEqual(parseLine(line), record);
    }),
    { numRuns: cases(1000) },
  );
});

test('whatever a damaged line is read as, it is written again with identical bytes', () => {
  const edit = fc.record({
    at: fc.nat(120),
    remove: fc.nat(3),
    insert: fc.oneof(fc.constantFrom('', ' ', '0', '1', '.', '-', 's', '(0 more)', '\r', '\n', '\u2028'), fc.string()),
  });
  const original = fc.oneof(fc.constantFrom(...OLD_LINES, ...OWN_LINES), anyRecord.map(formatLine));
  const numRuns = cases(5000);
  let read = 0;
  fc.assert(
    fc.property(original, edit, (line, { at, remove, insert }) => {
      const damaged = line.slice(0, at) + insert + line.slice(at + remove);
      const record = parseLine(damaged);
      if (record !== null) {
        read += 1;
        assert.equal(formatLine(record), damaged);
      }
    }),
    { numRuns },
  );
  assert.ok(read > numRuns / 50, `only ${read} of the damaged lines were still lines, which proves little`);
});

test('rates are rounded to one decimal and latencies to two', () => {
  const line = formatLine({
    kind: 'second',
    time: '03:10:05',
    stage: 'Read',
    operationsPerSecond: 931.06,
    megabytesPerSecond: -0,
  });
  assert.equal(line, '03:10:05: Read: Ops 931.1/s Throughput 0.0MB/s');
});

test('values too wide for the table push the rest to the right and still come back', () => {
  /** @type {LogRecord} */
  const record = {
    kind: 'table-row',
    stage: 'Stat',
    objects: Number.MAX_SAFE_INTEGER,
    operationsPerSecond: 999_999_999_999.9,
    peakOperationsPerSecond: 0,
    megabytesPerSecond: 0,
    peakMegabytesPerSecond: null,
    p50: 123_456_789.01,
    p99: null,
    errors: 12_345_678_901,
    limitedBy: 'bandwidth',
  };
  const line = formatLine(record);
  assert.equal(
    line,
    'Stat   9007199254740991 999999999999.9        0.0        0.0          - 123456789.01ms          - 12345678901  bandwidth',
  );
  assert.deepEqual(parseLine(line), record);
});

const FOREIGN = [
  '',
  ' ',
  '> node r2-benchmark.js 10000 1000',
  'Write: scheduling for 10000 objects in 1000 threads and 1 buckets ',
  ' Write: scheduling for 10000 objects in 1000 threads and 1 buckets',
  'Write: scheduling for 010 objects in 1 threads and 1 buckets',
  'Write: scheduling for 9007199254740993 objects in 1 threads and 1 buckets',
  'list: scheduling for 1 objects in 1 threads and 1 buckets',
  'List all: scheduling for 1 objects in 1 threads and 1 buckets',
  'List_all: scheduling for 1 objects in 1 threads and 1 buckets',
  'Prüfen: scheduling for 1 objects in 1 threads and 1 buckets',
  `${'L'.repeat(33)}: scheduling for 1 objects in 1 threads and 1 buckets`,
  'INFO 03:10:05: Write: Ops 931.1/s Throughput 14.5MB/s',
  '03:10:05: constructor: Ops 931.1/s Throughput 14.5MB/s',
  'List  10000      742.0     1284.0       11.6    11.80ms    30.20ms         0  store',
  '24:00:00: Write: Ops 1.0/s Throughput 1.0MB/s',
  '03:10:05: Write: Ops 1/s Throughput 1.0MB/s',
  '03:10:05: Write: Ops 1.00/s Throughput 1.0MB/s',
  '03:10:05: Write: Ops -1.0/s Throughput 1.0MB/s',
  '03:10:05: Write: Ops NaN/s Throughput 1.0MB/s',
  '03:10:05: Write: Ops 1.0/s Throughput 14.5MB',
  'Write took 1ms. Peak ops 1.0/s Avg ops 1.0/s Total size 1.0MB Recoverable errors 0',
  'Retrying on TRANSIENT error (0 more)',
  'Retrying on TRANSIENT error(1 more)',
  'Read: 1 integrity errors',
  'Read: 2 integrity error',
  'Read connections: opened 0 reused 1 TLS p50 1.00ms max 1.00ms TCP p50 1.00ms max 1.00ms',
  'Write      10000      742.0     1284.0       11.6    11.80ms    30.20ms         0',
  '# r2-benchmark {"a": 1}',
  '# r2-benchmark {"a":1',
  '# r2-benchmark [1]',
  '# r2-benchmark 1',
  '# r2-benchmark {"a":1.0}',
  '# r2-benchmark {"a":1,"a":2}',
  '#r2-benchmark {"a":1}',
];

for (const line of FOREIGN) {
  test(`this is no line of ours: ${JSON.stringify(line)}`, () => {
    assert.equal(parseLine(line), null);
  });
}

const REFUSED = [Number.NaN, Infinity, -1, -0.06, 1e12, 999_999_999_999.99, 1e21, undefined, null, '5', 5n];

for (const value of REFUSED) {
  test(`${typeof value} ${value} is refused as a rate`, () => {
    const record = {
      kind: 'second',
      time: '03:10:05',
      stage: 'Read',
      operationsPerSecond: value,
      megabytesPerSecond: 0,
    };
    assert.throws(() => formatLine(/** @type {any} */ (record)), {
      name: 'RangeError',
      message: /^operationsPerSecond of a second line: expected a number from 0 to below 1e12, got /,
    });
  });
}

for (const value of [Number.NaN, -1, 1.5, 2 ** 53, 1e21, undefined, null]) {
  test(`${typeof value} ${value} is refused as a count`, () => {
    const record = /** @type {any} */ ({ kind: 'integrity', stage: 'Read', count: value });
    assert.throws(() => formatLine(record), { name: 'RangeError', message: /expected a whole number from 0 to / });
  });
}

for (const value of [
  'List all',
  'Prüfen',
  'L'.repeat(33),
  'write',
  '',
  undefined,
  'constructor',
  'Write: 1 integrity error\nWrite',
]) {
  test(`${JSON.stringify(value)} is refused as a stage`, () => {
    const record = /** @type {any} */ ({ kind: 'integrity', stage: value, count: 0 });
    assert.throws(() => formatLine(record), {
      name: 'RangeError',
      message: /expected a word of at most 32 letters, digits and hyphens that begins with a capital letter, got /,
    });
  });
}

for (const value of ['24:00:00', '3:10:05', '03:10:05\n', undefined]) {
  test(`${JSON.stringify(value)} is refused as a time`, () => {
    const record = { kind: 'second', time: value, stage: 'Read', operationsPerSecond: 0, megabytesPerSecond: 0 };
    assert.throws(() => formatLine(/** @type {any} */ (record)), RangeError);
  });
}

test('connections whose cost is half told are refused', () => {
  const cost = {
    kind: 'connections',
    stage: 'Read',
    opened: 1,
    reused: 0,
    name: null,
    tcp: { p50: 1 },
    tls: undefined,
  };
  assert.throws(() => formatLine(/** @type {any} */ (cost)), {
    name: 'RangeError',
    message: /^tcp of a connections line/,
  });
});

test('a machine line has 999 characters at most', () => {
  const overhead = formatLine({ kind: 'machine', data: { a: '' } }).length;
  const longest = formatLine({ kind: 'machine', data: { a: 'x'.repeat(999 - overhead) } });
  assert.equal(longest.length, 999);
  assert.notEqual(parseLine(longest), null);
  assert.equal(parseLine(longest.replace('xx', 'xxx')), null);
  assert.throws(() => formatLine({ kind: 'machine', data: { a: 'x'.repeat(1000 - overhead) } }), {
    name: 'RangeError',
    message: /^data of a machine line: expected an object whose JSON has at most 984 characters, got \{"a":"x+$/,
  });
});

for (const data of [[1], 'text', 1, null, undefined]) {
  test(`${JSON.stringify(data)} is refused as the object of a machine line`, () => {
    assert.throws(() => formatLine(/** @type {any} */ ({ kind: 'machine', data })), RangeError);
  });
}

test('hostile lines take no more than linear time', () => {
  const length = MAX_LINE_LENGTH - 100;
  const hostile = [
    ' '.repeat(length),
    `Write ${' '.repeat(length)}1`,
    `Write${' '.repeat(length)}`,
    `Write: scheduling for ${'1'.repeat(length)} objects`,
    `Write took ${'1'.repeat(length)}ms.`,
    `03:10:05: Write: Ops ${'9'.repeat(length)}.`,
    `Write connections: opened 1 reused 1${' TCP p50 1.00ms max 1.00ms'.repeat(300)}`,
    `# r2-benchmark ${'{"a":'.repeat(length / 5)}`,
    `# r2-benchmark ${'[{'.repeat(length / 2)}`,
  ];
  const cpuTime = startCpuTime();
  for (let round = 0; round < 500; round += 1) {
    for (const line of hostile) {
      assert.equal(parseLine(line), null);
    }
  }
  assert.ok(cpuTime() < 3000, `4,500 lines took ${cpuTime()} ms: quadratic time would take minutes`);
});

/** @param {() => void} action */
function catchError(action) {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: 'expected an error' });
}
