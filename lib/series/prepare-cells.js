import { availableCores } from '../measure/host/limits.js';
import { resolve } from '../options/resolve.js';
import { checkLocalLimits } from '../options/store/local-endpoint.js';
import { readRunOptions } from '../options/read-options.js';
import { STORE_OPTIONS } from '../options/table.js';
import { Checks, problemsOfAll, refuseIfAny } from '../options/usage-error.js';
import { openTarget } from '../options/store/target.js';
import { checkFileLimit } from '../run/prepare-run.js';
import { BUCKETS } from './sweep-plan.js';

/**
 * @import { StoreConfig } from '../result/config.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { RunOptions } from '../run/run-options.js'
 * @import { Invocation } from '../options/store/environment.js'
 * @import { Target } from '../options/store/target.js'
 *
 * @typedef {{ env: NodeJS.ProcessEnv, now: number, random: () => number, invocation: Invocation,
 *   signal: AbortSignal }} CellContext `now` in epoch ms; `random` uniform in [0, 1); for `signal` see openTarget
 *
 * @typedef {object} Cell a setting of a series
 * @property {string} label
 * @property {Readonly<Record<string, any>>} options of its runs, as the user typed them
 * @property {number} [buckets] how many of the store's buckets it uses; default: all
 *
 * @typedef {object} PreparedCell
 * @property {string} label
 * @property {RunOptions} options
 * @property {OptionValues} values
 * @property {ReturnType<typeof resolve>} config
 * @property {Target | null} target null if the endpoint of --local starts with each run
 */

/** Stands for the endpoint of --local that starts with each run. @type {Omit<StoreConfig, 'buckets'>} */
const LOCAL_STORE = Object.freeze({
  hostname: 'localhost',
  port: 0,
  useTls: false,
  region: 'auto',
  credentials: { accessKeyId: '', secretAccessKey: '' },
  isEmbedded: true,
});

/** Clients that find the store in their own way. */
const OWN_ADDRESS = ['edge', 'public'];

/**
 * Finds the store of each cell, without contacting it, and the buckets that the cell uses.
 *
 * @param {readonly Cell[]} cells
 * @param {CellContext & { areTurns?: boolean }} context `areTurns`: whether the runs are turns of a comparison, which
 *   use the targets; otherwise, they are closed
 * @returns {Promise<{ cells: PreparedCell[], close: () => Promise<void> }>}
 * @throws {UsageError} with every problem
 */
export async function prepareCells(cells, { invocation, signal, areTurns = false, ...context }) {
  /** By the options that select the store. @type {Map<string, Promise<Target>>} */
  const targets = new Map();
  const close = async () => {
    const opened = await Promise.allSettled(targets.values());
    await Promise.all(opened.map((each) => (each.status === 'fulfilled' ? each.value.close() : undefined)));
  };
  /** @param {OptionValues} values */
  const targetOf = (values) => {
    const { local, faults, publicUrl, client } = values;
    const ofStore = STORE_OPTIONS.map((name) => values[name]);
    const key = JSON.stringify([...ofStore, local, faults, publicUrl, OWN_ADDRESS.includes(client) && client]);
    const target = targets.get(key) ?? openTarget(values, context.env, { invocation, signal });
    targets.set(key, target);
    return target;
  };
  /** @type {PreparedCell[]} */
  const prepared = [];
  const found = [];
  let hint = '';
  try {
    for (const { label, options, buckets: count } of cells) {
      const checks = new Checks();
      const { values } = readRunOptions(options);
      const isTooLarge = values.local && (await checks.run(() => checkLocalLimits(values))) === null;
      const target = isTooLarge || (values.local && !areTurns) ? null : await checks.run(() => targetOf(values));
      const buckets = bucketsOf(count, values, target, checks);
      const known = values.local && !areTurns ? { ...LOCAL_STORE, buckets: values.bucket ?? ['local'] } : target?.store;
      const store = known === undefined ? null : { ...known, buckets: buckets ?? known.buckets };
      const resolving = {
        store,
        availableCores: availableCores(),
        turn: areTurns ? { isFirst: false } : undefined,
        ...context,
      };
      const config = await checks.run(() => resolve(values, resolving));
      if (config !== null) {
        await checks.run(() => checkFileLimit(config.load, config.store));
        const own = { store: 'env', ...options, ...(buckets === null ? {} : { bucket: buckets }) };
        prepared.push({ label, options: /** @type {RunOptions} */ (own), values, config, target });
      }
      found.push({ label, problems: checks.problems });
      hint ||= checks.hint;
    }
    refuseIfAny(problemsOfAll(found), hint);
  } catch (error) {
    await close();
    throw error;
  }
  if (!areTurns) {
    await close();
  }
  return { cells: prepared, close };
}

/**
 * @param {number | undefined} count
 * @param {OptionValues} values
 * @param {Target | null} target null for --local, or if it has problems
 * @param {Checks} checks
 * @returns {string[] | null} null if the number of buckets does not vary
 */
function bucketsOf(count, { bucket, local }, target, checks) {
  if (count === undefined) {
    return null;
  }
  const numbered =
    local && bucket === undefined ? Array.from({ length: count }, (_, index) => `local-${index + 1}`) : null;
  const names = numbered ?? target?.store.buckets ?? bucket ?? [];
  if (names.length < count && (target !== null || local) && checks.problems.length === 0) {
    checks.add(
      `--vary ${BUCKETS}: expected at most ${names.length}, the number of buckets in S3_BUCKET or --bucket, got ${count}`,
    );
  }
  return names.slice(0, count);
}
