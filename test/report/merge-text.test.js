import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatMergeBlocks, formatMergeSummary } from '../../lib/report/merge-text.js';
import { aggregateOf, madeLogs, withBottleneck } from '../merge/logs-of.js';

/** @param {string} name */
function golden(name) {
  return readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8');
}

/** @param {Parameters<typeof aggregateOf>[0]} logs */
function blocksOf(logs) {
  return formatMergeBlocks(aggregateOf(logs).result);
}

test('three hosts, one with a log of the original tool, across midnight', () => {
  const logs = madeLogs({ seconds: 12, skew: 7000, shift: 400, old: 1 });
  assert.equal(blocksOf(logs), golden('peak-three-hosts.txt'));
});

test('lines that would repeat the peak of a single host are left out', () => {
  assert.doesNotMatch(blocksOf(madeLogs({ hosts: 1, seconds: 4 })), /Sum of host peaks|Overlap/);
});

test('a single host', () => {
  assert.equal(blocksOf({ 'own-log.txt': golden('own-log.txt').split('\n') }), golden('peak-one-host.txt'));
});

test('hosts that never shared a stage get advice', () => {
  const text = blocksOf(madeLogs({ hosts: 2, seconds: 3, shift: 60_000 }));
  assert.match(text, /\n {2}Overlap {14}none: the 2 hosts were never all in the stage at once\n/);
  assert.match(text, /\n {2}Mean, all hosts in {3}none: the stage has no whole second that includes all hosts\n/);
  assert.match(
    text,
    /\n\nThe hosts did not run Write, Read, Stat, Remove at the same time: start them all with --start-at next:60s/,
  );
});

test('hosts that ran together get no advice', () => {
  assert.doesNotMatch(blocksOf(madeLogs({ hosts: 2, shift: 100 })), /--start-at/);
});

test('a mix has a line for each operation', () => {
  const { result } = aggregateOf(madeLogs({ hosts: 2, seconds: 2 }));
  const [stage] = result.stages;
  const kinds = /** @type {any} */ ([
    { operation: 'read', operations: 700, bytes: 11_468_800, latency: stage.latency, errors: { timeout: 2 } },
    { operation: 'write', operations: null, bytes: null, latency: { operations: null }, errors: {} },
  ]);
  const latency = stage.latency.operations;
  assert.ok(latency !== null);
  const text = formatMergeBlocks({ ...result, stages: [{ ...stage, stage: 'Mixed', kinds }] });
  const p = (/** @type {number} */ value) => value.toFixed(2).replace('.', '\\.');
  const read = `700, 10\\.9 MiB  p50 ${p(latency.p50)}ms p99 ${p(latency.p99)}ms  errors .*2`;
  assert.match(text, new RegExp(`^  Of these, read {7}${read}$`, 'm'));
  assert.match(text, /^ {2}Of these, write {6}an unknown number {2}latency unknown {2}errors none$/m);
  assert.doesNotMatch(formatMergeBlocks(result), /Of them/);
});

/** @param {{ together: number, any: number }} overlap ms */
function overlapShown(overlap) {
  const { result } = aggregateOf(madeLogs({ hosts: 2, seconds: 2 }));
  const stages = result.stages.map((stage) => {
    return { ...stage, merge: { ...stage.merge, overlap: { ...overlap, from: 0, to: 0 } } };
  });
  return /Overlap +(.*)/.exec(formatMergeBlocks({ ...result, stages }))?.[1];
}

test('the share of an overlap matches the figures next to it', () => {
  assert.equal(overlapShown({ together: 3030, any: 3050 }), 'all 2 hosts for 3.03 s of 3.05 s (99%)');
  assert.equal(overlapShown({ together: 3041, any: 3042 }), 'all 2 hosts for 3.04 s of 3.04 s (100%)');
  assert.equal(overlapShown({ together: 570, any: 1000 }), 'all 2 hosts for 0.57 s of 1.00 s (57%)');
  assert.equal(overlapShown({ together: 1, any: 2 }), 'all 2 hosts for 0.00 s of 0.00 s (100%)');
});

/** @param {(string | null)[]} causes per host; null if its log lacks it */
function limitsShown(causes) {
  const logs = Object.entries(madeLogs({ hosts: causes.length, seconds: 2 })).map(([name, lines], index) => {
    const cause = causes[index];
    return [name, cause === null ? lines : withBottleneck(lines, cause)];
  });
  return /Limited by {11}(.*)/.exec(blocksOf(Object.fromEntries(logs)))?.[1];
}

test('a common bottleneck appears once, and different ones per host', () => {
  assert.equal(limitsShown(['client CPU', 'inconclusive']), 'host-1: client CPU; host-2: inconclusive');
  assert.equal(limitsShown(['store throttling', 'store throttling']), 'store throttling, on all 2 hosts');
  assert.equal(limitsShown(['store']), 'store');
  assert.equal(limitsShown(['bandwidth', null]), 'host-1: bandwidth; host-2: unknown');
  assert.equal(limitsShown([null, null]), undefined);
});

