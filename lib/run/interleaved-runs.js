import { waitUntil } from '../clock/pause.js';
import { withRun } from './benchmark-run.js';
import { PassSchedule, PAUSE_MS, shortestPass, stageTimesOf } from './pass-schedule.js';
import { stagesOf } from '../operations/registry.js';
import { planContext, runPlan } from './run-plan.js';
import { StagesPlan } from './stages-plan.js';
import { TurnsPlan } from './turns-plan.js';

/**
 * @import { Quad, QuadOrder, Side, Turn } from '../model/interleaved.js'
 * @import { RunResult, StageResult } from '../model/result.js'
 * @import { Config } from '../model/config.js'
 * @import { RunDeps } from './benchmark-run.js'
 * @import { BegunSession } from './session.js'
 * @import { PassTimes } from './pass-schedule.js'
 * @import { PlannedTurn } from './turns-plan.js'
 */

/**
 * @typedef {object} InterleavingHooks
 * @property {(shortest: number | null) => void} isReady called when both sides can begin; `shortest`: minimum total
 *   ms of all passes; null if unknown
 * @property {(turn: Turn) => void} passStarts
 * @property {(quad: Quad, index: number) => void} quadEnds
 * @property {() => void} turnsEnd called when only clean-up is left
 */

/**
 * @typedef {object} InterleavedSide
 * @property {Config} config with as many passes as {@link passesOf} returns
 * @property {RunDeps} deps
 *
 * @typedef {object} InterleavedRuns
 * @property {RunResult} a
 * @property {RunResult | null} b null if A was refused before B was opened
 * @property {Quad[]} quads finished quads
 */

/** Passes per side: one to warm up, then two in each quad. @param {number} quads */
export function passesOf(quads) {
  return 2 * quads + 1;
}

/**
 * Runs two setups alternately. Both stay open throughout, so neither has cold code or new connections when its turn
 * comes. Apart from that, each is an ordinary run: it is checked before it writes, and cleaned up afterwards.
 *
 * @param {Readonly<Record<Side, InterleavedSide>>} sides
 * @param {{ orders: readonly QuadOrder[], signal: AbortSignal, hooks: InterleavingHooks }} options one order per quad;
 *   `signal` ends the run early
 * @returns {Promise<InterleavedRuns>}
 */
export async function runInterleaved(sides, { orders, signal, hooks }) {
  /** @type {Quad[]} */
  const quads = [];
  /** @type {RunResult | null} */
  let b = null;
  const a = await withOpenSide(sides.a, async (sideA) => {
    b = await withOpenSide(sides.b, async (sideB) => {
      const open = { a: sideA, b: sideB };
      hooks.isReady(shortestTime([sideA, sideB], passesOf(orders.length)));
      await takeTurns(open, { orders, signal, hooks, quads });
      hooks.turnsEnd();
    });
  });
  return { a, b, quads };
}

/**
 * @param {readonly OpenSide[]} sides
 * @param {number} passes of each
 * @returns {number | null} minimum total ms of all passes; null if unknown
 */
function shortestTime(sides, passes) {
  return sides.reduce((/** @type {number | null} */ sum, { session: { config, unloaded } }) => {
    const pass = shortestPass(stagesOf(config.load), config, unloaded);
    return sum === null || pass === null ? null : sum + passes * pass;
  }, 0);
}

/** @typedef {{ session: BegunSession, passes: number }} OpenSide `passes` begun so far */

/**
 * @param {InterleavedSide} side
 * @param {(open: OpenSide) => Promise<void>} work
 */
function withOpenSide({ config, deps }, work) {
  return withRun(config, deps, (session) => work({ session, passes: 0 }));
}

/**
 * @param {Readonly<Record<Side, OpenSide>>} sides
 * @param {{ orders: readonly QuadOrder[], signal: AbortSignal, hooks: InterleavingHooks, quads: Quad[] }} options
 *   finished quads are added to `quads`
 */
async function takeTurns(sides, { orders, signal, hooks, quads }) {
  const { config, run } = sides.a.session;
  const { clock } = run;
  const plan = new TurnsPlan(orders, new PassSchedule(stagesOf(config.load), config.schedule));
  for (let turn = plan.next(); turn !== null; turn = plan.next()) {
    const { side, quad: index, timeLeft } = turn;
    hooks.passStarts({ side, quad: index, timeLeft });
    const taken = await runTurn(turn, sides[side], signal);
    if (taken === null) {
      return;
    }
    const quad = plan.take(taken.stages, { beganAt: taken.beganAt, endedAt: clock.now() });
    if (quad !== null && index !== null) {
      quads.push(quad);
      hooks.quadEnds(quad, index);
    }
  }
}

/**
 * Records an error in the result of the side whose turn it is, because that result determines the side's clean-up. All
 * turns run inside the run of B, so an error that is thrown would always count for B.
 *
 * @param {PlannedTurn} turn
 * @param {OpenSide} side
 * @param {AbortSignal} signal
 * @returns {Promise<{ beganAt: number, stages: StageResult[] } | null>} `beganAt` in monotonic ms; null if the turn did
 *   not finish
 */
async function runTurn({ startsAt, times }, side, signal) {
  const { session } = side;
  try {
    const beganAt = startsAt === -Infinity ? session.run.clock.now() : await readyAt(session, startsAt, signal);
    const stages = await runPass(side, times, beganAt, signal);
    return stages && { beganAt, stages };
  } catch (error) {
    session.result.crash = error;
    return null;
  }
}

/**
 * Waits for a pass's turn, and reopens connections that the store closed in the meantime.
 *
 * @param {BegunSession} session
 * @param {number} moment monotonic ms
 * @param {AbortSignal} signal
 * @returns {Promise<number>} monotonic ms at which the pass can begin: later than `moment` if the previous pass overran
 *   its slot
 */
async function readyAt({ config, run, phases, workers }, moment, signal) {
  const { clock } = run;
  const prepare = async () => {
    await waitUntil(moment - PAUSE_MS, clock, signal);
    if (config.load.keepAlive && !signal.aborted) {
      await workers.openConnections(signal);
    }
    await waitUntil(moment, clock, signal);
  };
  await phases.during('waiting for its turn', prepare, moment);
  return Math.max(moment, clock.now());
}

/**
 * @param {OpenSide} side
 * @param {PassTimes} times
 * @param {number} startsAt monotonic ms
 * @param {AbortSignal} signal
 * @returns {Promise<StageResult[] | null>} null if the pass did not finish
 */
async function runPass(side, times, startsAt, signal) {
  const { session } = side;
  const { config, result } = session;
  const before = result.stages.length;
  const pass = {
    firstObject: side.passes * config.objects.count,
    timeOf: stageTimesOf(times, startsAt, config.schedule),
  };
  side.passes += 1;
  const isWhole = !signal.aborted && (await runPlan(new StagesPlan(planContext(session), pass), session));
  return isWhole ? result.stages.slice(before) : null;
}
