import { PartMeter, bucketMeters } from '../measure/part-meter.js';
import { StageMeters } from '../measure/stage-meter.js';
import { ABANDONED } from '../result/counters.js';
import { MAX_NOTED, onlyBucket } from '../result/records.js';
import { isThrottled } from '../store/retry.js';
import { ARCHIVED, AttemptError, NOT_FOUND } from '../store/s3-error.js';
import { IntegrityError } from './operations/operation.js';
import { CHANGED } from './operations/versions.js';
import { SeenObjects } from './workload/ledger.js';
import { classFinder, sizeClasses } from './workload/size-distribution.js';

/**
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { BucketMeter } from '../measure/part-meter.js'
 * @import { StageMeter } from '../measure/stage-meter.js'
 * @import { BucketRecord, KindRecord, StageRecord } from '../result/records.js'
 * @import { NotedOperation } from '../result/result.js'
 * @import { Reply } from '../store/object-store.js'
 * @import { RetryHooks } from '../store/retry.js'
 * @import { Budget } from './budget.js'
 * @import { RequestStep } from './operations/multipart.js'
 * @import { OperationRecord } from './operations/operation-record.js'
 * @import { Operation } from './operations/operation.js'
 * @import { Stage, StageKind } from './operations/stage.js'
 * @import { Engine, Load, StageHooks } from './run-stage.js'
 * @import { StageWatch, TimeLimit } from './stage-watch.js'
 */

/**
 * Counts operations in addition to the meter of their kind.
 *
 * @typedef {object} Counter
 * @property {(record: OperationRecord) => void} [succeeded]
 * @property {(step: RequestStep) => void} [stepSucceeded] see StageMeter
 * @property {(error: AttemptError, record: OperationRecord | RequestStep) => void} [attemptFailed]
 * @property {(error: unknown, record: OperationRecord) => void} [failed] the operation failed for good
 *
 * @typedef {(meter: StageMeter, record: OperationRecord, bytes: number) => void} CountSuccess
 */

/**
 * Other programs may delete, replace or archive existing objects, which does not count as a failure of the store.
 *
 * @type {Readonly<Record<string, 'vanished' | 'changed' | 'archived'>>}
 */
const FOREIGN_CHANGES = Object.freeze({ [NOT_FOUND]: 'vanished', [CHANGED]: 'changed', [ARCHIVED]: 'archived' });

/** Everything that a stage counts on one worker, with only the meters that this stage needs. */
export class Recorder {
  #stage;
  #buckets;
  #hooks;
  /** @type {StageWatch | null} */
  #watch = null;
  #countSuccess;
  #isForeign;
  /** @type {readonly Counter[]} */
  #counters;
  /** Total ms that operations waited for an available object. */
  waited = 0;

  /**
   * @param {Stage} stage
   * @param {{ engine: Engine, load: Load, budget: Budget, limit: TimeLimit | null, startedAt: number,
   *   hooks: StageHooks, countSuccess: CountSuccess }} options `startedAt`: monotonic ms
   */
  constructor(
    stage,
    {
      engine: { clock, workload, readsCache, timesBinding, retriesInside },
      load,
      budget,
      limit,
      startedAt,
      hooks,
      countSuccess,
    },
  ) {
    const measuredUntil = limit?.measuresDrain ? undefined : limit?.stopsAt;
    const measured = { measuredFrom: startedAt + load.warmup, measuredUntil, clock };
    this.#stage = stage;
    this.#buckets = workload.keyspace.buckets;
    this.#hooks = hooks;
    this.#countSuccess = countSuccess;
    this.meters = new StageMeters(stage.kinds.length, clock, startedAt, { ...measured, windows: load.windows });
    this.buckets = bucketMeters(this.#buckets.length, measured);
    this.noted = new NotedOperations(clock);
    this.parts = OperationParts.of(stage, { load, budget, measured });
    const { kinds } = this.meters;
    this.#counters = [
      ...(this.parts === null ? [] : [this.parts]),
      ...(this.buckets === null ? [] : [bucketCounter(this.buckets)]),
      ...(stage.kinds.some(isGrouped) ? [keyCounter(kinds)] : []),
      ...(readsCache ? [cacheCounter(kinds)] : []),
      ...(timesBinding ? [bindingCounter(kinds)] : []),
      ...(retriesInside ? [innerRetryCounter(kinds, this.buckets)] : []),
    ];
    this.#isForeign = Boolean(workload.listed);
  }

