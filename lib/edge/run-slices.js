import { watchFlow } from '../engine/data-flow.js';
import { Claims } from '../engine/claims.js';
import { OperationParts } from '../engine/operation-parts.js';
import { failureCounter, orderOf, retryHooks, snapshotTaker } from '../engine/run-stage.js';
import { StageWatch, abandonedError } from '../engine/stage-watch.js';
import { plainLine } from '../log/plain-text.js';
import { bucketMeters } from '../meter/bucket-meter.js';
import { StageMeters } from '../meter/stage-meter.js';
import { NO_ETAG } from '../operations/no-etag.js';
import { IntegrityError } from '../operations/operation.js';
import { OperationRecord } from '../operations/operation-record.js';
import { Pauses, Retrier } from '../s3/retry.js';
import { AttemptError, detailsOf } from '../s3/s3-error.js';
import { Keyspace } from '../workload/keyspace.js';
import { globalIndex } from '../workload/shard.js';
import { objectSizes } from '../workload/sizes.js';
import { LateSeconds } from './late-seconds.js';
import { CLAIM_SLICE, MAX_IN_FLIGHT, MAX_SLICE_MS, MAX_SLICE_OPERATIONS, RUN_SLICE, sliceAnswerIn } from './slice.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Budget } from '../engine/budget.js'
 * @import { Engine, Load, MeteredStage, StageHooks } from '../engine/run-stage.js'
 * @import { TimeLimit } from '../engine/stage-watch.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { ObjectConnection } from '../s3/object-store.js'
 * @import { Slice, SliceAnswer } from './slice.js'
 */

const PROGRESS_INTERVAL_MS = 250;

/** Before it is known how long an operation takes, a slice is to be short. */
const FIRST_ROUNDS = 8;

/** A slice is not cut shorter than that to let all invocations end together. */
const MIN_ROUNDS = 4;

/** As much of the time that a slice may last as it is given work for. */
const SHARE_OF_TIME = 0.9;

/** The platform ends an invocation that has its time, and answers; what is left is for the way. ms */
const WAY_MS = 5000;

/** So often a claim for nobody is tried, before the slice counts as one that has begun. */
const MAX_CLAIM_ATTEMPTS = 4;

/** Claims have keys of probes that nobody else would come to, and so many of all hosts together that no two are the same. */
const FIRST_CLAIM = 2 ** 32;
const CLAIMS = 2 ** 52;

/**
 * @param {number} timeout ms for an operation
 * @returns {number} ms for a whole slice
 */
export function sliceTimeout(timeout) {
  return MAX_SLICE_MS + timeout + WAY_MS;
}

/**
 * @param {number} threads operations at a time
 * @returns {number[]} of each invocation, which is allowed few of them
 */
export function invocationsFor(threads) {
  const count = Math.ceil(threads / MAX_IN_FLIGHT);
  return Array.from({ length: count }, (_, index) => Math.floor((threads + index) / count));
}

/**
 * Runs stages at the edge: each connection has one invocation of the Worker after the other run a slice of the stage. The
 * Worker makes one attempt at each operation and says when; all that is counted is counted here, by the same meters, and tried
 * again under the same policy, as if the operations were this host's.
 *
 * @param {object} options
 * @param {number} options.timeout ms for an operation
 * @param {Slice['layout']} options.layout of the keyspace
 * @param {() => void} options.claimed a slice is about to be claimed, which leaves an object that clean-up has to remove
 * @returns {(stage: Stage, options: StageOptions) => Promise<MeteredStage>} in the place of runStage()
 */
export function sliceRunner({ timeout, layout, claimed }) {
  return (stage, options) => new SlicedStage(stage, { ...options, timeout, layout, claimed }).run();
}

/**
 * @typedef {object} StageOptions as those of runStage()
 * @property {Engine} engine whose connections are the invocations at a time
 * @property {Load} load
 * @property {Budget} budget
 * @property {TimeLimit | null} [limit]
 * @property {AbortSignal} signal
 * @property {StageHooks} hooks
 */

/** One connection, and what it has to do. */
class Lane {
  /** To be sent, again or because an earlier slice did not come to it. @type {OperationRecord[]} */
  due = [];
  /** Operations that wait to be tried again. */
  waiting = 0;
  /** @type {() => void} */
  wake = () => {};

  /**
   * @param {ObjectConnection} connection
   * @param {number} threads operations at a time
   * @param {number} knownUntil monotonic ms; what ended before is known
   */
  constructor(connection, threads, knownUntil) {
    this.connection = connection;
    this.threads = threads;
    this.knownUntil = knownUntil;
    /** Operations of the next slice. */
    this.room = threads * FIRST_ROUNDS;
  }
}