test('the evidence follows, once per cause, with advice', () => {
  const logs = Object.entries(madeLogs({ hosts: 3, seconds: 2 })).map(([name, lines], index) => {
    const cause = index === 0 ? 'store' : 'inconclusive';
    return [name, withBottleneck(lines, cause, { evidence: `figures of host ${index}`, advice: '--find-peak' })];
  });
  const shown = (/** @type {(string | string[])[][]} */ files) =>
    /Limited by {11}([^]*?)\n {2}Latency/.exec(blocksOf(Object.fromEntries(files)))?.[1].split(/\n {23}/);
  assert.deepEqual(shown(logs), [
    'host-1: store; host-2: inconclusive; host-3: inconclusive',
    'host-1: figures of host 0; try --find-peak',
    'host-2: figures of host 1; try --find-peak',
  ]);
  assert.deepEqual(shown(logs.slice(0, 1)), ['store', 'figures of host 0; try --find-peak']);
  assert.deepEqual(shown(logs.slice(1)), [
    'inconclusive, on all 2 hosts',
    'host-2: figures of host 1; try --find-peak',
  ]);
});

test('the bottlenecks of many hosts do not fill the screen', () => {
  const causes = Array.from({ length: 20 }, (_, index) => (index === 0 ? 'store' : 'concurrency'));
  assert.match(limitsShown(causes) ?? '', /^host-1: store; .*host-8: concurrency and 12 more$/);
});

test('missing figures are reported in their place', () => {
  const logs = madeLogs({ hosts: 2, seconds: 4 });
  const [name, lines] = Object.entries(logs)[1];
  const part = lines.findIndex((line) => line.includes('"kind":"histogram","stage":"Write"'));
  const cut = lines.findIndex((line) => line.startsWith('Read took'));
  const text = blocksOf({ ...logs, [name]: lines.slice(0, cut).toSpliced(part, 1) });
  assert.match(
    text,
    /\n {2}Latency {14}missing: log-host-2\.txt:\d+: (no histogram|part 1 of \d+ of the histogram is missing)\n/,
  );
  assert.match(text, /\n {2}Operations {11}at least \d+, /);
});

test('the first of many hosts are listed, with the number of the rest', () => {
  const text = blocksOf(madeLogs({ hosts: 25, seconds: 2 }));
  assert.match(text, /^\nHosts {16}25: host-1, .*, host-8 and 17 more\n/);
  assert.equal(text.match(/\n {2}and 5 more \(see --json\)\n/g)?.length, 4);
});

test('a long name does not widen the table', () => {
  const [lines] = Object.values(madeLogs({ hosts: 1, seconds: 2 }));
  const long = lines.with(0, lines[0].replace('"host-1"', `"${'x'.repeat(200)}"`));
  assert.match(blocksOf({ log: long }), /\n {2}x{31}… {2}\d\d:/);
});

test('a host without known times is shown without them', () => {
  const summary = 'Write took 1000ms. Peak ops 10.0/s Avg ops 10.0/s  Total size 1.0MB  Recoverable errors 0';
  const text = blocksOf({ ...madeLogs({ hosts: 1, seconds: 2 }), 'old.txt': [summary] });
  assert.match(text, /\n {2}Overlap {14}unknown: a log does not contain the times of the stage\n/);
  assert.match(text, /\n {2}old\.txt {2}\? +\? +10 +10\.0\n/);
});

test('a terminal obeys nothing in a result', () => {
  const { result } = aggregateOf(madeLogs({ hosts: 2, seconds: 2 }));
  const hostile = '\u001b[2J\r\n\u202e<script>__proto__';
  const stages = result.stages.map((stage) => {
    const shares = stage.merge.shares.map((share) => {
      return { ...share, host: hostile, limitedBy: hostile, evidence: hostile, advice: hostile };
    });
    const kinds = [/** @type {any} */ ({ ...stage, operation: hostile, errors: { [hostile]: 1 } })];
    return { ...stage, stage: hostile, errors: { [hostile]: 1 }, kinds, merge: { ...stage.merge, shares } };
  });
  const text = formatMergeBlocks({ ...result, stages });
  assert.doesNotMatch(text, /[^\P{C}\n]/u);
  assert.ok(text.includes(String.raw`\u{1b}[2J`));
});

test('the peaks are printed like a JavaScript object, with at most one decimal', () => {
  const peaks = { Write: 5439.7, Read: 3111.2000000000003, Stat: 2409.5, Remove: 2798.0000000000005 };
  assert.equal(
    formatMergeSummary(peaks),
    'Peak Performance: {\n  Write: 5439.7,\n  Read: 3111.2,\n  Stat: 2409.5,\n  Remove: 2798\n}\n',
  );
});

test('only existing stages are printed, even with 0', () => {
  assert.equal(formatMergeSummary({ Stat: 0 }), 'Peak Performance: {\n  Stat: 0\n}\n');
});
