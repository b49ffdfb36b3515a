import { resolve } from 'node:path';

/** What sets the load, or the time, cannot stand beside a search that does so itself. */
const AGAINST_SEARCH = Object.freeze({
  duration: '--duration',
  startAt: '--start-at',
  shard: '--shard',
  rate: '--rate',
  warmup: '--warmup',
});

/**
 * What cannot be asked for together, or not alone.
 *
 * @typedef {object} Conflict
 * @property {(given: Record<string, any>, options: Record<string, any>) => unknown} isThere what was given by name, and
 *   all values that were read
 * @property {string} problem
 */

/** @type {readonly Conflict[]} */
const CONFLICTS = [
  {
    isThere: ({ init, ...others }, { objects }) =>
      init !== undefined && (objects !== undefined || Object.keys(others).some((name) => name !== 'envFile')),
    problem: '--init: it writes a file of variables and ends, expected nothing else beside it',
  },
  {
    isThere: ({ init, envFile }) => typeof init === 'string' && envFile !== undefined,
    problem: '--env-file: --init names the file already, expected one of the two',
  },
  {
    isThere: (given, { list }) => given.cleanup === true && !list,
    problem: '--cleanup: expected a run id, or --cleanup --list to see which runs there are',
  },
  {
    isThere: (given, { list }) => list && given.cleanup !== true,
    problem: '--list: expected --cleanup --list, without a run id',
  },
  {
    isThere: ({ shard }, { list }) => list && shard !== undefined,
    problem: '--shard: --cleanup --list shows the objects of all shards, expected --cleanup <run-id>',
  },
  {
    isThere: ({ cleanup }, { calibrate }) => calibrate && cleanup !== undefined,
    problem: '--calibrate: it measures the client alone, expected no --cleanup beside it',
  },
  {
    isThere: ({ arrival, rate }) => arrival !== undefined && rate === undefined,
    problem: '--arrival: it tells when the operations of --rate start, expected --rate as well',
  },
  {
    isThere: ({ gap, duration }) => gap !== undefined && duration === undefined,
    problem: '--gap: it stands between the stages of --duration, expected --duration as well',
  },
  {
    isThere: (_given, { warmup, duration }) => duration !== undefined && warmup >= duration,
    problem: '--warmup: it would take the whole of --duration, expected less',
  },
  {
    isThere: (_given, { log, logAppend }) => logAppend && log === undefined,
    problem: '--log-append: it adds to the file of --log, expected --log as well',
  },
  {
    isThere: (_given, { log, json }) => log !== undefined && json !== undefined && resolve(log) === resolve(json),
    problem: '--log, --json: expected two files, got the same one',
  },
  {
    isThere: (_given, { faults, local }) => faults !== undefined && !local,
    problem: '--faults: only the endpoint of --local can inject faults',
  },
  {
    isThere: (given, options) => lacksObjects(given, options) && options.local,
    problem: '--stages: a --local run begins with an empty store, expected write among them',
  },
  {
    isThere: (given, options) => lacksObjects(given, options) && !options.local && given.runId === undefined,
    problem:
      '--stages: without write, expected --run-id of a run made with --keep; --cleanup --list shows which runs there are',
  },
];

/**
 * @param {Record<string, any>} given
 * @param {Record<string, any>} options
 * @returns {boolean} whether a run would have to find objects that it does not write
 */
function lacksObjects({ cleanup }, { stages, calibrate }) {
  return cleanup === undefined && !calibrate && stages !== undefined && !stages.includes('write');
}

/**
 * @param {Record<string, any>} given options, as they stand on the command line
 * @param {Record<string, any>} options all of them, read
 * @returns {string[]} problems
 */
export function optionConflicts(given, options) {
  const problems = CONFLICTS.filter(({ isThere }) => isThere(given, options)).map(({ problem }) => problem);
  return options.findPeak ? [...problems, ...againstSearch(given, options)] : problems;
}

/**
 * @param {Record<string, any>} given
 * @param {Record<string, any>} options
 */
function againstSearch(given, { warmup }) {
  return Object.entries(AGAINST_SEARCH)
    .filter(([name]) => given[name] !== undefined && !(name === 'warmup' && warmup === 0))
    .map(([, flag]) => `${flag}: --find-peak sets load and time itself, on one host, expected one of the two`);
}
