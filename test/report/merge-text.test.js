import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatMergeBlocks } from '../../lib/report/merge-text.js';
import { PLAIN } from '../../lib/result/figures/table.js';
import { aggregateOf, madeLogs } from '../result/logs-of.js';

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

test('hosts that never shared a stage get advice', () => {
  const text = blocksOf(madeLogs({ hosts: 2, seconds: 3, shift: 60_000 }));
  assert.match(
    text,
    /\n {2}Overlap {5}none: the 2 hosts were never all in the stage at once: start them all with --start-at next:60s\n/,
  );
  assert.match(text, /\n {2}Mean, all hosts in +- .* no whole second includes all hosts\n/);
});

test('no line is wider than a terminal, and hosts keep their bottleneck', () => {
  const { result } = aggregateOf(madeLogs({ hosts: 9, seconds: 4 }));
  const shares = result.stages[0].merge.shares.map((share) => ({ ...share, limitedBy: 'store', certainty: null }));
  const stages = result.stages.map((stage) => ({ ...stage, merge: { ...stage.merge, shares } }));
  const text = formatMergeBlocks({ ...result, stages }, { ...PLAIN, columns: 80 });
  assert.deepEqual(
    text.split('\n').filter(({ length }) => length > 79),
    [],
  );
  assert.doesNotMatch(text, /\.\.\./);
  assert.match(text, /\n {2}host-1 .* store\n/);
  assert.match(text, /\nHosts {7}9: host-1, .*\n {12}.*1 more\n/);
});

test('missing figures are reported in their place', () => {
  const logs = madeLogs({ hosts: 2, seconds: 4 });
  const [name, lines] = Object.entries(logs)[1];
  const cut = lines.findIndex((line) => line.startsWith('Read took'));
  const text = blocksOf({ ...logs, [name]: lines.slice(0, cut) });
  assert.match(
    text,
    /\n {2}Problems {4}.*its percentiles are from 1 of 2 hosts\n {2}Missing {5}log-host-2\.txt:\d+: no histogram\n/,
  );
  assert.match(text, /\n {2}Operations {2}at least [\d,]+ in /);
});

test('on a terminal, a merge has colours instead of their codes', () => {
  const look = { ...PLAIN, hasColour: true };
  const { result } = aggregateOf(madeLogs({ hosts: 2, seconds: 3 }));
  const stages = result.stages.map((stage) => ({ ...stage, failedAttempts: 3 }));
  const text = formatMergeBlocks({ ...result, stages }, look);
  assert.ok(text.includes('\u001b['));
  assert.ok(!text.includes('\\u{1b}'));
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
