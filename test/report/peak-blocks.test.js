import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatPeakBlocks } from '../../lib/report/peak-blocks.js';
import { aggregateOf, madeLogs } from '../hosts/logs-of.js';

/** @param {string} name */
function golden(name) {
  return readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8');
}

/** @param {Parameters<typeof aggregateOf>[0]} logs */
function blocksOf(logs) {
  return formatPeakBlocks(aggregateOf(logs));
}

test('three hosts, of which one brings a log of the old tool, over midnight', () => {
  const logs = madeLogs({ seconds: 12, skew: 7000, shift: 400, old: 1 });
  assert.equal(blocksOf(logs), golden('peak-three-hosts.txt'));
});

test('one host alone', () => {
  assert.equal(blocksOf({ 'own-log.txt': golden('own-log.txt').split('\n') }), golden('peak-one-host.txt'));
});

test('hosts that were never in a stage together are told what to do', () => {
  const text = blocksOf(madeLogs({ hosts: 2, seconds: 3, shift: 60_000 }));
  assert.match(text, /\n {2}Overlap {14}none: the 2 hosts were never in the stage all at once\n/);
  assert.match(text, /\n {2}Mean, all hosts in {3}none: no whole second in which all hosts were in the stage\n/);
  assert.match(
    text,
    /\n\nThe hosts were not together in Write, Read, Stat, Remove: start them all with --start-at next:60s/,
  );
});

test('hosts that were together get no advice', () => {
  assert.doesNotMatch(blocksOf(madeLogs({ hosts: 2, shift: 100 })), /--start-at/);
});

test('what is missing is said in its place', () => {
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

test('of many hosts the first are shown, and how many more there are', () => {
  const text = blocksOf(madeLogs({ hosts: 25, seconds: 2 }));
  assert.match(text, /^\nHosts {16}25: host-1, .*, host-8 and 17 more\n/);
  assert.equal(text.match(/\n {2}and 5 more, which --json shows\n/g)?.length, 4);
});

test('a long name does not push the table apart', () => {
  const [lines] = Object.values(madeLogs({ hosts: 1, seconds: 2 }));
  const long = lines.with(0, lines[0].replace('"host-1"', `"${'x'.repeat(200)}"`));
  assert.match(blocksOf({ log: long }), /\n {2}x{31}… {2}\d\d:/);
});

test('a host whose log does not say when it was in a stage is shown without its time', () => {
  const summary = 'Write took 1000ms. Peak ops 10.0/s Avg ops 10.0/s  Total size 1.0MB  Recoverable errors 0';
  const text = blocksOf({ ...madeLogs({ hosts: 1, seconds: 2 }), 'old.txt': [summary] });
  assert.match(text, /\n {2}Overlap {14}unknown: a log does not say when the stage was\n/);
  assert.match(text, /\n {2}old\.txt {2}\? +\? +10 +10\.0\n/);
});
