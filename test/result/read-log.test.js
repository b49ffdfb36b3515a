import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULTS } from '../helpers/host-plan.js';
import { aggregateOf, madeLogs, scheduleLine, secondLine, summaryLine, warningsOf, withRunLine } from './logs-of.js';

// Logs with several runs: copies, searches and logs of the original tool.

const OPTIONS = { hosts: 1, seconds: 6 };
const [WHOLE] = Object.values(madeLogs(OPTIONS));
const LATER = withRunLine(Object.values(madeLogs({ ...OPTIONS, start: DEFAULTS.start + 3_600_000 }))[0], {
  run: 'later',
});

const OLD_LOG = [scheduleLine(), secondLine('03:10:05', 5), summaryLine(5)];

/** A complete log of a run without Stat. */
const WITHOUT_STAT = withRunLine(
  WHOLE.filter((line) => !line.includes('Stat')),
  { options: { stages: ['write', 'read', 'remove'], size: 16_384 } },
);
const OLD_STAT = [scheduleLine('Stat'), secondLine('03:10:05', 5, 'Stat'), summaryLine(5, 'Stat')];

for (const [what, lines] of Object.entries({
  'of the original tool': OLD_LOG,
  'of the original tool, without its first line,': OLD_LOG.slice(1),
  'of the original tool with a stage that the copy lacks': OLD_STAT,
})) {
  test(`a log ${what} counts after a copy that does not`, () => {
    const alone = aggregateOf({ 'a.txt': WITHOUT_STAT, 'old.txt': lines });
    const behind = aggregateOf({ 'a.txt': WITHOUT_STAT, 'b.txt': [...WITHOUT_STAT, ...lines] });
    assert.deepEqual(
      behind.stages.map(({ counts }) => counts.operations),
      alone.stages.map(({ counts }) => counts.operations),
    );
    assert.equal(behind.hosts.length, 2);
    assert.equal(warningsOf(behind).length, warningsOf(alone).length + 1);
  });
}

test('after a finished run, a log of the original tool is another run, whatever its stages', () => {
  const aggregate = aggregateOf({ 'a.txt': [...WITHOUT_STAT, ...OLD_STAT] });
  assert.deepEqual(warningsOf(aggregate), []);
  assert.deepEqual([aggregate.hosts.length, aggregate.peaks.Stat], [2, 5]);
});

test('a second after the end of a run belongs to another run, which is cut short', () => {
  const aggregate = aggregateOf({ 'a.txt': [...WHOLE, secondLine('00:10:05', 5, 'Remove')] });
  assert.equal(aggregate.hosts.length, 2);
  const incomplete = warningsOf(aggregate).filter((warning) => warning.startsWith('!'));
  assert.deepEqual(incomplete, [
    `!a.txt:${WHOLE.length + 1}: Remove begins here and has no summary: the log is cut short`,
  ]);
});

test('a log without its first line, after a copy, is cut short where the next run begins', () => {
  const headless = WHOLE.slice(
    1,
    WHOLE.findIndex((line) => line.startsWith('Read: scheduling')),
  );
  const log = [...WHOLE, ...headless, ...LATER];
  const index = WHOLE.length + headless.length + 1;
  const [warning] = warningsOf(aggregateOf({ 'a.txt': WHOLE, 'b.txt': log })).filter((text) =>
    text.includes('another run'),
  );
  assert.ok(
    warning.startsWith(`!b.txt:${index}: another run begins before the run from line ${WHOLE.length + 1} ends`),
  );
});
