import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from '../../lib/result/figures/stage-table.js';
import { stageFindings } from '../../lib/report/stage-findings.js';

const writes = (/** @type {string} */ status, /** @type {number} */ operations) =>
  /** @type {any} */ ({ status, operations, latency: null });

test('the writes of races have a row for each outcome, and a phrase with violations and undecided races', () => {
  /** @type {any} */
  const races = {
    ...{ stage: 'Swap', operations: 10, latency: {}, integrityErrors: 1, undecidedRaces: 2 },
    contenders: [writes('loser', 30), writes('winner', 10)],
  };
  assert.deepEqual(
    rowsOf([races]).map(({ name, share }) => [name, share]),
    [
      ['Swap', undefined],
      ['  loser', 0.75],
      ['  winner', 0.25],
    ],
  );
  assert.deepEqual(stageFindings(races), ['1 violation, 2 undecided races']);
});
