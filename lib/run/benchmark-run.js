import { formatSizes } from '../workload/size-distribution.js';
import { keptSizeProblem } from '../preflight/kept-size.js';
import { listExisting } from '../preflight/list-existing.js';
import { TimeBudget } from '../preflight/time-budget.js';
import { WriteChecks } from '../preflight/write-checks.js';
import { beginRun, checkStore } from './begin-run.js';
import { openRun } from './open-run.js';
import { PHASES, Phases } from './phases.js';
import { reportCopies } from './copies-in-cache.js';
import { removeLeftovers } from './remove-leftovers.js';
import { openRunClock } from './run-clock.js';
import { runFacts } from './run-facts.js';
import { RampsPlan } from './ramps-plan.js';
import { planContext, runPlan } from './run-plan.js';
import { SearchesPlan } from './searches-plan.js';
import { StagesPlan } from './stages-plan.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { LiveCredentials } from '../s3/live-credentials.js'
 * @import { Config } from '../model/config.js'
 * @import { RunResult } from '../model/result.js'
 * @import { RunObserver } from '../model/run-events.js'
 * @import { Plan, PlanContext } from './plan.js'
 * @import { BegunSession, Session } from './session.js'
 */

/**
 * What a run is given from outside.
 *
 * @typedef {object} RunSurroundings
 * @property {Clock} clock
 * @property {() => number} random uniform in [0, 1)
 * @property {AbortSignal} signal ends the run early
 * @property {{ host: string, versions: Record<string, string> }} identity of the host that runs it
 * @property {RunObserver} observer
 * @property {number} launchedAt monotonic ms at which the process was started
 * @property {LiveCredentials} [credentials] that may be replaced; without, those of the store
 * @property {() => boolean} [isShared] see Session; without, the process has nothing else to do
 */

/**
 * Runs the stages in their order and leaves the buckets as they were.
 *
 * @param {Config} config
 * @param {RunSurroundings} surroundings
 * @returns {Promise<RunResult>}
 */
export function runBenchmark(config, surroundings) {
  return withRun(config, surroundings, measure);
}

/**
 * Opens a run, sees whether its store is ready, lets it work, and leaves the buckets as they were.
 *
 * @param {Config} config
 * @param {RunSurroundings} surroundings
 * @param {(begun: BegunSession) => Promise<void>} work is left out where the run may not begin
 * @returns {Promise<RunResult>}
 */
export async function withRun(config, surroundings, work) {
  const session = await openSession(config, surroundings);
  const { run, result, runClock } = session;
  try {
    try {
      const ready = await examineStore(session);
      const begun = ready && (await beginRun(ready));
      if (begun !== null) {
        await work(begun);
      }
    } finally {
      await runClock.stop();
    }
  } catch (error) {
    result.crash = error;
  }
  try {
    await run.closeWorkers();
    await removeLeftovers(session);
    await reportCopies(session);
  } finally {
    await run.close();
  }
  return result;
}

/**
 * @param {Config} config
 * @param {RunSurroundings} surroundings
 * @returns {Promise<Session>}
 */
async function openSession(config, surroundings) {
  const { clock, random, signal, identity, observer, launchedAt, credentials, isShared = () => false } = surroundings;
  const run = await openRun(config, { clock, random, credentials, notice: (message) => observer.notice(message) });
  try {
    return {
      ...{ config, run, signal, observer, launchedAt, isShared },
      checks: new WriteChecks(run, config, signal),
      runClock: openRunClock(config, run, observer),
      phases: new Phases(clock.now, observer, launchedAt),
      timeBudget: new TimeBudget(clock.now),
      result: {
        facts: runFacts({ config, ...identity, startedAt: clock.epochNow(), clock: null }),
        problems: [],
        mayPass: false,
        existing: null,
        kept: 0,
        stages: [],
        cleanup: null,
        requests: run.requests,
        crash: null,
      },
    };
  } catch (error) {
    await run.close();
    throw error;
  }
}

/**
 * Finds out whether the run may begin: by preflight, and by what is there already.
 *
 * @param {Session} given
 * @returns {Promise<Session | null>} null where it may not
 */
async function examineStore(given) {
  const session = await withListed(given);
  const { config, run, signal, observer, checks, result } = session;
  const isRefused = () => result.problems.length > 0 || signal.aborted;
  if (isRefused()) {
    return null;
  }
  const { problems, mayPass, notices } = await checkStore(session);
  result.problems.push(...problems);
  if (!isRefused()) {
    await checks.mayWrite();
    const sizeProblem = await keptSizeProblem(run, config, signal);
    result.problems.push(...(sizeProblem === null ? [] : [sizeProblem]));
  }
  result.problems.push(...checks.problems);
  result.mayPass = mayPass && checks.problems.length === 0;
  result.existing = checks.existing;
  [...notices, ...(isRefused() ? [] : checks.notices)].forEach((notice) => observer.notice(notice));
  return isRefused() ? null : session;
}

/**
 * A run on existing objects goes on with as many as there are, of the sizes that they have.
 *
 * @param {Session} session
 * @returns {Promise<Session>} the same for any other run
 */
async function withListed(session) {
  const { config, run, signal, observer, phases, result } = session;
  const { existing } = config.objects;
  if (existing === undefined) {
    return session;
  }
  const list = () => listExisting(run, config, existing, signal, (message) => observer.notice(message));
  const { listed, problems, mayPass, notices } = await phases.during(PHASES.list, list);
  result.problems.push(...problems);
  result.mayPass = mayPass;
  if (listed === null) {
    return session;
  }
  notices.forEach((notice) => observer.notice(notice));
  run.listed = listed;
  const { count, largest: size, sizes } = listed;
  const shown = { objects: count, size, ...(sizes === undefined ? {} : { sizes: formatSizes(sizes) }) };
  result.facts = { ...result.facts, options: { ...result.facts.options, ...shown } };
  return { ...session, config: { ...config, objects: { ...config.objects, count, size, sizes } } };
}

/** @param {BegunSession} session */
async function measure(session) {
  const { config, run, result } = session;
  const plan = planOf(config, planContext(session));
  try {
    await runPlan(plan, session);
  } finally {
    const isKept = config.objects.keep && run.wroteObjects;
    result.kept = isKept ? Math.min(run.written.end, plan.wholeObjects ?? Infinity) : 0;
  }
}

/**
 * @param {Config} config
 * @param {PlanContext} context
 * @returns {Plan}
 */
function planOf({ search, schedule: { ramp } }, context) {
  if (search !== null) {
    return new SearchesPlan(context, search);
  }
  return ramp === undefined ? new StagesPlan(context) : new RampsPlan(context, ramp);
}
