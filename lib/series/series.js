import { isClean, shortcomingsOf } from '../model/completeness.js';
import { UsageError } from '../options/usage-error.js';
import { RunError } from '../run/run.js';
import { run } from '../run/run.js';

/**
 * @import { Result } from '../model/result.js'
 * @import { RunContext } from '../run/run-context.js'
 * @import { RunOptions } from '../run/run-options.js'
 *
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
    if (error instanceof RunError) {
      return { result: error.result, problem: error.problems[0] };
    }
    if (error instanceof UsageError) {
      return { result: null, problem: error.problems[0] };
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
