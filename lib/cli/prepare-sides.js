import { isDeepStrictEqual } from 'node:util';
import { dollarsOf } from '../cost/prices.js';
import { connectionsFor } from '../operations/multipart.js';
import { operationsOf } from '../operations/registry.js';
import { passesOf } from '../run/interleaved-runs.js';
import { STORE_OPTIONS } from '../options/table.js';
import { STANDARD_OUTPUT } from '../options/values.js';
import { ReportFile } from './output-file.js';
import { laterOf } from './later-commands.js';
import { openTarget } from '../store/target.js';
import { checkFileLimit, prepareRun } from '../run/prepare-run.js';
import { makeRunId } from '../options/resolve.js';
import { linesOfSides } from './sides.js';
import { Checks, UsageError, refuseIfAny } from '../options/usage-error.js';

/**
 * @import { Side } from '../model/interleaved.js'
 * @import { Config } from '../model/config.js'
 * @import { AbOptions, CommandLine } from './command-line.js'
 * @import { Invocation } from '../store/environment.js'
 * @import { Later } from './later-commands.js'
 * @import { Target } from '../store/target.js'
 *
 * @typedef {object} PreparedSides
 * @property {Readonly<Record<Side, { target: Target, config: Config, later: Later }>>} sides
 * @property {ReportFile | null} jsonFile null without --json, or for stdout
 * @property {ReportFile | null} reportFile null without --report, or for stdout
 * @property {() => Promise<void>} close
 */

/** A run keeps four bytes per object: 1 GB in total. */
const MAX_TRACKED_OBJECTS = 250_000_000;

/**
 * Prepares both sides without contacting the stores, as `prepare` does for a run.
 *
 * @param {AbOptions} options
 * @param {SideContext} context
 * @returns {Promise<PreparedSides>}
 * @throws {UsageError} with every problem
 */
export async function prepareSides(options, context) {
  const { json, report } = options;
  const checks = { a: new Checks(), b: new Checks(), both: new Checks() };
  /** @type {Partial<Record<Side, { target: Target, config: Config }>>} */
  const opened = {};
  /** @type {(ReportFile | null)[]} */
  const files = [];
  const close = async () => {
    files.forEach((file) => file?.discard());
    await Promise.all([...new Set(Object.values(opened).map(({ target }) => target))].map((target) => target.close()));
  };
  try {
    await checks.both.run(() => checkObjects(options));
    for (const [flag, file] of [
      ['--json', json],
      ['--report', report],
    ]) {
      const isFile = file !== undefined && file !== STANDARD_OUTPUT;
      files.push(isFile ? await checks.both.run(() => new ReportFile(file, String(flag))) : null);
    }
    const runId = options.a.options.runId ?? makeRunId(context.now, context.random);
    for (const side of /** @type {const} */ (['a', 'b'])) {
      const { options: own } = options[side];
      const prepared = await checks[side].run(async () => {
        const shared = side === 'b' && sharesStore(options) ? opened.a?.target : undefined;
        const target =
          shared ?? (await openTarget({ ...own, objects: objectsAtOnce(own, options.quads) }, context.env, context));
        try {
          return await prepareRun(
            { ...own, runId: `${runId}-${side}` },
            { ...context, target, passes: passesOf(options.quads) },
          );
        } catch (error) {
          await (shared === undefined ? target.close() : undefined);
          throw error;
        }
      });
      if (prepared !== null) {
        opened[side] = prepared;
      }
    }
    const { a, b } = opened;
    if (a !== undefined && b !== undefined) {
      const [ofA, ofB] = [a.config.load, b.config.load];
      const both = { threads: connectionsFor(ofA) + connectionsFor(ofB), cores: ofA.cores + ofB.cores };
      await checks.both.run(() => checkFileLimit(both));
      await checks.both.run(() => checkCostOfBoth([a.config, b.config], options.maxCost));
    }
    const problems = [...checks.both.problems, ...linesOfSides(checks.a.problems, checks.b.problems)];
    refuseIfAny(problems, checks.a.hint || checks.b.hint);
    const sideOf = (/** @type {Side} */ side) => {
      const { target, config } = /** @type {{ target: Target, config: Config }} */ (opened[side]);
      return { target, config, later: laterOf(options[side].options, target.overrides, context.invocation) };
    };
    return { sides: { a: sideOf('a'), b: sideOf('b') }, jsonFile: files[0], reportFile: files[1], close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @typedef {{ env: NodeJS.ProcessEnv, now: number, random: () => number, invocation: Invocation,
 *   signal: AbortSignal }} SideContext `now` in epoch ms; `random` uniform in [0, 1); for `signal` see openTarget
 */

/** Whether one target, such as a single --local endpoint, serves both sides. @param {AbOptions} options */
function sharesStore({ a, b }) {
  const hasOwnAddress = [a, b].some(({ options: { client } }) => client === 'edge' || client === 'public');
  const isSameKind = a.options.client === b.options.client || !hasOwnAddress;
  const names = [...STORE_OPTIONS, /** @type {const} */ ('faults'), /** @type {const} */ ('publicUrl')];
  return isSameKind && names.every((name) => isDeepStrictEqual(a.options[name], b.options[name]));
}

/**
 * @param {AbOptions} options
 * @throws {UsageError} if tracking the objects of all turns would take too much memory
 */
function checkObjects({ a, quads }) {
  const turns = 2 * passesOf(quads);
  const most = Math.floor(MAX_TRACKED_OBJECTS / turns);
  if (a.options.objects > most) {
    throw new UsageError([
      `<objects>: ${turns} turns with ${a.options.objects} each would take too much memory: expected at most ${most} with --quads ${quads}, or fewer quads`,
    ]);
  }
}

/**
 * @param {CommandLine} options
 * @param {number} quads
 * @returns {number} the maximum number of objects in a store at any time
 */
function objectsAtOnce({ objects, stages }, quads) {
  return operationsOf(stages).some(({ removes }) => removes) ? objects : 2 * passesOf(quads) * objects;
}

/**
 * @param {readonly Config[]} configs
 * @param {number | undefined} maxCost dollars
 * @throws {UsageError} if all passes together exceed the cost limit
 */
function checkCostOfBoth(configs, maxCost) {
  if (maxCost === undefined) {
    return;
  }
  if (configs.some(({ schedule }) => schedule.duration !== undefined)) {
    throw new UsageError([
      '--max-cost: the cost of turns with --duration cannot be known in advance: omit one of the two options',
    ]);
  }
  const dollars = configs.reduce((sum, config) => sum + dollarsOf(config), 0);
  if (dollars > maxCost) {
    throw new UsageError([
      `--max-cost: all turns would cost $${dollars.toFixed(4)} at R2's list prices, more than $${maxCost}: use fewer <objects> or --quads, or raise the limit`,
    ]);
  }
}
