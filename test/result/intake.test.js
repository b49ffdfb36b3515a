import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOfHost } from '../helpers/host-lines.js';
import { DEFAULTS, planHosts } from '../helpers/host-plan.js';
import {
  aggregateOf,
  machineLine,
  scheduleLine,
  secondLine,
  stageOf,
  summaryLine,
  warningsOf,
  withRunLine,
} from './logs-of.js';

// Logs with machine lines, whole and damaged.

const OPTIONS = { ...DEFAULTS, seconds: 6, hosts: 1 };

/**
 * @param {number} number of the host
 * @param {Partial<typeof OPTIONS>} [options]
 */
function logOf(number, options) {
  const plan = planHosts({ ...OPTIONS, ...options })[number];
  return [...linesOfHost(plan)].map(({ text }) => text);
}

/**
 * @param {readonly string[]} lines
 * @param {RegExp} pattern
 */
function placeIn(lines, pattern) {
  return lines.findIndex((line) => pattern.test(line));
}

const WHOLE = logOf(0);
const PAIR = [0, 1].map((number) => logOf(number, { hosts: 2 }));
const OPERATIONS = stageOf(aggregateOf({ WHOLE })).counts.operations;

test('the same run and shard at another time counts, with a warning', () => {
  const later = logOf(0, { start: DEFAULTS.start + 3_600_000 });
  const aggregate = aggregateOf({ 'a.txt': WHOLE, 'later.txt': later });
  assert.match(
    warningsOf(aggregate)[0],
    /^later\.txt:1: .* both are counted, because their hosts or start times differ$/,
  );
  assert.equal(stageOf(aggregate).counts.operations, 2 * OPERATIONS);
});

test('hosts without a common run id are added up without a warning', () => {
  const [one, other] = PAIR.map((log, index) => withRunLine(log, { run: `run-${index}`, shard: '0/1' }));
  assert.deepEqual(warningsOf(aggregateOf({ 'a.txt': one, 'b.txt': other })), []);
});

test('hosts with another client, read order, or a distribution of sizes, give a warning', () => {
  const [one, other] = [0, 1].map((index) => logOf(index, { hosts: 2 }));
  const options = { size: 1_048_576, sizes: '4KiB..1MiB', access: 'zipf:0.99', client: 'edge' };
  const warnings = warningsOf(aggregateOf({ 'a.txt': one, 'b.txt': withRunLine(other, { options }) }));
  assert.deepEqual(warnings, [
    'b.txt:1: --size 4KiB..1MiB, but 16KiB in a.txt:1; added up anyway',
    'b.txt:1: --client edge, but direct in a.txt:1; added up anyway',
    'b.txt:1: --access zipf:0.99, but sequential in a.txt:1; added up anyway',
  ]);
});

test('interleaved lines of two hosts in one file are reported and never added up', () => {
  const [one, other] = PAIR;
  const mixed = one.flatMap((line, index) => (other[index] === undefined ? [line] : [line, other[index]]));
  const aggregate = aggregateOf({ 'mixed.txt': mixed });
  const warnings = warningsOf(aggregate);
  assert.ok(
    warnings.includes(
      '!mixed.txt:2: another run begins before the run from line 1 ends: either the log was cut short, or several hosts wrote to it',
    ),
  );
  const largest = Math.max(...[one, other].map((log) => aggregateOf({ log }).peaks.Write ?? 0));
  assert.ok((aggregate.peaks.Write ?? 0) <= largest);
});

test('a repeated second counts once', () => {
  const index = placeIn(WHOLE, /: Write: Ops/);
  const doubled = WHOLE.toSpliced(index, 0, WHOLE[index], WHOLE[index]);
  const aggregate = aggregateOf({ 'a.txt': doubled });
  assert.deepEqual(aggregate.peaks, aggregateOf({ WHOLE }).peaks);
  assert.deepEqual(warningsOf(aggregate), []);
});

