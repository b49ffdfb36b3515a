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
import { checkFileLimit, configOf, withStore } from '../run/prepare-run.js';
import { makeRunId } from '../options/resolve.js';
import { linesOfSides } from './sides.js';
import { Checks, UsageError, refuseIfAny } from '../options/usage-error.js';

/**
 * @import { Side } from '../model/interleaved.js'
 * @import { Config } from '../model/config.js'
 * @import { AbOptions, CommandLine } from './command-line.js'
 * @import { Invocation } from '../store/hint.js'
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
  /** @type {Record<Side, Target | null>} */
  const targets = { a: null, b: null };
  /** @type {ReportFile | null} */
  let jsonFile = null;
  /** @type {ReportFile | null} */
  let reportFile = null;
  const close = async () => {
    jsonFile?.discard();
    reportFile?.discard();
    await Promise.all([...new Set(Object.values(targets))].map((target) => target?.close()));
  };
  try {
    await checks.both.run(() => checkObjects(options));
    await openTargets(targets, options, checks, context);
    if (json !== undefined && json !== STANDARD_OUTPUT) {
      jsonFile = await checks.both.run(() => new ReportFile(json, '--json'));
    }
    if (report !== undefined && report !== STANDARD_OUTPUT) {
      reportFile = await checks.both.run(() => new ReportFile(report, '--report'));
    }
    const runId = options.a.options.runId ?? makeRunId(context.now, context.random);
    const configOfSide = (/** @type {Side} */ side) =>
      configOf(
        { ...options[side].options, runId: `${runId}-${side}` },
        { target: targets[side], passes: passesOf(options.quads), ...context },
        checks[side],
      );
    const [ofA, ofB] = [await configOfSide('a'), await configOfSide('b')];
    if (ofA !== null && ofB !== null) {
      const [threads, cores] = [connectionsFor(ofA.load) + connectionsFor(ofB.load), ofA.load.cores + ofB.load.cores];
      await checks.both.run(() => checkFileLimit({ threads, cores }));
    }
    const [a, b] = [withStore(ofA), withStore(ofB)];
    if (a !== null && b !== null) {
      await checks.both.run(() => checkCostOfBoth([a, b], options.maxCost));
    }
    const problems = [...checks.both.problems, ...linesOfSides(checks.a.problems, checks.b.problems)];
    refuseIfAny(problems, checks.a.hint || checks.b.hint);
    const sides = /** @type {PreparedSides['sides']} */ ({
      a: { target: targets.a, config: a, later: laterOf(options.a.options, targets.a, context.invocation) },
      b: { target: targets.b, config: b, later: laterOf(options.b.options, targets.b, context.invocation) },
    });
    return { sides, jsonFile, reportFile, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @typedef {{ env: NodeJS.ProcessEnv, now: number, random: () => number, invocation: Invocation,
 *   signal: AbortSignal }} SideContext `now` in epoch ms; `random` uniform in [0, 1); for `signal` see openTarget
 */

/**
 * Opens the targets. Sides with the same store share one target, so a single --local endpoint serves both.
 *
 * @param {Record<Side, Target | null>} targets filled in here; an entry stays null if the checks recorded problems
 * @param {AbOptions} options
 * @param {Record<Side, Checks>} checks
 * @param {SideContext} context
 */
async function openTargets(targets, { a, b, quads }, checks, { env, invocation, signal }) {
  const open = (/** @type {CommandLine} */ options) =>
    openTarget({ ...options, objects: objectsAtOnce(options, quads) }, env, { invocation, signal });
  targets.a = await checks.a.run(() => open(a.options));
  const hasOwnAddress = [a, b].some(({ options: { client } }) => client === 'edge' || client === 'public');
  const isSameKind = a.options.client === b.options.client || !hasOwnAddress;
  const sharesStore =
    isSameKind &&
    [...STORE_OPTIONS, /** @type {const} */ ('faults'), /** @type {const} */ ('publicUrl')].every((name) =>
      isDeepStrictEqual(a.options[name], b.options[name]),
    );
  targets.b = targets.a !== null && sharesStore ? targets.a : await checks.b.run(() => open(b.options));
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
