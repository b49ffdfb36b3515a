import { once } from 'node:events';
import { leftIn } from './checks.js';
import { FAULTS, TIMEOUT, readAll, readResult, startTool, withStore } from './part.js';

/** @import { Check } from './checks.js' */

const MIX = 'read=45,range=5,write=25,stat=10,copy=5,remove=10';

/** Few enough that each object is rewritten and removed many times. */
const OBJECTS = 20_000;

const THREADS = 100;

/** Shows that the mixed stage, which runs for much longer, has begun and can be killed. */
const HAS_BEGUN = /: Mixed read: Ops [1-9]/;

/** Adds definite refusals, after which a key keeps its version. */
const MIXED_FAULTS = `${FAULTS}, PUT.status=429:1%, PUT.status=400/BadDigest:0.5%`;

/**
 * @typedef {object} MixedOutcome
 * @property {Check[]} checks
 * @property {number} operations in the mixed stage
 * @property {number} duration ms
 */

/**
 * Mixes operations over constantly rewritten objects, at an endpoint that injects faults. Then starts the same run again, kills
 * it halfway, and cleans up.
 *
 * @param {object} part
 * @param {number} part.seconds per stage
 * @param {number} part.seed for the faults
 * @param {'direct' | 'sdk'} part.client
 * @param {number} [part.objects]
 * @returns {Promise<MixedOutcome>}
 */
export function runMixedPart({ seconds, seed, client, objects = OBJECTS }) {
  const startedAt = performance.now();
  const load = [`${objects}`, `${THREADS}`, '--mix', MIX, '--size', '1KiB', '--range-size', '100'];
  const time = ['--duration', `${seconds}s`, '--gap', '1s', '--timeout', TIMEOUT, '--client', client, '--cores', '2'];
  return withStore(`seed=${seed}, ${MIXED_FAULTS}`, async (place) => {
    const { endpoint, json } = place;
    const whole = await endOf(startTool([...load, ...time, '--json', json], place));
    const result = readResult(json, whole.status, whole.stderr);
    const mixed = result.stages.find((/** @type {any} */ { stage }) => stage === 'Mixed');
    const afterRun = leftIn(await endpoint.report());

    const child = startTool([...load, ...time, '--run-id', 'killed'], place);
    child.stdout.setEncoding('utf8').on('data', (text) => HAS_BEGUN.test(text) && child.kill('SIGKILL'));
    child.stderr.resume();
    await once(child, 'close');
    const afterKill = leftIn(await endpoint.report());
    const cleanup = await endOf(startTool(['cleanup', 'killed', '--timeout', TIMEOUT], place));
    const left = { afterRun, afterKill, afterCleanup: leftIn(await endpoint.report()) };
    return {
      checks: checksOf({ mixed, whole, cleanup, left }),
      operations: mixed?.operations ?? 0,
      duration: performance.now() - startedAt,
    };
  });
}

/**
 * @param {object} parts
 * @param {any} parts.mixed the stage
 * @param {{ status: number | null, stderr: string }} parts.whole
 * @param {{ status: number | null, stderr: string }} parts.cleanup
 * @param {{ afterRun: number, afterKill: number, afterCleanup: number }} parts.left objects counted by the store
 * @returns {Check[]}
 */
function checksOf({ mixed, whole, cleanup, left }) {
  const { operations, attempts, errors, kinds } = mixed;
  const { integrityErrors, staleReads, foreignReads, tornReads } = mixed;
  const failures = Object.values(errors).reduce((/** @type {number} */ sum, count) => sum + Number(count), 0);
  const shares = MIX.split(',').map((part) => part.split('='));
  const isExact = shares.every(([name, share]) => {
    const kind = kinds.find((/** @type {any} */ { operation }) => operation === name);
    const ended = kind.operations + kind.failed + kind.abandoned + kind.integrityErrors;
    return Math.abs((100 * ended) / operations - Number(share)) < 1;
  });
  return [
    {
      claim: 'no version that was read is reported as an error',
      holds: integrityErrors === 0,
      figures: `${integrityErrors} integrity errors: ${staleReads} stale, ${foreignReads} foreign, ${tornReads} torn`,
    },
    {
      claim: 'every attempt is counted',
      holds: attempts === operations + failures,
      figures: `${operations} operations, ${attempts} attempts, ${failures} failures`,
    },
    {
      claim: 'each kind has its share, within 1%',
      holds: isExact,
      figures: kinds.map((/** @type {any} */ kind) => `${kind.operations} ${kind.operation}`).join(', '),
    },
    {
      claim: 'nothing is left after the run',
      holds: left.afterRun === 0,
      figures: `${left.afterRun} objects, status ${whole.status}`,
    },
    {
      claim: 'nothing is left after cleanup of a killed run',
      holds: left.afterKill > 0 && left.afterCleanup === 0 && cleanup.status === 0,
      figures: `${left.afterKill} objects after SIGKILL, ${left.afterCleanup} after cleanup, status ${cleanup.status}`,
    },
  ];
}

/** @param {ReturnType<typeof startTool>} child */
async function endOf(child) {
  child.stdout.resume();
  const [stderr, [status]] = await Promise.all([readAll(child.stderr), once(child, 'close')]);
  return { status: /** @type {number | null} */ (status), stderr };
}