test('lines missing for people do not matter once a stage is recorded, but a missing machine line is a gap', () => {
  const long = logOf(0, { seconds: 200 });
  const withoutOne = (/** @type {RegExp} */ pattern) =>
    aggregateOf({ 'a.txt': long.toSpliced(placeIn(long, pattern), 1) });
  assert.deepEqual(warningsOf(withoutOne(/: Write: Ops/)), []);
  const aggregate = withoutOne(/"kind":"seconds","stage":"Write"/);
  const [total] = warningsOf(aggregate);
  assert.match(total, /^!a\.txt:\d+: the seconds of Write add up to \d+ of its \d+ operations: lines are missing/);
  assert.equal(stageOf(aggregate).counts.operations, stageOf(aggregateOf({ long })).counts.operations);
});

test('a stage whose histogram is damaged leaves the percentiles to the other hosts, and the file is named', () => {
  const [long, other] = PAIR;
  const index = placeIn(long, /"kind":"stage","stage":"Read"/);
  const damaged = long.with(index, long[index].replace('"operations":"HIST', '"operations":"MIST'));
  const aggregate = aggregateOf({ 'a.txt': damaged, 'b.txt': other });
  const read = stageOf(aggregate, 'Read');
  assert.deepEqual(read.latency, stageOf(aggregateOf({ 'b.txt': other }), 'Read').latency);
  assert.deepEqual(
    read.missingLatency.map(({ file, reason }) => [file, reason]),
    [['a.txt', 'no histogram']],
  );
  const expected = [
    / has no machine line with its totals: /,
    / for stage Read: latency\.histogram\.operations: expected an HdrHistogram /,
  ];
  expected.forEach((message, at) => assert.match(warningsOf(aggregate)[at], message));
  assert.notEqual(stageOf(aggregate, 'Stat').latency, null);
});

test('an edge second of one host counts in the sum if it is inside the stage of another', () => {
  const start = Date.parse('2026-01-31T12:00:00Z');
  const head = (/** @type {string} */ host) => [
    machineLine({ kind: 'run', format: 1, run: 'a', host, start: new Date(start).toISOString(), options: {} }),
    scheduleLine(),
  ];
  const seconds = (/** @type {number[]} */ rates) =>
    rates.map((rate, index) => secondLine(`12:00:0${index + 1}`, rate));
  const logs = { a: [...head('a'), ...seconds([1, 5, 5, 1])], b: [...head('b'), ...seconds([7, 6, 6, 6, 9])] };
  const { peak } = stageOf(aggregateOf(logs));
  assert.deepEqual([peak.operationsPerSecond, peak.secondStart], [11, start / 1000 + 1]);
  const stop = [...head('b').slice(0, 1), scheduleLine(), ...seconds([7, 6, 60])];
  assert.equal(stageOf(aggregateOf({ ...logs, b: stop })).peak.operationsPerSecond, 65);
});

test('the overlap is unknown if a log lacks the times of the stage', () => {
  assert.equal(stageOf(aggregateOf({ WHOLE, old: [summaryLine(5)] })).overlap, null);
});

test('each share has the bottleneck of its host, and their stage that of the hosts that know it', () => {
  const known = WHOLE.map((line) =>
    line.includes('"kind":"stage","stage":"Write"')
      ? line.replace(
          '"kind"',
          '"bottleneck":{"cause":"store throttling","evidence":"43% refused","advice":null},"kind"',
        )
      : line,
  );
  const old = [scheduleLine(), secondLine('12:00:01', 5), summaryLine(5)];
  const { shares, bottleneck } = stageOf(aggregateOf({ known, old }));
  assert.equal(bottleneck?.cause, 'store throttling');
  assert.deepEqual(
    shares.map(({ limitedBy, evidence }) => [limitedBy, evidence]),
    [
      ['store throttling', '43% refused'],
      [null, null],
    ],
  );
});

test('a run stopped between two stages is incomplete, although its log is complete', () => {
  const index = placeIn(WHOLE, /^Stat: scheduling/);
  const table = WHOLE.slice(placeIn(WHOLE, /"kind":"end"/));
  const [warning] = warningsOf(aggregateOf({ 'a.txt': [...WHOLE.slice(0, index), ...table] }));
  assert.match(warning, /^!a\.txt:\d+: the run ended here, before Stat$/);
});