  /** @param {StageWatch} watch knows whether the stage is over, and receives fatal errors */
  watchedBy(watch) {
    this.#watch = watch;
  }

  /** @param {OperationRecord} record that has its object */
  begins(record) {
    this.parts?.begins(record);
  }

  /**
   * @param {OperationRecord} record
   * @param {number} bytes
   */
  succeeded(record, bytes) {
    this.#countSuccess(this.meters.kinds[record.kind], record, bytes);
    if (record.finishedAt - record.startedAt > this.noted.threshold) {
      this.noted.slow(record);
    }
    for (const counter of this.#counters) {
      counter.succeeded?.(record);
    }
  }

  /** @param {RequestStep} step of an upload, see StageMeter */
  stepSucceeded(step) {
    this.meters.kinds[step.kind].stepSucceeded(step);
    this.#counters.forEach((counter) => counter.stepSucceeded?.(step));
  }

  /** @param {OperationRecord} record for which there is no object */
  skipped({ kind }) {
    this.meters.kinds[kind].skipped += 1;
  }

  /** @param {OperationRecord} record that has ended, successfully or not */
  ended({ kind, outcomeUnknown, isWrite }) {
    this.meters.kinds[kind].unknownOutcomes += Number(outcomeUnknown && isWrite);
  }

  /** @param {number} endedAt monotonic ms */
  toRecord(endedAt) {
    const { waited, noted, parts } = this;
    const kinds = this.meters.kinds.map((meter, kind) => ({
      operation: this.#stage.kinds[kind].operation.name,
      ...meter.until(endedAt),
      ...parts?.recordOf(kind),
    }));
    return { kinds, buckets: this.bucketRecords(kinds), waited, ...noted.toRecord() };
  }

