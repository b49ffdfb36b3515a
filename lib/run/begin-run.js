import { formatDuration } from '../log/units.js';
import { askForAbsentObject } from './absent-object.js';
import { pause } from './pause.js';
import { LONGEST_WAIT_MS } from './start-time.js';
import { StoreClock } from './store-clock.js';

const MINUTE_MS = 60_000;

/** A start that is later than this by the store's clock is told. */
const PUNCTUAL_MS = 50;

/** Connections that were closed during the wait are opened anew so long before its end. */
const TOP_UP_MS = 3000;

const LONGEST_TIMER_MS = 3_600_000;

/** What is known of the clock of a store on this host: it is the same. */
const SAME_CLOCK = Object.freeze({ offset: 0, uncertainty: 0 });

/**
 * Sets the run's clock by the store's, and goes on watching it.
 *
 * @param {import('./run-config.js').RunConfig} config
 * @param {import('./open-run.js').OpenRun} run
 * @param {AbortSignal} signal ends measuring
 * @returns {Promise<{ facts: () => import('./store-clock.js').ClockFacts | null, stop: () => Promise<void> }>}
 */
export async function startStoreClock({ store }, run, signal) {
  if (store.isEmbedded) {
    return { facts: () => SAME_CLOCK, stop: async () => {} };
  }
  const [bucket] = store.buckets;
  const storeClock = new StoreClock({
    clock: run.clock,
    // The clock is watched while the first one carries the probe's operations.
    connections: run.attendants.slice(1),
    ask: async (connection, until) => {
      run.requests.clock += 1;
      const { error } = await askForAbsentObject({ run, connection, bucket, mostAttempts: 1, signal: until });
      return error?.serverTime ?? 0;
    },
  });
  await storeClock.measure(signal);
  const watching = new AbortController();
  const watched = storeClock.watch(watching.signal);
  return {
    facts: () => storeClock.facts,
    async stop() {
      watching.abort();
      await watched;
    },
  };
}

/**
 * @param {import('./run-config.js').RunConfig} config
 * @param {import('../meter/clock.js').Clock} clock that has been set
 * @returns {{ startsAt: number | null, problem: string | null }} epoch ms, null where the run starts as soon as it can
 */
export function chooseStart({ startAt }, clock) {
  if (startAt === undefined) {
    return { startsAt: null, problem: null };
  }
  const now = clock.epochNow();
  const startsAt = startAt(now);
  return { startsAt, problem: startProblem(startsAt, startsAt - now) };
}

/**
 * @param {number} startsAt epoch ms
 * @param {number} wait ms until then
 * @returns {string | null}
 */
function startProblem(startsAt, wait) {
  if (wait < 0) {
    const late = wait > -MINUTE_MS ? `${(-wait / 1000).toFixed(1)}s` : formatDuration(-wait);
    return `--start-at: ${formatTime(startsAt)} was ${late} ago by the store's clock`;
  }
  if (wait > LONGEST_WAIT_MS) {
    const longest = formatDuration(LONGEST_WAIT_MS);
    return `--start-at: ${formatTime(startsAt)} is more than ${longest} ahead by the store's clock`;
  }
  return null;
}

/**
 * Opens the cores and their threads' connections.
 *
 * @param {import('./run-config.js').RunConfig} config
 * @param {import('./open-run.js').OpenRun} run
 * @param {AbortSignal} signal gives up
 * @param {import('./benchmark-run.js').RunObserver} observer
 * @returns {Promise<import('../engine/cores.js').Cores>}
 */
export async function openCores({ keepAlive, threads }, run, signal, observer) {
  const cores = await run.openCores();
  if (keepAlive) {
    const { failed, reason } = await cores.openConnections(signal);
    if (failed > 0 && !signal.aborted) {
      observer.notice(
        `${failed} of ${threads} connections could not be opened ahead (${reason}): they are opened when they are first needed`,
      );
    }
  }
  return cores;
}

/**
 * Waits for the moment at which all hosts start.
 *
 * @param {number | null} startsAt epoch ms
 * @param {import('../meter/clock.js').Clock} clock
 * @param {AbortSignal} signal ends the wait
 * @param {import('./benchmark-run.js').RunObserver} observer
 * @param {Pick<import('../engine/cores.js').Cores, 'openConnections'> | null} cores whose connections the store may close
 *   meanwhile; null where none are kept
 * @returns {Promise<number>} the moment in monotonic ms: the one that was agreed on, even where it has passed, so that
 *   later stages start together all the same
 */
export async function waitForStart(startsAt, clock, signal, observer, cores) {
  if (startsAt === null) {
    return clock.now();
  }
  const left = startsAt - clock.epochNow();
  const moment = clock.now() + left;
  if (left < -PUNCTUAL_MS) {
    observer.notice(`Starting ${(-left / 1000).toFixed(1)}s late: the connections took that long to open`);
  } else {
    observer.notice(
      `Waiting for ${formatTime(startsAt)}, in ${(Math.max(left, 0) / 1000).toFixed(1)}s by the store's clock`,
    );
  }
  await waitUntil(moment - TOP_UP_MS, clock, signal);
  if (clock.now() < moment) {
    // A store does not keep connections for ever that carry nothing.
    await cores?.openConnections(signal);
  }
  await waitUntil(moment, clock, signal);
  return moment;
}

/**
 * @param {number} moment monotonic ms
 * @param {import('../meter/clock.js').Clock} clock
 * @param {AbortSignal} signal ends the wait
 */
export async function waitUntil(moment, clock, signal) {
  // A timer may fire a little early, and takes no more than some weeks.
  while (moment > clock.now() && !signal.aborted) {
    await pause(Math.min(moment - clock.now(), LONGEST_TIMER_MS), signal);
  }
}

/** @param {number} epoch ms */
function formatTime(epoch) {
  return new Date(epoch).toISOString();
}
