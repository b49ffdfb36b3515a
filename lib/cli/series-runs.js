import { DOLLARS_PER_MILLION, dollarsSpentOn } from '../run/prices.js';
import { closingMessages } from './closing-messages.js';
import { writeResults } from './output-file.js';
import { laterOf, whatMayRemain } from './later-commands.js';

/**
 * @import { Result, RunResult } from '../result/result.js'
 * @import { ReadyRun } from '../result/run-events.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { Listener } from '../report/reporter.js'
 * @import { RunContext } from '../run/run.js'
 * @import { Program } from './main.js'
 */

// What the commands that make several runs have in common.

/**
 * @param {{ label: string, values: OptionValues, listener: Listener, program: Program,
 *   ended?: (ran: RunResult) => void }} run `ended` is called when the run has ended
 * @returns {RunContext} of a run that reports what clean-up left
 */
export function contextOfRun({ label, values, listener, program, ended = () => {} }) {
  const { env, invocation, terminal, stopRequest } = program;
  stopRequest.onEndAtOnce = () => {};
  const on = { ...listener };
  const runIsReady = (/** @type {ReadyRun} */ { config, variables }) => {
    const later = laterOf(values, variables, invocation);
    stopRequest.onEndAtOnce = () => whatMayRemain(config, later).forEach((line) => terminal.err(line));
    const runEnds = (/** @type {RunResult} */ ran) => {
      const { errors } = closingMessages({ ...ran, problems: [], stages: [] }, config, later);
      errors.forEach((error) => terminal.err(`${label}: ${error}`));
      ended(ran);
    };
    Object.assign(on, { runEnds });
  };
  return { on: Object.assign(on, { runIsReady }), env, ownsProcess: true, invocation };
}

/**
 * @param {number | undefined} maxCost dollars for all runs
 * @param {readonly { result: Result | null }[]} done
 * @returns {{ maxCost?: number } | null} the option of the next run; null if no run can follow
 */
export function costLeft(maxCost, done) {
  if (maxCost === undefined) {
    return {};
  }
  const spent = done.reduce((sum, { result }) => {
    const requests = Object.values(result?.requests ?? {}).reduce((all, count) => all + count, 0);
    return sum + dollarsSpentOn(result?.stages ?? []) + (requests * DOLLARS_PER_MILLION.A) / 1e6;
  }, 0);
  // The option takes micro-dollars.
  const left = Math.floor((maxCost - spent) * 1e6) / 1e6;
  const isSpent = done.some(({ result }) => result?.stages.some(({ end }) => end === 'unpaid'));
  return left <= 0 || isSpent ? null : { maxCost: left };
}

/**
 * @param {Parameters<typeof writeResults>[0]} outputs
 * @param {Parameters<typeof writeResults>[1]} format
 * @param {Parameters<typeof writeResults>[2]} terminal
 * @param {{ text: string, notify: (line: string) => void }} summary goes to stderr if a result goes to stdout
 */
export function writeSeries(outputs, format, terminal, { text, notify }) {
  if (text !== '' && outputs.some(({ file }) => file === null)) {
    text.trimEnd().split('\n').forEach(notify);
  }
  return writeResults(outputs, format, terminal, () => [text]);
}