/** One stage, from its first slice to its last. */
class SlicedStage {
  #engine;
  #load;
  #budget;
  #limit;
  #hooks;
  #timeout;
  #layout;
  #keyspace;
  #claimed;
  #operation;
  #workload;
  #startedAt;
  #meters;
  #buckets;
  #parts;
  #pauses = new Pauses();
  #watch;
  #retrier;
  /** Of requests that are no operation. */
  #claimRetrier;
  #failed;
  #claims;
  #lanes;
  #seconds;
  /** Of operations that have come to their end. @type {OperationRecord[]} */
  #free = [];
  /** Of which an attempt may have been carried out without an answer. @type {Set<OperationRecord>} */
  #uncertain = new Set();
  #done = 0;
  #moved = 0;

  /**
   * @param {Stage} stage
   * @param {StageOptions & Parameters<typeof sliceRunner>[0]} options
   */
  constructor(stage, { engine, load, budget, limit = null, signal, hooks, timeout, layout, claimed }) {
    const { clock, runId } = engine;
    const { objectSize: size, sizes, warmup, windows, bucketStarts } = load;
    this.#engine = engine;
    this.#load = load;
    this.#budget = budget;
    this.#limit = limit;
    this.#hooks = hooks;
    this.#timeout = timeout;
    this.#layout = layout;
    this.#keyspace = new Keyspace(layout);
    this.#claimed = claimed;
    this.#operation = stage.kinds[0].operation;
    this.#workload = { ...engine.workload, sizeOf: objectSizes({ runId, size, sizes }) };
    const startedAt = clock.now();
    const measuredUntil = limit?.measuresDrain ? undefined : limit?.stopsAt;
    const measured = { measuredFrom: startedAt + warmup, measuredUntil };
    const meters = new StageMeters(1, clock, startedAt, { ...measured, windows });
    const buckets = bucketMeters(engine.workload.keyspace.buckets.length, measured);
    const parts = OperationParts.of(stage, { load, budget, measured });
    this.#startedAt = startedAt;
    this.#meters = meters;
    this.#buckets = buckets;
    this.#parts = parts;
    this.#lanes = invocationsFor(load.threads).map(
      (threads, place) => new Lane(engine.connections[place], threads, startedAt),
    );
    const connections = this.#lanes.map(({ connection }) => connection);
    this.#watch = new StageWatch({
      ...{ clock, meters, connections, signal, budget, limit },
      stallTimeout: engine.stallTimeout,
      backlog: () => 0,
      wasIdle: () => false,
      onTimeUp: () => budget.close(),
      onEarlyStop(moment) {
        meters.measureUntil(moment);
        buckets?.forEach((meter) => meter.measureUntil(moment));
        parts?.measureUntil(moment);
      },
      onStop: () => {
        budget.close();
        this.#pauses.endAll();
      },
    });
    this.#retrier = new Retrier({
      maxAttempts: engine.maxAttempts,
      now: clock.now,
      random: engine.random,
      pauses: this.#pauses,
      signal: this.#watch.stopped,
      hooks: retryHooks(meters, buckets, hooks),
    });
    this.#claimRetrier = new Retrier({
      ...{ maxAttempts: MAX_CLAIM_ATTEMPTS, now: clock.now, random: engine.random, pauses: this.#pauses },
      ...{ signal: this.#watch.stopped, hooks: { attemptFailed() {}, retrying() {} } },
    });
    this.#failed = failureCounter(meters, buckets, hooks, this.#watch);
    this.#claims = new Claims(stage, {
      ...{ workload: this.#workload, budget, meters, bucketStarts, seed: `kinds of ${runId}` },
      order: orderOf(load, budget, engine),
    });
    const snapshot = snapshotTaker(stage, { engine, meters, buckets, connections });
    this.#seconds = new LateSeconds({
      counts: meters,
      startedAt,
      onSecond: (count) => {
        hooks.second({ ...count, latencies: meters.takeSecond(count.secondStart) });
        if (snapshot !== null) {
          hooks.snapshot?.(snapshot());
        }
      },
    });
  }

  /** @returns {Promise<MeteredStage>} */
  async run() {
    const { clock } = this.#engine;
    const flow = watchFlow([]);
    const progress = setInterval(
      () => this.#hooks.progress(this.#done, { ...flow(), moved: this.#moved }),
      PROGRESS_INTERVAL_MS,
    );
    this.#watch.start();
    let endedAt;
    try {
      const ends = await Promise.allSettled(this.#lanes.map((lane) => this.#runLane(lane)));
      const broken = ends.find((end) => end.status === 'rejected');
      if (broken !== undefined) {
        throw broken.reason;
      }
    } finally {
      clearInterval(progress);
      this.#watch.stop();
      endedAt = clock.now();
      this.#seconds.end(endedAt);
    }
    const { end, fatal } = this.#watch;
    return {
      ...{ end, fatal, startedAt: this.#startedAt, endedAt, waited: 0 },
      ...{ meters: this.#meters, buckets: this.#buckets, parts: this.#parts },
    };
  }

  /** @param {Lane} lane */
  async #runLane(lane) {
    try {
      for (;;) {
        const records = this.#take(lane);
        if (records.length > 0) {
          await this.#runSlice(lane, records);
        } else if (lane.waiting > 0) {
          await new Promise((resolve) => {
            lane.wake = () => resolve(undefined);
          });
        } else {
          return;
        }
      }
    } catch (error) {
      // The others have no reason to go on.
      this.#watch.fail({ error, bucket: '', operation: this.#operation.name });
      throw error;
    } finally {
      this.#known(lane, Infinity);
    }
  }

  /**
   * @param {Lane} lane
   * @returns {OperationRecord[]} of its next slice
   */
  #take(lane) {
    if (this.#watch.stopped.aborted || this.#timeLeft() <= 0) {
      return this.#takeTried(lane);
    }
    const { goesRound, objects, claimed } = this.#budget;
    const rest = goesRound ? Infinity : Math.ceil((objects - claimed) / this.#lanes.length);
    const room = Math.min(lane.room, Math.max(rest, MIN_ROUNDS * lane.threads));
    const records = lane.due.splice(0, room);
    while (records.length < room) {
      const record = this.#free.pop() ?? this.#newRecord(lane);
      if (this.#claims.next(record) < 0) {
        this.#free.push(record);
        break;
      }
      record.connection = lane.connection;
      record.attempts = 0;
      record.outcomeUnknown = false;
      this.#parts?.begins(record);
      records.push(record);
    }
    return records;
  }

  /**
   * Once no operation is to be begun any more, those go on that were; what no slice has come to is not counted, as if nobody had
   * claimed it.
   *
   * @param {Lane} lane
   * @returns {OperationRecord[]} none where the stage does not wait for them
   */
  #takeTried(lane) {
    const due = lane.due.splice(0);
    this.#free.push(...due.filter(({ attempts }) => attempts === 0));
    const tried = due.filter(({ attempts }) => attempts > 0);
    if (!this.#watch.stopped.aborted) {
      lane.due.push(...tried.slice(MAX_SLICE_OPERATIONS));
      return tried.slice(0, MAX_SLICE_OPERATIONS);
    }
    tried.forEach((record) => this.#giveUp(record, abandonedError()));
    return [];
  }

  /** @returns {number} ms in which operations may be begun */
  #timeLeft() {
    return this.#until(this.#limit?.stopsAt);
  }

  /** @returns {number} ms that a slice may last */
  #sliceTime() {
    const left = this.#timeLeft();
    const time = Math.min(MAX_SLICE_MS, left > 0 ? left : this.#until(this.#limit?.endsAt));
    return Math.max(Math.floor(time), 1);
  }

  /** @param {number} [moment] monotonic ms */
  #until(moment = Infinity) {
    const { stopsAt } = this.#budget;
    const earlier = Math.max((this.#limit?.stopsAt ?? -Infinity) - stopsAt, 0);
    return moment - earlier - this.#engine.clock.now();
  }

  /** @param {Lane} lane */
  #newRecord({ connection }) {
    return new OperationRecord(this.#operation, this.#workload, connection);
  }

  /**
   * @param {Lane} lane
   * @param {OperationRecord[]} records
   */
  async #runSlice(lane, records) {
    const { connection } = lane;
    const { clock } = this.#engine;
    const { slice, bucket } = this.#sliceOf(lane, records);
    this.#claimed();
    const sentAt = clock.now();
    connection.startedAt = sentAt;
    try {
      await connection.send(RUN_SLICE, { ...NOTHING, bucket, key: '', input: { Slice: slice } });
      const answer = sliceAnswerIn(connection.reply.output, records.length);
      if (answer === null) {
        throw new AttemptError({
          ...{ kind: 'protocol', handling: 'retry', outcomeUnknown: true },
          message: 'the answer is none to a slice: are client and Worker of one version?',
        });
      }
      const receivedAt = clock.now();
      this.#settle(lane, records, answer, new SliceTimes(answer, clock, sentAt, receivedAt));
      this.#known(lane, receivedAt);
    } catch (error) {
      if (!(error instanceof AttemptError)) {
        throw error;
      }
      connection.startedAt = 0;
      records.forEach((record) => {
        record.attemptStartedAt = sentAt;
        record.finishedAt = clock.now();
        record.startedAt = record.attempts === 0 ? sentAt : record.startedAt;
      });
      await this.#lost(lane, records, error, { claim: slice.claim, bucket, lasts: slice.lasts });
    } finally {
      connection.startedAt = 0;
      connection.idleSince = clock.now();
    }
  }

  /**
   * @param {Lane} lane
   * @param {readonly OperationRecord[]} records
   * @returns {{ slice: Slice, bucket: string }} and the bucket that its claim is in
   */
  #sliceOf({ threads }, records) {
    const { shard, amounts, wroteObjects, written } = this.#engine.workload;
    const { objectSize: size, sizes } = this.#load;
    const number = Math.floor(this.#engine.random() * Math.floor(CLAIMS / shard.count));
    const claim = globalIndex(shard, FIRST_CLAIM + number);
    const locals = records.map(({ localIndex }) => localIndex);
    return {
      bucket: this.#keyspace.bucketOf(claim),
      slice: {
        claim: this.#keyspace.probeKeyOf(claim),
        layout: this.#layout,
        operation: this.#operation.name,
        threads: Math.min(threads, records.length),
        lasts: this.#sliceTime(),
        timeout: this.#timeout,
        ...{ shard, size, sizes, amounts, wroteObjects, locals },
        turns: records.map(({ turn }) => turn),
        digests: wroteObjects ? locals.map((local) => written.digestOf(local)) : [],
      },
    };
  }

  /**
   * @param {Lane} lane
   * @param {readonly OperationRecord[]} records
   * @param {SliceAnswer} answer
   * @param {SliceTimes} times
   */
  #settle(lane, records, { successes, failures, startedAt, endedAt }, times) {
    const isOpen = new Set(records);
    const end = (/** @type {number} */ place, /** @type {number} */ begunAt, /** @type {number} */ finishedAt) => {
      const record = records[place];
      isOpen.delete(record);
      record.attempts += 1;
      record.attemptStartedAt = times.at(begunAt);
      record.startedAt = record.attempts === 1 ? record.attemptStartedAt : record.startedAt;
      record.finishedAt = times.at(finishedAt);
      return record;
    };
    for (const [place, begunAt, finishedAt, answeredAt, digest] of successes) {
      this.#succeeded(end(place, begunAt, finishedAt), digest, answeredAt - begunAt);
    }
    for (const { place, begunAt, finishedAt, error, finding } of failures) {
      const record = end(place, begunAt, finishedAt);
      if (error === null) {
        this.#giveUp(record, new IntegrityError(record, plainLine(finding)));
      } else {
        this.#tryLater(lane, record, new AttemptError({ ...error, message: plainLine(error.message) }));
      }
    }
    const rate = successes.length / Math.max(endedAt - startedAt, 1);
    lane.room = Math.min(Math.max(Math.ceil(rate * MAX_SLICE_MS * SHARE_OF_TIME), lane.threads), MAX_SLICE_OPERATIONS);
    // What a slice did not come to is next.
    lane.due.unshift(...isOpen);
  }

  /**
   * @param {OperationRecord} record
   * @param {number} digest of the object's ETag
   * @param {number} firstByte ms until the answer began
   */
  #succeeded(record, digest, firstByte) {
    const { written } = this.#workload;
    const { creates, removes, receives } = this.#operation;
    if (creates) {
      written.add(record.localIndex, digest || NO_ETAG);
    } else if (removes) {
      written.delete(record.localIndex);
    }
    this.#done += 1;
    this.#moved += this.#operation.movesBytes ? record.size : 0;
    const meter = this.#meters.kinds[0];
    meter.unknownOutcomes += Number(record.outcomeUnknown && record.isWrite);
    this.#seconds.add({
      finishedAt: record.finishedAt,
      count: () => {
        meter.succeeded(record, record.size);
        if (receives) {
          meter.answered(firstByte, record.finishedAt);
        }
        this.#parts?.succeeded(record);
        this.#buckets?.[record.slot].succeeded(record);
        this.#uncertain.delete(record);
        this.#free.push(record);
      },
    });
  }

  /**
   * @param {Lane} lane
   * @param {OperationRecord} record whose attempt has failed
   * @param {AttemptError} error
   */
  #tryLater(lane, record, error) {
    if (error.outcomeUnknown) {
      this.#uncertain.add(record);
    }
    lane.waiting += 1;
    const decided = this.#retrier.afterFailure(record, error, this.#uncertain.has(record)).then(
      () => {
        lane.due.push(record);
      },
      (reason) => this.#giveUp(record, reason),
    );
    void decided.then(() => {
      lane.waiting -= 1;
      lane.wake();
    });
  }

  /**
   * @param {OperationRecord} record
   * @param {unknown} error
   */
  #giveUp(record, error) {
    this.#done += 1;
    this.#failed(record, error);
    this.#meters.kinds[0].unknownOutcomes += Number(record.outcomeUnknown && record.isWrite);
    this.#uncertain.delete(record);
    this.#free.push(record);
  }

  /**
   * Settles a slice that was not answered: it has either not begun, and never will, or it is over, and its operations are made
   * again.
   *
   * @param {Lane} lane
   * @param {OperationRecord[]} records
   * @param {AttemptError} error
   * @param {{ claim: string, bucket: string, lasts: number }} slice
   */
  async #lost(lane, records, error, { claim, bucket, lasts }) {
    if (this.#watch.stopped.aborted || error.handling !== 'retry') {
      const final = error.handling === 'fail' ? new AttemptError({ ...detailsOf(error), handling: 'stop' }) : error;
      records.forEach((record) => {
        record.attempts += 1;
        record.outcomeUnknown ||= error.outcomeUnknown;
        this.#giveUp(record, final);
      });
      return;
    }
    const hasBegun = error.sent && error.outcomeUnknown && !(await this.#claimForNobody(lane, claim, bucket));
    if (!hasBegun) {
      // One request has failed, not all that it would have led to.
      const [first, ...others] = records;
      first.attempts += 1;
      lane.due.push(...others);
      await this.#tryBeforeAll(lane, first, error);
      return;
    }
    // Nothing of it is to be under way any more when a key is written again.
    const over = records[0].attemptStartedAt + lasts + this.#timeout;
    await this.#pauses.wait(Math.max(over - this.#engine.clock.now(), 0));
    records.forEach((record) => {
      record.attempts += 1;
      this.#tryLater(lane, record, error);
    });
  }

  /**
   * The whole lane waits: what one request was refused for would be the next one's.
   *
   * @param {Lane} lane
   * @param {OperationRecord} record
   * @param {AttemptError} error
   */
  async #tryBeforeAll(lane, record, error) {
    try {
      await this.#retrier.afterFailure(record, error, this.#uncertain.has(record));
      lane.due.unshift(record);
    } catch (reason) {
      this.#giveUp(record, reason);
    }
  }

  /**
   * @param {Lane} lane
   * @param {string} claim
   * @param {string} bucket
   * @returns {Promise<boolean>} whether the slice had not begun: now it cannot any more
   */
  async #claimForNobody({ connection }, claim, bucket) {
    const request = { ...NOTHING, bucket, key: claim, body: Buffer.alloc(0), input: { IfNoneMatch: '*' } };
    try {
      await this.#claimRetrier.call(() => connection.send(CLAIM_SLICE, request), connection);
      return true;
    } catch (error) {
      if (!(error instanceof AttemptError)) {
        throw error;
      }
      // The Worker has claimed it, or nobody can be asked.
      return false;
    }
  }

  /**
   * @param {Lane} lane
   * @param {number} moment monotonic ms
   */
  #known(lane, moment) {
    lane.knownUntil = moment;
    const all = Math.min(...this.#lanes.map(({ knownUntil }) => knownUntil));
    if (all < Infinity) {
      this.#seconds.knownUntil(all);
    }
  }
}

/** What a call has that is about no object. */
const NOTHING = Object.freeze({ size: 0, body: null, sink: { accept() {} } });

/** When what a slice tells of was, by this host's clock. */
class SliceTimes {
  #from;
  #sentAt;
  #receivedAt;

  /**
   * Invocations run on many machines, whose clocks agree within milliseconds: nothing of a slice was before it was sent, nor
   * after its answer had come.
   *
   * @param {Pick<SliceAnswer, 'startedAt' | 'endedAt'>} answer
   * @param {Clock} clock that is set to the Worker's time
   * @param {number} sentAt monotonic ms
   * @param {number} receivedAt monotonic ms
   */
  constructor({ startedAt, endedAt }, clock, sentAt, receivedAt) {
    const from = clock.now() + startedAt - clock.epochNow();
    const latest = receivedAt - (endedAt - startedAt);
    this.#from = Math.max(Math.min(from, latest), sentAt);
    this.#sentAt = sentAt;
    this.#receivedAt = receivedAt;
  }

  /**
   * @param {number} offset ms since the slice began
   * @returns {number} monotonic ms
   */
  at(offset) {
    return Math.min(Math.max(this.#from + offset, this.#sentAt), this.#receivedAt);
  }
}
