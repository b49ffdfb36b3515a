import { Uploader, isInParts } from './operations/multipart.js';
import { Race } from './operations/race.js';
import { abandonedError } from './stage-watch.js';

/**
 * @import { MultipartConfig } from '../result/config.js'
 * @import { RequestStep } from './operations/multipart.js'
 * @import { Workload } from './operations/operation.js'
 * @import { OperationRecord } from './operations/operation-record.js'
 * @import { Stage } from './operations/stage.js'
 * @import { ObjectConnection } from '../store/object-store.js'
 * @import { Retrier } from '../store/retry.js'
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { CountSuccess, Recorder } from './recorder.js'
 * @import { Engine, Load } from './run-stage.js'
 * @import { StageWatch } from './stage-watch.js'
 */

/** Time limit for aborting an upload once its stage has been stopped. Clean-up looks for uploads that remain. */
const ABORTING_TIME_MS = 2000;

/**
 * How threads send their operations, each over its own connection; multipart objects use several.
 *
 * @typedef {object} Delivery
 * @property {readonly ObjectConnection[]} leads a connection for each operation at the same time
 * @property {readonly ObjectConnection[]} connections of all threads
 * @property {CountSuccess} countSuccess
 * @property {(means: Means) => (record: OperationRecord) => Promise<void>} sender
 *
 * @typedef {{ clock: Clock, workload: Workload, recorder: Recorder, watch: StageWatch,
 *   retrier: Retrier<OperationRecord | RequestStep> }} Means of a stage
 */

/**
 * @param {Stage} stage
 * @param {readonly ObjectConnection[]} threads the connections of the threads that take part
 * @param {Load} load
 * @param {Engine} engine
 * @returns {Delivery}
 */
export function deliveryFor(stage, threads, load, engine) {
  const { multipart, workload } = engine;
  if (stage.isRace) {
    return inRaces(threads, workload.amounts.contenders);
  }
  const mayUpload = stage.kinds.some(({ operation }) => operation.canTakeParts) && isInParts(load.size, multipart);
  return mayUpload ? inParts(threads, engine, multipart) : inOneRequest(threads);
}

/**
 * @param {readonly ObjectConnection[]} connections one for each thread
 * @returns {Delivery}
 */
function inOneRequest(connections) {
  return {
    leads: connections,
    connections,
    countSuccess: (meter, record, bytes) => meter.succeeded(record, bytes, record.objectBytes),
    sender:
      ({ retrier }) =>
      (record) =>
        retrier.run(record),
  };
}

/**
 * Sends large enough objects in parts, and everything else in one request.
 *
 * @param {readonly ObjectConnection[]} threads
 * @param {Engine} engine
 * @param {MultipartConfig} multipart
 * @returns {Delivery}
 */
function inParts(threads, engine, multipart) {
  const lanes = lanesOf(threads, engine);
  const isUploaded = (/** @type {OperationRecord} */ { operation, size }) =>
    operation.canTakeParts && isInParts(size, multipart);
  return {
    leads: threads,
    connections: lanes.flat(),
    countSuccess(meter, record, bytes) {
      if (isUploaded(record)) {
        meter.succeeded(record, bytes, bytes, record.timeLost);
      } else {
        meter.succeeded(record, bytes, record.objectBytes);
      }
    },
    sender(means) {
      const { clock, retrier } = means;
      const context = uploadContext(means);
      const uploaders = new Map(
        lanes.map((connections) => [connections[0], new Uploader(connections, multipart, context)]),
      );
      return (record) => {
        const uploader = /** @type {Uploader} */ (uploaders.get(record.connection));
        return isUploaded(record) ? uploader.write(record, clock.now()) : retrier.run(record);
      };
    },
  };
}

/**
 * Each operation is a race of several threads. Threads that are too few for another race are idle.
 *
 * @param {readonly ObjectConnection[]} threads
 * @param {number} contenders
 * @returns {Delivery}
 */
function inRaces(threads, contenders) {
  const lanes = Array.from({ length: Math.floor(threads.length / contenders) }, (_, race) =>
    threads.slice(race * contenders, (race + 1) * contenders),
  );
  return {
    leads: lanes.map(([first]) => first),
    connections: lanes.flat(),
    countSuccess: (meter, record, bytes) => meter.succeeded(record, bytes, bytes, record.timeLost),
    sender({ workload, retrier, recorder, watch }) {
      const { kinds: meters } = recorder.meters;
      const [send, sendOnce] = [retrier, retrier.with({ maxAttempts: 1 })].map((each) => each.run.bind(each));
      const context = { workload, send, sendOnce, meters, throwIfStopped: () => throwIfStopped(watch) };
      const races = new Map(lanes.map((connections) => [connections[0], new Race(connections, context)]));
      // The requests of a race that is repeated have already been counted.
      const repeated = retrier.with({ hooks: { ...recorder.retryHooks(), attemptFailed() {} } });
      return (record) => {
        record.racer = races.get(record.connection) ?? null;
        return repeated.run(record);
      };
    },
  };
}

/**
 * @param {readonly ObjectConnection[]} threads that take part
 * @param {Engine} engine
 * @returns {ObjectConnection[][]} for each of these threads, the connections over which it sends parts; its own first
 */
function lanesOf(threads, { connections, partConnections = [] }) {
  const further = partConnections.length / connections.length;
  return threads.map((connection, thread) => [
    connection,
    ...partConnections.slice(thread * further, (thread + 1) * further),
  ]);
}

/**
 * @param {Means} means
 * @returns {ConstructorParameters<typeof Uploader>[2]}
 */
function uploadContext({ retrier, recorder, watch }) {
  return {
    async send(/** @type {RequestStep} */ step) {
      const isLate = step.isAbort && watch.stopped.aborted;
      const cutOff = () => step.connection.abort(abandonedError());
      const timer = isLate ? setTimeout(cutOff, ABORTING_TIME_MS) : undefined;
      try {
        await retrier.run(step);
      } finally {
        clearTimeout(timer);
      }
      // The step that completes the upload is counted as the operation itself.
      if (!step.completes) {
        recorder.stepSucceeded(step);
      }
    },
    throwIfStopped: () => throwIfStopped(watch),
  };
}

/** @param {Means['watch']} watch */
function throwIfStopped({ stopped }) {
  if (stopped.aborted) {
    throw abandonedError();
  }
}
