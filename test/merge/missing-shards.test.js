import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aggregateOf, machineLine, scheduleLine, secondLine, summaryLine, warningsOf } from './logs-of.js';

const NOON = Date.parse('2026-01-31T12:00:00Z');

/**
 * @param {object} run
 * @param {string | null} run.shard
 * @param {string} [run.id]
 * @param {number} [run.start] epoch ms
 * @param {boolean} [run.isSearch]
 * @returns {string[]} a complete log
 */
function logOf({ shard, id = 'a', start = NOON, isSearch = false }) {
  const options = { stages: ['write'], findPeak: isSearch };
  const time = new Date(start).toISOString();
  const times = { startedAt: start, endedAt: start + 2000, end: 'complete', operations: 0 };
  return [
    machineLine({ kind: 'run', format: 1, run: id, host: `host-${shard}`, shard, start: time, options }),
    scheduleLine(),
    secondLine(time.slice(11, 19), 0),
    machineLine({ kind: 'stage', stage: 'Write', ...times }),
  ];
}

/** @param {string[][]} logs */
function warned(...logs) {
  return warningsOf(aggregateOf(Object.fromEntries(logs.map((lines, index) => [`${index}.txt`, lines]))));
}

/**
 * @param {readonly string[]} shards
 * @param {Omit<Parameters<typeof logOf>[0], 'shard'>} [run]
 */
function logsOf(shards, run) {
  return shards.map((shard) => logOf({ ...run, shard }));
}

test('shards without a log are named, and their work is missing', () => {
  assert.deepEqual(warned(...logsOf(['0/3', '1/3'])), ['!0.txt:1: run a: no log of shard 2/3']);
  assert.deepEqual(warned(...logsOf(['1/4'])), ['!0.txt:1: run a: no log of shards 0/4, 2/4, 3/4']);
});

test('a run with all of its shards, or without shards, gives no warning', () => {
  assert.deepEqual(warned(...logsOf(['0/3', '1/3', '2/3'])), []);
  assert.deepEqual(warned(logOf({ shard: '0/1' }), logOf({ shard: null })), []);
});

test('only the first of many missing shards are named, even if a log claims an impossible number', () => {
  const [warning] = warned(...logsOf(['0/999999999']));
  assert.equal(
    warning,
    `!0.txt:1: run a: no log of shards ${[1, 2, 3, 4, 5, 6, 7, 8].map((index) => `${index}/999999999`).join(', ')} and 999999990 more`,
  );
});

test('missing shards of several splits are named up to the same limit', () => {
  const [warning] = warned(...logsOf(['0/5', '0/20']));
  assert.match(warning, /: no log of shards 1\/5, 2\/5, 3\/5, 4\/5, 1\/20, 2\/20, 3\/20, 4\/20 and 15 more$/);
});

test('an impossible shard does not count as one', () => {
  assert.deepEqual(warned(...logsOf(['0/2', '5/3'])), ['!0.txt:1: run a: no log of shard 1/2']);
});

test('everything under a run id counts together, however it was split', () => {
  const wrote = logsOf(['0/2', '1/2']);
  const readAgain = logsOf(['0/2', '0/1'], { start: NOON + 60_000 });
  const warnings = warned(...wrote, ...readAgain);
  assert.deepEqual(
    warnings.filter((warning) => warning.includes('no log of')),
    [],
  );
  assert.deepEqual(warned(...logsOf(['0/2', '1/3'])), ['!0.txt:1: run a: no log of shards 1/2, 0/3, 2/3']);
});

test('each run id has its own shards and its own warning', () => {
  const other = logsOf(['0/2', '1/2'], { id: 'b', start: NOON + 60_000 });
  const third = logsOf(['1/2'], { id: 'c', start: NOON + 120_000 });
  const warnings = warned(...logsOf(['0/2']), ...other, ...third).filter((warning) => warning.includes('no log of'));
  assert.deepEqual(warnings, ['!0.txt:1: run a: no log of shard 1/2', '!3.txt:1: run c: no log of shard 0/2']);
});

test('a concurrent shard under another id is not missing', () => {
  const warnings = warned(logOf({ shard: '0/2' }), logOf({ shard: '1/2', id: 'b' }));
  assert.equal(warnings.length, 1);
  assert.match(warnings[0], /^1\.txt:1: run b and run a in 0\.txt:1 took place at the same time/);
});

test('a log without a shard may be any one shard, but only one', () => {
  const old = [scheduleLine(), secondLine('12:00:00', 5), summaryLine(5)];
  assert.deepEqual(warned(...logsOf(['0/3', '1/3']), old), []);
  assert.deepEqual(warned(...logsOf(['0/3']), old), ['!0.txt:1: run a: no log of shards 1/3, 2/3']);
});

test('a shard that ran a capacity search is missing from the sum, and searches alone lack no shard', () => {
  const search = logOf({ shard: '1/2', isSearch: true }).slice(0, 1);
  const warnings = warned(logOf({ shard: '0/2' }), search);
  assert.match(warnings[0], /^!1\.txt:1: a --find-peak search begins here/);
  assert.deepEqual(warnings.slice(1), ['!0.txt:1: run a: no log of shard 1/2']);
  assert.equal(warned(search).length, 1);
});
