import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StageLog, stageWarnings } from '../../lib/merge/stage-log.js';
import { SecondPool } from '../../lib/merge/seconds.js';

/** @import { StageLine } from '../../lib/merge/machine-facts.js' */

/**
 * @param {number} paused ms
 * @returns {StageLog} of a stage without lines for three seconds in its middle
 */
function logWithGap(paused) {
  const log = new StageLog('Write', 1, new SecondPool());
  [100, 101, 102, 103, 107, 108, 109].forEach((second, place) =>
    log.addSecond(place + 2, second, { operationsPerSecond: 10, bytesPerSecond: 0 }, true),
  );
  const facts = { paused, end: 'complete', measured: 0, counts: { operations: 70 } };
  log.facts = /** @type {StageLine} */ (/** @type {unknown} */ (facts));
  return log;
}

test('seconds without a line are no loss if the process was suspended, which is reported', () => {
  const log = logWithGap(3400);
  assert.deepEqual(
    stageWarnings(log, true).map(({ message }) => message),
    ['Write was suspended for 3.4s: its host did nothing in that time'],
  );
  const partial = [100, 101, 102, 103, 107, 108, 109].filter((second) => log.isNextToPause(second));
  assert.deepEqual(partial, [103, 107]);
});

test('more seconds without a line than the process was suspended for are a loss', () => {
  assert.match(stageWarnings(logWithGap(2900), true)[0].message, /^Write has no line for the seconds before this one$/);
  const [{ message }, ...others] = stageWarnings(logWithGap(0), true);
  assert.match(message, /^Write has no line/);
  assert.deepEqual(others, []);
  assert.equal(logWithGap(0).isNextToPause(103), false);
});