const HEADLESS = 'the first line of the run is missing, so whole stages before this line may be missing';

for (const [what, pattern] of /** @type {const} */ ([
  ['a stage’s machine line and the next stage', /^Read: scheduling/],
  ['the totals of the last stage and the end', /"kind":"end"/],
])) {
  test(`a log that starts between ${what} lacks stages, and this is reported`, () => {
    const rest = WHOLE.slice(placeIn(WHOLE, pattern));
    assert.equal(warningsOf(aggregateOf({ 'a.txt': rest })).includes(`!a.txt:1: ${HEADLESS}`), true);
  });
}

test('machine lines of unknown or missing kinds, and fields of a later version, are ignored', () => {
  const strange = [machineLine({ kind: 'mark', stage: 'Write' }), machineLine({ type: 'stage' }), machineLine({})];
  const [a, b] = PAIR.map((lines) =>
    lines.map((line) => line.replace('"end":"complete",', '"end":"complete","shreds":7,')).toSpliced(3, 0, ...strange),
  );
  const aggregate = aggregateOf({ a, b });
  assert.deepEqual(warningsOf(aggregate), []);
  assert.deepEqual(aggregate.stages, aggregateOf({ a: PAIR[0], b: PAIR[1] }).stages);
});

test('impossible totals are reported with their line, and make the sum incomplete', () => {
  const index = placeIn(WHOLE, /"kind":"stage","stage":"Read"/);
  const told = (/** @type {RegExp} */ pattern, /** @type {string} */ by) =>
    warningsOf(aggregateOf({ a: WHOLE.with(index, WHOLE[index].replace(pattern, by)) })).find((warning) =>
      warning.startsWith(`!a:${index + 1}: `),
    );
  assert.equal(
    told(/"bytes":\d+/, '"bytes":-1'),
    `!a:${index + 1}: cannot use the data of this line for stage Read: bytes: expected at least 0, got "-1"`,
  );
  assert.equal(
    told(/"operations":\d+/, '"operations":null'),
    `!a:${index + 1}: cannot use the data of this line for stage Read: operations: expected a whole number, got "null"`,
  );
});

test('machine lines of a later format give a warning', () => {
  const [warning] = warningsOf(aggregateOf({ 'a.txt': withRunLine(WHOLE, { format: 2 }) }));
  assert.equal(
    warning,
    '!a.txt:1: machine lines have format 2, expected 1: use the version of the tool that wrote the log',
  );
});

test('the largest clock uncertainty is named, and so are hosts whose own clock is trusted', () => {
  const clock = { offset: 3, uncertainty: 41.5 };
  const { clocks } = aggregateOf({ a: withRunLine(WHOLE, { clock }), b: PAIR[1], old: logOf(2, { hosts: 3, old: 1 }) });
  assert.deepEqual(clocks, {
    worst: { uncertainty: 41.5, host: 'host-1' },
    trusted: ['host-2'],
    withoutMachineLines: ['old'],
  });
});

test('hosts of the same name get distinct names by shard or file', () => {
  const named = (/** @type {string} */ shard) => withRunLine(WHOLE, { host: 'vm', shard, run: `run-${shard[0]}` });
  const names = (/** @type {Record<string, string[]>} */ files) => aggregateOf(files).hosts.map(({ name }) => name);
  assert.deepEqual(names({ 'a.txt': named('0/2'), 'b.txt': named('1/2') }), ['vm 0/2', 'vm 1/2']);
  const alone = withRunLine(WHOLE, { host: 'vm', run: 'other' });
  assert.deepEqual(names({ 'x/a.txt': withRunLine(WHOLE, { host: 'vm' }), 'x/b.txt': alone }), [
    'vm 0/1 (a.txt)',
    'vm 0/1 (b.txt)',
  ]);
  assert.deepEqual(names({ 'a.txt': withRunLine(WHOLE, { host: 'vm' }), 'b.txt': alone }), [
    'vm 0/1 (a.txt)',
    'vm 0/1 (b.txt)',
  ]);
});

