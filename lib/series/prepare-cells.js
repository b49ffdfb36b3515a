import { availableCores } from '../host/cpu-quota.js';
import { resolve } from '../options/resolve.js';
import { readRunOptions } from '../options/run-options.js';
import { STORE_OPTIONS } from '../options/table.js';
import { Checks } from '../options/usage-error.js';
import { openTarget } from '../store/target.js';
import { optionsOfCell } from './sweep-plan.js';
import { BUCKETS } from './variables.js';

/**
 * @import { SweepCell, SweepPlan } from './sweep-plan.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { RunOptions } from '../run/run-options.js'
 * @import { Invocation } from '../store/environment.js'
 * @import { Target } from '../store/target.js'
 *
 * @typedef {{ env: NodeJS.ProcessEnv, now: number, random: () => number, invocation: Invocation,
 *   signal: AbortSignal }} CellContext `now` in epoch ms; `random` uniform in [0, 1); for `signal` see openTarget
 * @typedef {SweepCell & { options: RunOptions, values: OptionValues, config: ReturnType<typeof resolve>,
 *   target: Target | null }} PreparedCell `target` is closed; it and the store of `config` are null with --local, whose
 *   endpoint starts with each run
 */

/**
 * Finds the store of each cell, without contacting it, and the buckets that the cell uses.
 *
 * @param {SweepPlan} plan
 * @param {CellContext} context
 * @returns {Promise<PreparedCell[]>}
 * @throws {UsageError} with every problem
 */
export async function prepareCells(plan, { invocation, signal, ...context }) {
  const checks = new Checks();
  /** By the options that select the store. @type {Map<string, Target | null>} */
  const targets = new Map();
  /** @param {OptionValues} values */
  const targetOf = async (values) => {
    if (values.local) {
      return null;
    }
    const key = JSON.stringify([...STORE_OPTIONS.map((name) => values[name]), values.publicUrl, values.client]);
    if (!targets.has(key)) {
      targets.set(key, await checks.run(() => openTarget(values, context.env, { invocation, signal })));
    }
    return targets.get(key) ?? null;
  };
  /** @type {PreparedCell[]} */
  const prepared = [];
  try {
    for (const cell of plan.cells) {
      const options = optionsOfCell(plan, cell);
      const { values } = readRunOptions(options);
      const target = await targetOf(values);
      const buckets = bucketsOf(cell, values, target, checks);
      const store = target && { ...target.store, buckets: buckets ?? target.store.buckets };
      const config = await checks.run(() => resolve(values, { store, availableCores: availableCores(), ...context }));
      if (config !== null) {
        const own = { store: 'env', ...options, ...(buckets === null ? {} : { bucket: buckets }) };
        prepared.push({ ...cell, options: /** @type {RunOptions} */ (own), values, config, target });
      }
    }
  } finally {
    await Promise.all([...targets.values()].map((target) => target?.close()));
  }
  checks.conclude();
  return prepared;
}

/**
 * @param {SweepCell} cell
 * @param {OptionValues} values
 * @param {Target | null} target null for --local, or if it has problems
 * @param {Checks} checks
 * @returns {string[] | null} null if the number of buckets does not vary
 */
function bucketsOf({ settings: { [BUCKETS]: given } }, { bucket, local }, target, checks) {
  if (given === undefined) {
    return null;
  }
  const count = Number(given);
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
