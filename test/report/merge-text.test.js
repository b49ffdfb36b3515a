import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatMergeBlocks } from '../../lib/report/merge-text.js';
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
  assert.match(text, /\n {2}Overlap {14}none: the 2 hosts were never all in the stage at once\n/);
  assert.match(text, /\n {2}Mean, all hosts in {3}none: the stage has no whole second that includes all hosts\n/);
  assert.match(
    text,
    /\n\nThe hosts did not run Write, Read, Stat, Remove at the same time: start them all with --start-at next:60s/,
  );
});

test('hosts that began together get no such advice if one of them was killed, whose log shows when', () => {
  const logs = madeLogs({ hosts: 4 });
  const [name, lines] = Object.entries(logs)[2];
  const cut = lines.findIndex((line) => line.includes(': Read: Ops')) + 6;
  const { result } = aggregateOf({ ...logs, [name]: lines.slice(0, cut) });
  assert.doesNotMatch(formatMergeBlocks(result), /at the same time/);
  assert.deepEqual(
    result.merge.warnings.map(({ file, line, message }) => [file, line, message]),
    [[name, cut, 'the log ends at 23:59:53, in Read: what this host did later is not in the sum']],
  );
});

test('missing figures are reported in their place', () => {
  const logs = madeLogs({ hosts: 2, seconds: 4 });
  const [name, lines] = Object.entries(logs)[1];
  const cut = lines.findIndex((line) => line.startsWith('Read took'));
  const text = blocksOf({ ...logs, [name]: lines.slice(0, cut) });
  assert.match(text, / max [\d.]+ms on 1 of 2 hosts\n {23}missing: log-host-2\.txt:\d+: no histogram\n/);
  assert.match(text, /\n {2}Operations {11}at least [\d,]+, /);
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