test('a summary without its machine line is reported, and its figures count', () => {
  const index = placeIn(WHOLE, /"kind":"stage","stage":"Remove"/);
  const aggregate = aggregateOf({ 'a.txt': WHOLE.slice(0, index) });
  assert.deepEqual(warningsOf(aggregate), [
    `!a.txt:${placeIn(WHOLE, /^Remove: scheduling/) + 1}: Remove begins here but has no machine line with its totals: lines are missing`,
    `!a.txt:${index}: the run did not end: the log is cut short here`,
  ]);
  const whole = stageOf(aggregateOf({ WHOLE }), 'Remove');
  assert.ok(Math.abs(stageOf(aggregate, 'Remove').counts.operations - whole.counts.operations) <= 1);
});

test('Row 55: a log without its last line is of a run that did not end, even if it has all stages', () => {
  assert.deepEqual(warningsOf(aggregateOf({ 'k.log': WHOLE })), []);
  assert.deepEqual(warningsOf(aggregateOf({ 'k.log': WHOLE.slice(0, -1) })), [
    `!k.log:${WHOLE.length - 1}: the run did not end: the log is cut short here`,
  ]);
});

test('a run in two files counts once, as the more complete one, whichever comes first', () => {
  const cut = WHOLE.slice(0, placeIn(WHOLE, /^Read: scheduling/) + 2);
  const ends = WHOLE.slice(0, -1);
  for (const part of [cut, ends]) {
    for (const files of [
      { part, WHOLE },
      { WHOLE, part },
    ]) {
      const aggregate = aggregateOf(files);
      assert.equal(stageOf(aggregate).counts.operations, OPERATIONS);
      assert.equal(
        stageOf(aggregate, 'Read').counts.operations,
        stageOf(aggregateOf({ WHOLE }), 'Read').counts.operations,
      );
      const [warning, ...others] = warningsOf(aggregate);
      assert.match(warning, /^part:1: run .* also appears in WHOLE:1: counted once$/);
      assert.deepEqual(others, []);
    }
  }
});

test('Row 55: machine lines that were changed are counted, and the first of them is named', () => {
  const masked = WHOLE.map((line) => (line.startsWith('#') ? line.replace(/[{}]/g, '***') : line));
  const count = masked.filter((line) => line.startsWith('#')).length;
  const [first] = warningsOf(aggregateOf({ 'a.txt': masked }));
  assert.equal(
    first,
    `!a.txt:1: this machine line cannot be read, as if its braces or quotes had been replaced: give the file of --log (and ${count - 1} more like it)`,
  );
});

/** A stage with three parts in a list: size classes. @param {readonly string[]} log */
function withClasses(log) {
  const at = placeIn(log, /"kind":"stage","stage":"Write"/);
  const part = { operations: 2, bytes: 0, average: 1, averageBytes: 0, latency: null, histogram: null };
  const parts = [0, 1, 2].map((index) =>
    machineLine({ kind: 'part', stage: 'Write', at: `sizeClasses.${index}`, from: index, to: index + 1, ...part }),
  );
  const whole = log[at].replace('"lines":0', '"lines":3');
  return [...log.slice(0, at), ...parts, whole, ...log.slice(at + 1)];
}

test('Row 55: whichever line of a part is lost, hosts are merged, and the loss is reported', () => {
  const [one, other] = PAIR.map(withClasses);
  assert.deepEqual(warningsOf(aggregateOf({ one, other })), []);
  for (const lost of [0, 1, 2]) {
    const at = placeIn(one, new RegExp(`"at":"sizeClasses.${lost}"`));
    const aggregate = aggregateOf({ one: one.toSpliced(at, 1), other });
    assert.match(warningsOf(aggregate).join('\n'), /3 parts, but 2 of their lines/);
  }
});

test('Row 55: a part of a field that is null in the record is read', () => {
  const log = withClasses(WHOLE).map((line) =>
    line.replace('"kind":"stage","stage":"Write"', '"kind":"stage","stage":"Write","sizeClasses":null'),
  );
  assert.equal(stageOf(aggregateOf({ log })).counts.operations, OPERATIONS);
});
