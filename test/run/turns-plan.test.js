import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stagesOf } from '../../lib/operations/registry.js';
import { PassSchedule } from '../../lib/run/pass-schedule.js';
import { TurnsPlan } from '../../lib/run/turns-plan.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @import { StageResult } from '../../lib/model/result.js' */

/** @param {number} duration ms @returns {StageResult[]} of a pass of one stage */
function took(duration) {
  const stage = {
    ...{ stage: 'Write', startedAt: 0, duration, operations: 10, failedAttempts: 0, average: 100 },
    ...{ latency: { operations: { p50: 1, p99: 2 } }, clientLoad: { cpuUser: 5, cpuSystem: 5 } },
  };
  return [/** @type {StageResult} */ (/** @type {unknown} */ (stage))];
}

test('after one turn each, the sides follow the order of the quads, in slots of equal length within a quad', () => {
  const { load, schedule } = runConfig(NO_TARGET, { stages: ['write'] });
  const plan = new TurnsPlan(['ABBA', 'BAAB'], new PassSchedule(stagesOf(load), schedule));
  const turns = [];
  const ended = [];
  let now = 0;
  let duration = 1000;
  for (let turn = plan.next(); turn !== null; turn = plan.next()) {
    const beganAt = Math.max(turn.startsAt, now);
    turns.push([turn.side, turn.quad, turn.startsAt, turn.timeLeft]);
    now = beganAt + duration;
    ended.push(plan.take(took(duration), { beganAt, endedAt: now }));
    duration += 10;
  }
  // 1.25 × the longest earlier pass, 100 ms to settle, and 250 ms between two passes.
  const first = 1.25 * 1010 + 350;
  const second = 1.25 * 1050 + 350;
  const start = 2010 + 250;
  assert.deepEqual(turns, [
    ['a', null, -Infinity, null],
    ['b', null, -Infinity, null],
    ...['a', 'b', 'b', 'a'].map((side, place) => [side, 0, start + place * first, (8 - place) * first]),
    ...['b', 'a', 'a', 'b'].map((side, place) => [
      ...[side, 1, start + 4 * first + place * second],
      (4 - place) * second,
    ]),
  ]);
  assert.deepEqual(
    ended.map((quad) => quad?.order ?? null),
    [null, null, null, null, null, 'ABBA', null, null, null, 'BAAB'],
  );
  assert.deepEqual(
    ended[9]?.passes.map(({ side, stages }) => [side, stages[0].duration, stages[0].metrics.cpu]),
    [
      ['b', 1060, 1],
      ['a', 1070, 1],
      ['a', 1080, 1],
      ['b', 1090, 1],
    ],
  );
});
