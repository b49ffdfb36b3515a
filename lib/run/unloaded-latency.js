import { Payload } from '../workload/payload.js';
import { PREFLIGHT_PROBES, globalIndex } from '../workload/shard.js';
import { NOT_FOUND } from '../s3/s3-error.js';
import { askStore } from './ask-store.js';
import { ACTIONS, REQUESTS } from './object-requests.js';

/** As many operations of each stage as a median needs that is not chance. */
const OPERATIONS = 20;

/** The first ones are slower for reasons of the client's own: code that has not run yet, a connection that is opened. */
const OPERATIONS_BEFORE = 5;

/** Where the time is over before there are that many, fewer than these tell nothing. */
const FEWEST_OPERATIONS = 5;

/** A store that is slower is asked less often. */
const LONGEST_TIME_MS = 5000;

const MOST_ATTEMPTS = 3;

/**
 * What an operation takes when there is no other.
 *
 * @typedef {object} UnloadedLatency
 * @property {number} count operations that it was taken from
 * @property {number} p50 ms
 *
 * @typedef {import('./object-requests.js').Action} Action
 */

/**
 * Measures each stage's operation by itself: one thread, one operation after the other, before the run begins and while
 * the store has nothing else of it to do. It works on probes, and removes them; a run that does not write looks at its own
 * objects. What could not be removed again is not written, and nothing is measured.
 *
 * @param {import('./open-run.js').OpenRun} run
 * @param {import('./run-config.js').RunConfig} config
 * @param {AbortSignal} signal gives up
 * @returns {Promise<Map<string, UnloadedLatency>>} by the stage's name in lower case; without those that could not be
 *   measured
 */
export async function measureUnloaded(run, config, signal) {
  const { stages } = config;
  const probe = new Probe(run, config, signal);
  /** @type {Map<string, UnloadedLatency>} */
  const latencies = new Map();
  if (run.wroteObjects && !run.mayRemove) {
    return latencies;
  }
  for (const action of ACTIONS) {
    // What was written is removed, also where no stage removes; what an earlier run has written is not.
    const isNeeded = run.wroteObjects
      ? action === 'remove' || stages.includes(action)
      : action !== 'remove' && stages.includes(action);
    const latency = isNeeded ? await probe.measure(action, run.wroteObjects ? PREFLIGHT_PROBES : 0) : null;
    if (latency !== null && stages.includes(action)) {
      latencies.set(action, latency);
    }
  }
  return latencies;
}

/** One thread's operations, one after the other. */
class Probe {
  #run;
  #config;
  #signal;
  #payload;
  /** Objects of which a write may have been carried out although no answer said so. @type {Set<number>} */
  #uncertain = new Set();

  /**
   * @param {import('./open-run.js').OpenRun} run
   * @param {import('./run-config.js').RunConfig} config
   * @param {AbortSignal} signal
   */
  constructor(run, config, signal) {
    this.#run = run;
    this.#config = config;
    this.#signal = signal;
    this.#payload = new Payload(config.runId);
  }

  /**
   * @param {Action} action
   * @param {number} firstPlace of the probes, or objects, that it works on
   * @returns {Promise<UnloadedLatency | null>}
   */
  async measure(action, firstPlace) {
    const { clock } = this.#run;
    const endsAt = clock.now() + LONGEST_TIME_MS;
    /** @type {number[]} */
    const latencies = [];
    for (let number = 0; number < OPERATIONS_BEFORE + OPERATIONS && !this.#signal.aborted; number++) {
      const { failed, latency } = await this.#time(action, globalIndex(this.#config.shard, firstPlace + number));
      if (latency !== null && number >= OPERATIONS_BEFORE) {
        latencies.push(latency);
      }
      // What was written is removed, however long it takes; what cannot be removed now is left to clean-up.
      if (failed || (clock.now() > endsAt && action !== 'remove')) {
        break;
      }
    }
    latencies.sort((one, other) => one - other);
    return latencies.length < FEWEST_OPERATIONS
      ? null
      : { count: latencies.length, p50: latencies[latencies.length >> 1] };
  }

  /**
   * @param {Action} action
   * @param {number} index of a probe, or of an object where the run does not write
   * @returns {Promise<{ failed: boolean, latency: number | null }>} ms that it took; null where the first attempt did not
   *   succeed: the stage itself will tell what is wrong
   */
  async #time(action, index) {
    const { attendants, clock, requests, probes } = this.#run;
    const [connection] = attendants;
    if (action === 'write') {
      probes.add(index);
    } else if (action === 'remove' && !probes.has(index)) {
      return { failed: false, latency: null };
    }
    const asking = { run: this.#run, connection, mostAttempts: MOST_ATTEMPTS, signal: this.#signal };
    const asked = this.#objectOf(index);
    const startedAt = clock.now();
    const { error, attempts, outcomeUnknown } = await askStore(
      asking,
      () => REQUESTS[action](connection, asked),
      action === 'write',
    );
    requests.probe += attempts;
    if (action === 'write' && outcomeUnknown) {
      this.#uncertain.add(index);
    }
    // What may be written late has to be looked for again.
    if (action === 'remove' && (error === null || error.kind === NOT_FOUND) && !this.#uncertain.has(index)) {
      probes.delete(index);
    }
    const failed = error !== null;
    return { failed, latency: failed || attempts > 1 ? null : clock.now() - startedAt };
  }

  /**
   * @param {number} index
   * @returns {import('./object-requests.js').AskedObject}
   */
  #objectOf(index) {
    const { keyspace, wroteObjects } = this.#run;
    const { size } = this.#config;
    const makeBody = () => this.#payload.body(index, size);
    const key = wroteObjects ? keyspace.probeKeyOf(index) : keyspace.keyOf(index);
    return { bucket: keyspace.bucketOf(index), key, size, makeBody };
  }
}
