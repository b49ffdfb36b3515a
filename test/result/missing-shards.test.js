import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOON, aggregateOf, idleLog, scheduleLine, secondLine, summaryLine, warningsOf } from './logs-of.js';

/** @param {string[][]} logs */
function warned(...logs) {
  return warningsOf(aggregateOf(Object.fromEntries(logs.map((lines, index) => [`${index}.txt`, lines]))));
}

/**
 * @param {readonly string[]} shards
 * @param {Parameters<typeof idleLog>[0]} [run]
 */
function logsOf(shards, run) {
  return shards.map((shard) => idleLog({ ...run, shard, host: `host-${shard}` }));
}

test('shards without a log are named, and their work is missing', () => {
  assert.deepEqual(warned(...logsOf(['0/3', '1/3'])), ['!0.txt:1: run a: no log of shard 2/3']);
  assert.deepEqual(warned(...logsOf(['1/4'])), ['!0.txt:1: run a: no log of shards 0/4, 2/4, 3/4']);
});

test('only the first of many missing shards are named, even if a log claims an impossible number', () => {
  const [warning] = warned(...logsOf(['0/999999999']));
  assert.equal(
    warning,
    `!0.txt:1: run a: no log of shards ${[1, 2, 3, 4, 5, 6, 7, 8].map((index) => `${index}/999999999`).join(', ')} and 999999990 more`,
  );
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

test('a log without a shard may be any one shard, but only one', () => {
  const old = [scheduleLine(), secondLine('12:00:00', 5), summaryLine(5)];
  assert.deepEqual(warned(...logsOf(['0/3', '1/3']), old), []);
  assert.deepEqual(warned(...logsOf(['0/3']), old), ['!0.txt:1: run a: no log of shards 1/3, 2/3']);
});

test('a shard that ran a capacity search is missing from the sum, and searches alone lack no shard', () => {
  const search = idleLog({ shard: '1/2', options: { findPeak: true } }).slice(0, 1);
  const warnings = warned(idleLog({ shard: '0/2' }), search);
  assert.match(warnings[0], /^!1\.txt:1: a --find-peak search begins here/);
  assert.deepEqual(warnings.slice(1), ['!0.txt:1: run a: no log of shard 1/2']);
  assert.equal(warned(search).length, 1);
});
