import { formatSizes } from '../workload/size-distribution.js';
import { keptSizeProblem } from '../preflight/kept-size.js';
import { listExisting } from '../preflight/list-existing.js';
import { TimeBudget } from '../preflight/time-budget.js';
import { WriteChecks } from '../preflight/write-checks.js';
import { beginRun, checkStore } from './begin-run.js';
import { openRun } from './open-run.js';
import { PHASES, Phases } from './phases.js';
import { reportCopies } from './copies-in-cache.js';
import { reconcile } from './reconcile.js';
import { openRunClock } from './run-clock.js';
import { runFacts } from './run-facts.js';
import { planContext, runPlan } from './run-plan.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { LiveCredentials } from '../s3/live-credentials.js'
 * @import { Config } from '../model/config.js'
 * @import { RunResult } from '../model/result.js'
 * @import { RunObserver } from '../model/run-events.js'
 * @import { Plan, PlanContext } from './plan.js'
 * @import { BegunSession, Session } from './session.js'
 */

/** @typedef {(context: PlanContext) => Plan} Planner */

/**
 * @typedef {object} RunDeps
 * @property {Clock} clock
 * @property {() => number} random uniform in [0, 1)
 * @property {AbortSignal} signal ends the run early
 * @property {{ host: string, versions: Record<string, string> }} identity of this host
 * @property {RunObserver} observer
 * @property {number} launchedAt monotonic ms at which the process was started
 * @property {LiveCredentials} [credentials] renewable credentials; default: the store's
 * @property {() => boolean} [isShared] see Session; default: never
 * @property {Session['earlier']} [earlier]
 */

/**
 * @param {Config} config
 * @param {RunDeps} deps
 * @returns {Promise<RunResult>}
 */
export async function runBenchmark(config, deps) {
  const openPlan = await plannerOf(config);
  const session = await openSession(config, deps);
  const { run, result, runClock } = session;
  try {
    try {
      const ready = await examineStore(session);
      const begun = ready && (await beginRun(ready));
      if (begun !== null) {
        await measure(begun, openPlan);
      }
    } finally {
      await runClock.stop();
    }
  } catch (error) {
    result.crash = error;
  }
  try {
    await run.closeWorkers();
    await reconcile(session);
    await reportCopies(session);
  } finally {
    await run.close();
  }
  return result;
}

/**
 * @param {Config} config
 * @param {RunDeps} deps
 * @returns {Promise<Session>}
 */
async function openSession(config, deps) {
  const { clock, random, signal, identity, observer, launchedAt, credentials } = deps;
  const { isShared = () => false, earlier = null } = deps;
  const run = await openRun(config, { clock, random, credentials, notice: (message) => observer.notice(message) });
  try {
    return {
      config,
      run,
      signal,
      observer,
      launchedAt,
      isShared,
      earlier,
      checks: new WriteChecks(run, config, signal),
      runClock: openRunClock(config, run, observer, earlier?.clock ?? null),
      phases: new Phases(clock.now, observer, launchedAt),
      timeBudget: new TimeBudget(clock.now),
      result: {
        facts: runFacts({ config, ...identity, startedAt: clock.epochNow(), clock: null }),
        problems: [],
        isTransient: false,
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
 * Runs preflight, then looks for existing objects.
 *
 * @param {Session} given
 * @returns {Promise<Session | null>} null if the run must not begin
 */
async function examineStore(given) {
  const session = await withListed(given);
  const { config, run, signal, observer, checks, result } = session;
  const isRefused = () => result.problems.length > 0 || signal.aborted;
  if (isRefused()) {
    return null;
  }
  const { problems, isTransient, notices } = await checkStore(session);
  result.problems.push(...problems);
  if (!isRefused()) {
    await checks.mayWrite();
    const sizeProblem = await keptSizeProblem(run, config, signal);
    result.problems.push(...(sizeProblem === null ? [] : [sizeProblem]));
  }
  result.problems.push(...checks.problems);
  result.isTransient = isTransient && checks.problems.length === 0;
  result.existing = checks.existing;
  [...notices, ...(isRefused() ? [] : checks.notices)].forEach((notice) => observer.notice(notice));
  return isRefused() ? null : session;
}

/**
 * A run on existing objects uses all listed objects at their listed sizes.
 *
 * @param {Session} session
 * @returns {Promise<Session>} unchanged for any other run
 */
async function withListed(session) {
  const { config, run, signal, observer, phases, result } = session;
  const { existing } = config.objects;
  if (existing === undefined) {
    return session;
  }
  const list = () => listExisting(run, config, existing, signal, (message) => observer.notice(message));
  const { listed, problems, isTransient, notices } = await phases.during(PHASES.list, list);
  result.problems.push(...problems);
  result.isTransient = isTransient;
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

/**
 * @param {BegunSession} session
 * @param {Planner} openPlan
 */
async function measure(session, openPlan) {
  const { config, run, result } = session;
  let { firstStageAt } = session;
  if (config.schedule.warmupObjects > 0) {
    if (!(await warmUp(session))) {
      return;
    }
    firstStageAt = run.clock.now();
  }
  const plan = openPlan(planContext({ ...session, firstStageAt }));
  try {
    await runPlan(plan, session);
  } finally {
    const isKept = config.objects.keep && run.wroteObjects;
    result.kept = isKept ? Math.min(run.ledger.end, plan.wholeObjects ?? Infinity) : 0;
  }
}

/**
 * Runs all stages on a few objects of their own, so that neither connections nor code are cold when they are measured.
 *
 * @param {BegunSession} session
 * @returns {Promise<boolean>} whether all of them completed
 */
async function warmUp(session) {
  const { config, observer } = session;
  const { warmupObjects: count } = config.schedule;
  const few = {
    ...config,
    objects: { ...config.objects, count },
    load: { ...config.load, rate: undefined },
    schedule: { ...config.schedule, duration: undefined, minDuration: 0 },
  };
  const { StagesPlan } = await import('./stages-plan.js');
  const unseen = { ...observer, stageStarts() {}, second() {}, progress() {}, snapshot() {}, stage() {} };
  const warming = { ...session, config: few, observer: unseen };
  const isWarm = await runPlan(new StagesPlan(planContext(warming), config.objects.count), warming);
  session.result.stages = [];
  return isWarm;
}

/**
 * Loads only the plan that is needed. Loads it before connections are opened, which might exhaust the open-file limit.
 *
 * @param {Config} config
 * @returns {Promise<Planner>}
 */
async function plannerOf({ search, schedule: { ramp } }) {
  if (search === null && ramp === undefined) {
    const { StagesPlan } = await import('./stages-plan.js');
    return (context) => new StagesPlan(context);
  }
  const { StepsPlan } = await import('./steps-plan.js');
  const Policy =
    search === null ? (await import('./ramp-steps.js')).RampSteps : (await import('./search-steps.js')).SearchSteps;
  return (context) => new StepsPlan(context, Policy);
}
