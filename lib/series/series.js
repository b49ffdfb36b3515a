import { isClean, shortcomingsOf } from '../result/completeness.js';
import { UsageError } from '../options/usage-error.js';
import { RunError, run } from '../run/run.js';

/**
 * @import { QuadOrder, Side } from '../result/interleaved.js'
 * @import { Result } from '../result/result.js'
 * @import { RunContext } from '../run/run.js'
 * @import { RunOptions } from '../run/run-options.js'
 */

/**
 * @typedef {{ options: RunOptions, context: RunContext }} Turn a run of the series
 *
 * @typedef {object} TurnOutcome
 * @property {Result | null} result null if the run was refused before its first request
 * @property {string | null} problem why the run failed; null if it succeeded
 */

/**
 * Runs one setting after the other. A run that fails does not end the series.
 *
 * @template {Turn} Planned
 * @param {Iterable<Planned>} turns advanced when the previous run has ended and its outcome was taken
 * @param {AbortSignal} signal ends the series; a run that it cuts off has no outcome
 * @returns {AsyncGenerator<{ turn: Planned } & TurnOutcome, void, undefined>}
 */
export async function* runSeries(turns, signal) {
  for (const turn of turns) {
    if (signal.aborted) {
      return;
    }
    const outcome = await runTurn(turn, signal);
    if (signal.aborted) {
      return;
    }
    yield { turn, ...outcome };
  }
}

/**
 * @param {Turn} turn
 * @param {AbortSignal} signal
 * @returns {Promise<TurnOutcome>}
 */
async function runTurn({ options, context }, signal) {
  try {
    const result = await run(/** @type {any} */ (options), { ...context, signal });
    return { result, problem: shortcomingOf(result) };
  } catch (error) {
    if (error instanceof RunError || error instanceof UsageError) {
      return { result: error instanceof RunError ? error.result : null, problem: error.problems[0] };
    }
    // Such as the wait for credentials.
    if (error === signal.reason) {
      return { result: null, problem: null };
    }
    throw error;
  }
}

/** @param {Result} result */
function shortcomingOf({ stages, cleanup }) {
  const ofStages = stages.flatMap((stage) => shortcomingsOf(stage).map((phrase) => `${stage.stage}: ${phrase}`));
  const [first = cleanup === null || isClean(cleanup) ? null : 'clean-up is incomplete'] = ofStages;
  return first;
}

/**
 * @typedef {object} SideTurn
 * @property {Side} side
 * @property {number} number of its side's turns, from 1
 * @property {number | null} quad from 0; null for a warm-up turn
 */

/** @type {readonly QuadOrder[]} */
const ORDERS = ['ABBA', 'BAAB'];

/**
 * Random, so that periodic disturbances do not always hit the same side.
 *
 * @param {number} quads
 * @param {() => number} random uniform in [0, 1)
 */
export function quadOrders(quads, random) {
  return Array.from({ length: quads }, () => ORDERS[Number(random() < 0.5)]);
}

/**
 * A warm-up turn for each side, then the quads.
 *
 * @param {number} quads
 * @param {() => number} random uniform in [0, 1)
 * @returns {SideTurn[]}
 */
export function planTurns(quads, random) {
  const orders = quadOrders(quads, random);
  const sides = /** @type {Side[]} */ ([...`ab${orders.join('')}`.toLowerCase()]);
  return sides.map((side, index) => ({
    side,
    number: sides.slice(0, index + 1).filter((each) => each === side).length,
    quad: index < 2 ? null : Math.floor((index - 2) / 4),
  }));
}
