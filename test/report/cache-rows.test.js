import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheRows, statusFindings, statusTitle } from '../../lib/report/cache-rows.js';

const writes = (/** @type {string} */ status, /** @type {number} */ operations) =>
  /** @type {any} */ ({ status, operations, latency: null });

/** @type {any} */
const RACES = { stage: 'Swap', contenders: [writes('loser', 30), writes('winner', 10)], integrityErrors: 1 };
/** @type {any} */
const READS = { stage: 'Read', cache: [writes('HIT', 5)], staleByCache: 2 };

test('the writes of races have a row for each outcome, and a sentence with violations and undecided races', () => {
  const stages = [{ ...RACES, undecidedRaces: 2 }, READS];
  assert.deepEqual(
    cacheRows(stages).map(({ heading, cache, share }) => [heading, cache.status, share]),
    [
      ['Swap', 'loser', 0.75],
      ['Swap', 'winner', 0.25],
      ['Read', 'HIT', 1],
    ],
  );
  assert.deepEqual(statusFindings(stages), [
    'Swap: 1 violation, 2 undecided races.',
    'Read: the cache served old versions in 2 reads.',
  ]);
  assert.deepEqual([statusTitle(stages), statusTitle([READS])], ['Races', 'Cache']);
});