  /** @param {readonly KindRecord[]} kinds @returns {BucketRecord[]} */
  bucketRecords(kinds) {
    return (
      this.buckets?.map((meter, slot) => ({ bucket: this.#buckets[slot], ...meter.toRecord() })) ?? [
        onlyBucket(this.#buckets[0], kinds),
      ]
    );
  }

  /** @returns {RetryHooks<OperationRecord | RequestStep>} */
  retryHooks() {
    return {
      attemptFailed: (error, record) => {
        const { kind, attemptStartedAt, finishedAt } = record;
        const meter = this.meters.kinds[kind];
        if ('completes' in record) {
          // Before the abort of the upload, which may use the same connection, gets a response.
          error.answer = answerOf(record.connection.reply, error.status);
        }
        meter.attemptFailed(error.kind, finishedAt - attemptStartedAt, finishedAt);
        meter.throttled += Number(isThrottled(error));
        // An attempt cut off by the end of the stage does not count as failed.
        if (error.kind !== ABANDONED) {
          meter.seconds.addFailure(finishedAt, isThrottled(error));
        }
        meter.unsent += Number(!error.sent);
        this.#counters.forEach((counter) => counter.attemptFailed?.(error, record));
      },
      retrying: (error, { kind }) => {
        this.meters.kinds[kind].retries += 1;
        this.#hooks.retrying(error.kind, error.wasMoving ? error.message : '', isThrottled(error));
      },
    };
  }

  /**
   * @param {OperationRecord} record that did not succeed
   * @param {unknown} error
   */
  failed(record, error) {
    const { kind, attemptStartedAt, finishedAt } = record;
    const meter = this.meters.kinds[kind];
    if (this.#isForeign && error instanceof AttemptError && Object.hasOwn(FOREIGN_CHANGES, error.kind)) {
      meter[FOREIGN_CHANGES[error.kind]] += 1;
      meter.gaveUp(record, finishedAt);
      return;
    }
    const watch = /** @type {StageWatch} */ (this.#watch);
    if (error instanceof AttemptError && error.handling === 'retry' && watch.stopped.aborted) {
      meter.abandoned += 1;
      // An attempt that was cut off might have succeeded, so only the time before it counts as lost.
      meter.gaveUp(record, error.kind === ABANDONED ? attemptStartedAt : finishedAt);
      return;
    }
    this.#counters.forEach((counter) => counter.failed?.(error, record));
    this.noted.failed(record, error instanceof AttemptError ? error : { kind: 'integrity' });
    if (error instanceof IntegrityError) {
      meter.attemptFailed('integrity', finishedAt - attemptStartedAt, finishedAt);
      meter.seconds.addFailure(finishedAt, false);
      meter.integrityErrors += 1;
      meter.versionError(error.versionError);
      this.#hooks.integrityError(error.message);
    } else if (!(error instanceof AttemptError) || error.handling === 'stop') {
      meter.failed += 1;
      watch.fail({ error, bucket: record.bucket, operation: record.operation.name });
    } else {
      meter.failed += 1;
      meter.gaveUp(record, finishedAt);
      this.#hooks.failed(record, error.message);
    }
  }
}

/**
 * @param {readonly BucketMeter[]} buckets
 * @returns {Counter}
 */
function bucketCounter(buckets) {
  return {
    succeeded: (record) => buckets[record.slot].succeeded(record, record.movedBytes),
    attemptFailed(error, { slot }) {
      buckets[slot].failedAttempts += Number(error.kind !== ABANDONED);
      buckets[slot].throttled += Number(isThrottled(error));
    },
    failed(error, { slot }) {
      buckets[slot].failed += 1;
      buckets[slot].failedAttempts += Number(error instanceof IntegrityError);
    },
  };
}

/** @param {StageKind} kind */
function isGrouped({ operation }) {
  return operation.grouping !== undefined;
}

/**
 * @param {readonly StageMeter[]} kinds some of which work on several objects
 * @returns {Counter}
 */
function keyCounter(kinds) {
  return {
    succeeded({ kind, operation, locals }) {
      kinds[kind].keys += operation.grouping === undefined ? 0 : locals.length;
    },
  };
}

/**
 * @param {readonly StageMeter[]} kinds whose requests a Worker answers
 * @returns {Counter}
 */
function bindingCounter(kinds) {
  return {
    succeeded(record) {
      const { bindingTime = -1, isFirstByteTime = false } = record.connection.reply;
      if (bindingTime >= 0) {
        kinds[record.kind].answeredByBinding(bindingTime, isFirstByteTime, record);
      }
    },
  };
}

/**
 * @param {readonly StageMeter[]} kinds whose client retries attempts itself
 * @param {readonly BucketMeter[] | null} buckets
 * @returns {Counter}
 */
function innerRetryCounter(kinds, buckets) {
  const count = (/** @type {OperationRecord | RequestStep} */ { kind, slot, connection: { innerRetries = 0 } }) => {
    kinds[kind].retriedInside(innerRetries);
    if (buckets !== null) {
      buckets[slot].failedAttempts += innerRetries;
    }
  };
  return {
    succeeded: count,
    stepSucceeded: count,
    attemptFailed: (_error, record) => count(record),
    failed: (error, record) => error instanceof IntegrityError && count(record),
  };
}

/**
 * @param {readonly StageMeter[]} kinds
 * @returns {Counter}
 */
function cacheCounter(kinds) {
  return {
    succeeded(record) {
      const { kind, operation, connection, isStale } = record;
      if (operation.followsAccess) {
        const { cacheStatus = 'none', age = -1 } = connection.reply;
        kinds[kind].answeredBy(cacheStatus, record, record.movedBytes, age);
        kinds[kind].staleByCache += Number(isStale);
      }
    },
  };
}

/** The slowest operations of a stage on one worker, and its last failures: what to ask the store's operator about. */
export class NotedOperations {
  #clock;
  /** ms; an operation that took no longer is not among the slowest. */
  threshold = -1;
  /** The fastest last. @type {NotedOperation[]} */
  #slowest = [];
  /** @type {NotedOperation[]} */
  #failures = [];

  /** @param {Pick<Clock, 'toEpoch'>} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  /** @param {OperationRecord} record that took longer than the threshold */
  slow(record) {
    const noted = this.#note(record, null);
    const place = this.#slowest.findIndex(({ duration }) => duration < noted.duration);
    this.#slowest.splice(place < 0 ? this.#slowest.length : place, 0, noted);
    this.#slowest.length = Math.min(this.#slowest.length, MAX_NOTED);
    this.threshold = this.#slowest[MAX_NOTED - 1]?.duration ?? -1;
  }

  /**
   * @param {OperationRecord} record
   * @param {Pick<AttemptError, 'kind'> & Partial<AttemptError>} error
   */
  failed(record, { kind, status, answer = answerOf(record.connection.reply, status) }) {
    this.#failures = [...this.#failures, this.#note(record, kind, answer)].slice(-MAX_NOTED);
  }

  /** @returns {Pick<StageRecord, 'slowest' | 'failures'>} */
  toRecord() {
    return { slowest: this.#slowest, failures: this.#failures };
  }

  /**
   * @param {OperationRecord} record
   * @param {string | null} error
   * @param {AttemptError['answer']} [answer]
   * @returns {NotedOperation}
   */
  #note(record, error, answer = answerOf(record.connection.reply)) {
    const { operation, startedAt, finishedAt, attempts, bucket, key } = record;
    const time = Math.round(this.#clock.toEpoch(startedAt));
    const duration = finishedAt - startedAt;
    return { time, operation: operation.name, duration, attempts, bucket, key, ...answer, error };
  }
}

/**
 * @param {Reply} reply
 * @param {number} [status] of an error: the SDK's connection does not keep it
 * @returns {NonNullable<AttemptError['answer']>}
 */
function answerOf(reply, status = 0) {
  return { status: status || reply.status || null, ...(reply.identify?.() ?? { requestId: null, ray: null }) };
}

/** @typedef {{ sizes: readonly PartMeter[] | null, reads: readonly PartMeter[] | null }} KindParts null without a split */

const FIRST = 0;
const REPEATED = 1;

/** Separates operations on small and large objects, and first and repeated reads of an object. */
export class OperationParts {
  #classes;
  #classOf;
  #seen;
  #budget;
  /** @type {KindParts[]} */
  #kinds;

  /**
   * @param {Stage} stage
   * @param {{ load: Load, budget: Budget, measured: ConstructorParameters<typeof PartMeter>[0] }} options
   * @returns {OperationParts | null} null if no operations need to be separated, which saves CPU time
   */
  static of(stage, { load, budget, measured }) {
    const { sizes, seen } = load;
    const hasSizes = sizes !== undefined && stage.kinds.some(({ operation }) => isSized(operation));
    return hasSizes || seen !== undefined ? new OperationParts(stage, { load, budget, measured }) : null;
  }

  /**
   * @param {Stage} stage
   * @param {Parameters<typeof OperationParts.of>[1]} options
   */
  constructor({ kinds }, { load: { sizes, seen }, budget, measured }) {
    this.#classes = sizes === undefined ? [] : sizeClasses(sizes);
    const meters = (/** @type {number} */ count) => Array.from({ length: count }, () => new PartMeter(measured));
    this.#classOf = classFinder(this.#classes);
    this.#seen = seen === undefined ? null : new SeenObjects(seen);
    this.#budget = budget;
    this.#kinds = kinds.map(({ operation }) => ({
      sizes: sizes !== undefined && isSized(operation) ? meters(this.#classes.length) : null,
      reads: seen !== undefined && operation.followsAccess ? meters(REPEATED + 1) : null,
    }));
  }

  /** @param {OperationRecord} record */
  begins(record) {
    const { kind, localIndex } = record;
    if (this.#seen !== null && this.#kinds[kind].reads !== null) {
      record.isRepeated = this.#seen.see(kind * this.#budget.objects + this.#budget.indexOf(localIndex));
    }
  }

  /** @param {OperationRecord} record */
  succeeded(record) {
    const { sizes, reads } = this.#kinds[record.kind];
    // An object that was expected to be missing has no size class.
    sizes?.[this.#classOf(record.size)]?.succeeded(record, record.movedBytes);
    reads?.[record.isRepeated ? REPEATED : FIRST].succeeded(record, record.movedBytes);
  }

  /** @param {number} kind @returns {Pick<KindRecord, 'sizeClasses' | 'reads'>} */
  recordOf(kind) {
    const { sizes, reads } = this.#kinds[kind];
    const [first, repeated] = reads?.map((meter) => meter.toRecord()) ?? [];
    return {
      ...(sizes && { sizeClasses: sizes.map((meter, index) => ({ ...this.#classes[index], ...meter.toRecord() })) }),
      ...(reads && { reads: { first, repeated } }),
    };
  }
}

/** Whether the operation works on one whole object. Ranges all have the same size. @param {Operation} operation */
function isSized({ grouping, part }) {
  return grouping === undefined && part === undefined;
}
