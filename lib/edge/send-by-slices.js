import { settleAll } from '../engine/run-pool.js';
import { abandonedError } from '../engine/stage-watch.js';
import { plainText } from '../text/plain-text.js';
import { redact } from '../text/redact.js';
import { NO_ETAG } from '../operations/no-etag.js';
import { IntegrityError } from '../operations/operation.js';
import { OperationRecord } from '../operations/operation-record.js';
import { mixedOf, noteUncertainty } from '../operations/versions.js';
import { Retrier } from '../s3/retry.js';
import { AttemptError, detailsOf } from '../s3/s3-error.js';
import { Keyspace } from '../workload/keyspace.js';
import { isRemoval } from '../workload/object-versions.js';
import { globalIndex } from '../workload/shard.js';
import { LateSeconds } from './late-seconds.js';
import { CLAIM_SLICE, MAX_IN_FLIGHT, MAX_SLICE_MS, MAX_SLICE_OBJECTS, MAX_SLICE_OPERATIONS } from './slice.js';
import { RUN_SLICE, WAY_MS, sliceAnswerIn } from './slice.js';
import { SliceVersions, changes } from './slice-versions.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Engine, Sending, StageSetup } from '../engine/run-stage.js'
 * @import { Workload } from '../operations/operation.js'
 * @import { ObjectConnection } from '../s3/object-store.js'
 * @import { AttemptErrorDetails } from '../s3/s3-error.js'
 * @import { Slice, SliceAnswer, SlicedSuccess } from './slice.js'
 */

/** Rounds (operations per thread) of the first slice: few, because the speed of operations is still unknown. */
const FIRST_ROUNDS = 8;

/** Minimum rounds of a slice, even if a shorter slice would let all invocations end together. */
const MIN_ROUNDS = 4;

/** A slice gets enough work for this share of its maximum time. */
const SHARE_OF_TIME = 0.9;

/** Attempts to claim a slice. If none gets a response, the slice counts as begun. */
const MAX_CLAIM_ATTEMPTS = 4;

/** Maximum characters of a finding from the Worker, which can name several keys of 100 characters. */
const MAX_FINDING_LENGTH = 500;

/** Valid kinds of errors. */
const KIND = /^[a-z-]{1,30}$/;

/** Number of possible claims: enough that no two hosts choose the same one. */
const CLAIMS = 2 ** 52;

/** Returns the timeout of a slice in ms. @param {number} timeout ms per operation */
export function sliceTimeout(timeout) {
  return MAX_SLICE_MS + timeout + WAY_MS;
}

/** Returns the threads of each invocation, which can run only a few. @param {number} threads concurrent operations */
export function invocationsFor(threads) {
  const count = Math.ceil(threads / MAX_IN_FLIGHT);
  return Array.from({ length: count }, (_, index) => Math.floor((threads + index) / count));
}

/**
 * Sends the operations of a stage to the edge: on each connection, one invocation of the Worker after another runs a
 * slice of the stage. The Worker attempts each operation once and reports its times. Counting and retries happen here,
 * with the same meters and retry policy as for operations of this host.
 *
 * @param {object} options
 * @param {number} options.timeout ms per operation
 * @param {Slice['layout']} options.layout of the keyspace
 * @param {() => void} options.claimed called before a claim, which leaves an object that clean-up must remove
 * @returns {NonNullable<Engine['send']>} for an engine with one connection per concurrent invocation
 */
export function sendBySlices(options) {
  return (_stage, load, { connections }) => {
    const invocations = invocationsFor(load.threads);
    return {
      connections: connections.slice(0, invocations.length),
      countSuccess: (meter, record, bytes) => meter.succeeded(record, bytes),
      there: existingForSlices,
      begin: (setup) => new SlicedStage(setup, invocations, options).begin(),
    };
  };
}

/** Omits objects that a slice is about to remove, because a slice removes many at a time. @param {Workload} workload */
function existingForSlices({ mixed, written }) {
  const has = (/** @type {number} */ local) =>
    written.has(local) && !(mixed && isRemoval(mixed.versions.highest(local)));
  return /** @type {Workload['written']} */ ({ has });
}

/** One connection and its pending operations. */
class Lane {
  /** Operations to send: retries, and operations that an earlier slice did not reach. @type {OperationRecord[]} */
  due = [];
  /** Operations that wait for a retry or an object. */
  waiting = 0;
  /** Operations that wait for an object. */
  placing = 0;
  /** @type {() => void} */
  wake = () => {};

  /**
   * @param {ObjectConnection} connection
   * @param {number} threads concurrent operations
   * @param {number} knownUntil monotonic ms before which all outcomes are known
   */
  constructor(connection, threads, knownUntil) {
    this.connection = connection;
    this.threads = threads;
    this.knownUntil = knownUntil;
    this.room = threads * FIRST_ROUNDS;
  }
}

class SlicedStage {
  #setup;
  #timeout;
  #layout;
  #keyspace;
  #claimed;
  #maxOperations;
  #claimRetrier;
  #lanes;
  #seconds;
  /** Records for reuse. @type {OperationRecord[]} */
  #free = [];
  /** Records with an attempt that may have succeeded without a response. @type {Set<OperationRecord>} */
  #uncertain = new Set();
  #done = 0;
  #moved = 0;

  /**
   * @param {StageSetup} setup
   * @param {readonly number[]} invocations threads of each
   * @param {Parameters<typeof sendBySlices>[0]} options
   */
  constructor(setup, invocations, { timeout, layout, claimed }) {
    const { stage, engine, clock, pauses, watch, seconds } = setup;
    const { grouping } = stage;
    this.#setup = setup;
    this.#timeout = timeout;
    this.#layout = layout;
    this.#keyspace = new Keyspace(layout);
    this.#claimed = claimed;
    this.#maxOperations = Math.min(
      MAX_SLICE_OPERATIONS,
      grouping === null ? Infinity : Math.floor(MAX_SLICE_OBJECTS / engine.workload.amounts[grouping.size]),
    );
    this.#lanes = invocations.map((threads, index) => new Lane(engine.connections[index], threads, seconds.startedAt));
    this.#claimRetrier = new Retrier({
      maxAttempts: MAX_CLAIM_ATTEMPTS,
      now: clock.now,
      random: engine.random,
      pauses,
      signal: watch.stopped,
      hooks: { attemptFailed() {}, retrying: claimed },
    });
    this.#seconds = new LateSeconds(seconds);
  }

  /** @returns {Sending} */
  begin() {
    return {
      run: async () => {
        await settleAll(this.#lanes.map((lane) => this.#runLane(lane)));
      },
      seconds: this.#seconds,
      progress: () => ({ done: this.#done, flow: { moved: this.#moved, underWay: 0 } }),
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
      this.#setup.watch.fail({ error, bucket: '', operation: this.#setup.stage.kinds[0].operation.name });
      throw error;
    } finally {
      this.#known(lane, Infinity);
    }
  }

  /** Takes the operations of the next slice. @param {Lane} lane */
  #take(lane) {
    if (this.#setup.watch.stopped.aborted || this.#timeLeft() <= 0) {
      return this.#takeTried(lane);
    }
    const { cycles, objects, claimed } = this.#setup.budget;
    const rest = cycles ? Infinity : Math.ceil((objects - claimed) / this.#lanes.length);
    const room = Math.min(lane.room, Math.max(rest, MIN_ROUNDS * lane.threads));
    const records = lane.due.splice(0, room);
    while (records.length < room) {
      const record = this.#claim(lane);
      if (record === null) {
        break;
      }
      records.push(record);
    }
    return records;
  }

  /** Returns the next operation; null if none is available now. @param {Lane} lane */
  #claim(lane) {
    // A thread whose operation waits for an object takes no other operation.
    while (lane.placing < lane.threads) {
      const record = this.#free.pop() ?? this.#newRecord(lane);
      if (this.#setup.claims.next(record) < 0) {
        this.#free.push(record);
        return null;
      }
      const wait = this.#setup.claims.place(record, 0);
      if (wait === 0) {
        return this.#begun(record, lane);
      }
      void this.#waitForObject(record, lane, wait);
    }
    return null;
  }

  /**
   * @param {OperationRecord} record with its object
   * @param {Lane} lane
   */
  #begun(record, { connection }) {
    record.connection = connection;
    record.attempts = 0;
    record.outcomeUnknown = false;
    this.#setup.recorder.begins(record);
    return record;
  }

  /**
   * @param {OperationRecord} record
   * @param {Lane} lane
   * @param {number} firstWait ms; negative if the record has no object
   */
  async #waitForObject(record, lane, firstWait) {
    lane.waiting += 1;
    lane.placing += 1;
    const isPlaced = await this.#setup.waitForObject(record, firstWait);
    lane.waiting -= 1;
    lane.placing -= 1;
    if (isPlaced) {
      lane.due.push(this.#begun(record, lane));
    } else {
      this.#free.push(record);
    }
    lane.wake();
  }

  /**
   * After the deadline, only retries continue. Operations that no slice reached are released without being counted.
   *
   * @param {Lane} lane
   * @returns {OperationRecord[]} retries; empty if the stage has stopped
   */
  #takeTried(lane) {
    const due = lane.due.splice(0);
    due.filter(({ attempts }) => attempts === 0).forEach((record) => this.#release(record));
    const tried = due.filter(({ attempts }) => attempts > 0);
    if (!this.#setup.watch.stopped.aborted) {
      lane.due.push(...tried.slice(this.#maxOperations));
      return tried.slice(0, this.#maxOperations);
    }
    tried.forEach((record) => this.#giveUp(record, abandonedError()));
    return [];
  }

  /** Ms that remain for operations to start. */
  #timeLeft() {
    return this.#until(this.#setup.limit?.stopsAt);
  }

  /** Ms that a slice may last. */
  #sliceTime() {
    const left = this.#timeLeft();
    const time = Math.min(MAX_SLICE_MS, left > 0 ? left : this.#until(this.#setup.limit?.endsAt));
    return Math.max(Math.floor(time), 1);
  }

  /** @param {number} [moment] monotonic ms */
  #until(moment = Infinity) {
    const { stopsAt } = this.#setup.budget;
    const earlier = Math.max((this.#setup.limit?.stopsAt ?? -Infinity) - stopsAt, 0);
    return moment - earlier - this.#setup.engine.clock.now();
  }

  /** @param {Lane} lane */
  #newRecord({ connection }) {
    return new OperationRecord(this.#setup.stage.kinds[0].operation, this.#setup.workload, connection);
  }

  /** @param {OperationRecord} record whose operation has ended */
  #release(record) {
    this.#setup.claims.done(record);
    this.#uncertain.delete(record);
    this.#free.push(record);
  }

  /**
   * @param {Lane} lane
   * @param {OperationRecord[]} records
   */
  async #runSlice(lane, records) {
    const { connection } = lane;
    const { clock } = this.#setup.engine;
    const versions = this.#setup.identifiesVersions ? new SliceVersions(records) : null;
    const { slice, bucket } = this.#sliceOf(lane, records, versions);
    this.#claimed();
    const sentAt = clock.now();
    connection.startedAt = sentAt;
    try {
      await connection.send(RUN_SLICE, { ...NOTHING, bucket, key: '', input: { Slice: slice } });
      const answer = answerIn(connection.reply.output, records.length);
      const receivedAt = clock.now();
      this.#settle(lane, records, answer, new SliceTimes(answer, clock, sentAt, receivedAt), versions);
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
   * @param {SliceVersions | null} versions
   * @returns {{ slice: Slice, bucket: string }} with the bucket of the slice's claim
   */
  #sliceOf({ threads }, records, versions) {
    const { kinds, grouping } = this.#setup.stage;
    const { shard, amounts, wroteObjects, written } = this.#setup.engine.workload;
    const { size, sizes } = this.#setup.load;
    const number = Math.floor(this.#setup.engine.random() * Math.floor(CLAIMS / shard.count));
    const claim = globalIndex(shard, number);
    const locals = records.map(({ localIndex }) => localIndex);
    return {
      bucket: this.#keyspace.bucketOf(claim),
      slice: {
        claim: this.#keyspace.claimKeyOf(claim),
        layout: this.#layout,
        operations: kinds.map(({ operation }) => operation.name),
        kinds: kinds.length === 1 ? [] : records.map(({ kind }) => kind),
        threads: Math.min(threads, records.length),
        lasts: this.#sliceTime(),
        timeout: this.#timeout,
        shard,
        size,
        sizes,
        amounts,
        wroteObjects,
        locals,
        turns: records.map(({ turn }) => turn),
        digests: wroteObjects && versions === null ? locals.map((local) => written.digestOf(local)) : [],
        ...(grouping === null ? {} : groupsIn(records)),
        versions: versions?.toRequest(),
      },
    };
  }

  /**
   * @param {Lane} lane
   * @param {readonly OperationRecord[]} records
   * @param {SliceAnswer} answer
   * @param {SliceTimes} times
   * @param {SliceVersions | null} versions
   */
  #settle(lane, records, { successes, failures, startedAt, endedAt }, times, versions) {
    const isOpen = new Set(records);
    const end = (/** @type {number} */ index, /** @type {number} */ begunAt, /** @type {number} */ finishedAt) => {
      const record = records[index];
      isOpen.delete(record);
      record.attempts += 1;
      record.attemptStartedAt = times.at(begunAt);
      record.startedAt = record.attempts === 1 ? record.attemptStartedAt : record.startedAt;
      record.finishedAt = times.at(finishedAt);
      return record;
    };
    const isChange = (/** @type {SlicedSuccess} */ [index]) => changes(records[index].operation);
    for (const success of [...successes.filter(isChange), ...successes.filter((each) => !isChange(each))]) {
      const [index, begunAt, finishedAt] = success;
      this.#succeeded(end(index, begunAt, finishedAt), success, versions);
    }
    for (const { index, begunAt, finishedAt, error, finding, versionError } of failures) {
      const record = end(index, begunAt, finishedAt);
      if (error === null) {
        this.#giveUp(record, new IntegrityError(record, plainText(finding, MAX_FINDING_LENGTH), versionError));
      } else {
        this.#tryLater(lane, record, attemptErrorOf(error));
      }
    }
    const rate = successes.length / Math.max(endedAt - startedAt, 1);
    lane.room = Math.min(Math.max(Math.ceil(rate * MAX_SLICE_MS * SHARE_OF_TIME), lane.threads), this.#maxOperations);
    // The next slice starts with the operations that this one did not reach.
    lane.due.unshift(...isOpen);
  }

  /**
   * @param {OperationRecord} record
   * @param {SlicedSuccess} success
   * @param {SliceVersions | null} versions
   */
  #succeeded(record, success, versions) {
    const { receives } = record.operation;
    if (changes(record.operation)) {
      this.#noteChange(record, success, versions);
    } else if (versions !== null && !this.#isAllowed(record, success, versions)) {
      return;
    }
    const [, begunAt, , answeredAt, , fitting = null] = success;
    const { recorder, claims } = this.#setup;
    const bytes = record.movedBytes;
    const hasBody = receives && fitting?.length !== 0;
    this.#done += 1;
    this.#moved += bytes;
    recorder.ended(record);
    // Release the object now, because the operation is counted later.
    claims.done(record);
    this.#seconds.add({
      finishedAt: record.finishedAt,
      count: () => {
        recorder.succeeded(record, bytes);
        if (hasBody) {
          recorder.meters.kinds[record.kind].answered(answeredAt - begunAt, record.finishedAt);
        }
        this.#uncertain.delete(record);
        this.#free.push(record);
      },
    });
  }

  /**
   * @param {OperationRecord} record of a completed change
   * @param {SlicedSuccess} success
   * @param {SliceVersions | null} versions
   */
  #noteChange(record, [, , finishedAt, , etagDigest], versions) {
    const { written } = this.#setup.workload;
    const { localIndex, operation } = record;
    const digest = etagDigest || NO_ETAG;
    if (versions !== null) {
      record.isAcknowledged = true;
      versions.changed(record, finishedAt);
    }
    if (operation.creates) {
      if (versions !== null) {
        mixedOf(record).etags.set(localIndex, record.state, digest);
      }
      written.add(localIndex, digest);
    } else {
      const locals = operation.grouping === undefined ? [localIndex] : record.locals;
      locals.forEach((local) => written.delete(local));
    }
  }

  /**
   * @param {OperationRecord} record of a read
   * @param {SlicedSuccess} success
   * @param {SliceVersions} versions
   * @returns {boolean} whether the read version is allowed; if not, the operation has failed
   */
  #isAllowed(record, success, versions) {
    try {
      versions.check(record, success);
      return true;
    } catch (error) {
      this.#giveUp(record, error);
      return false;
    }
  }

  /**
   * @param {Lane} lane
   * @param {OperationRecord} record whose attempt failed
   * @param {AttemptError} error
   */
  #tryLater(lane, record, error) {
    this.#noteFailure(record, error);
    lane.waiting += 1;
    const decided = this.#setup.retrier.afterFailure(record, error, this.#uncertain.has(record)).then(
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
    this.#setup.recorder.failed(record, error);
    this.#setup.recorder.ended(record);
    this.#release(record);
  }

  /**
   * @param {OperationRecord} record
   * @param {AttemptError} error from its last attempt
   */
  #noteFailure(record, error) {
    if (error.outcomeUnknown) {
      this.#uncertain.add(record);
    }
    if (this.#setup.identifiesVersions && changes(record.operation)) {
      noteUncertainty(record, error);
    }
  }

  /**
   * Settles a slice that got no response: either it can never begin, or its operations are retried after it must have
   * ended.
   *
   * @param {Lane} lane
   * @param {OperationRecord[]} records
   * @param {AttemptError} error
   * @param {{ claim: string, bucket: string, lasts: number }} slice
   */
  async #lost(lane, records, error, { claim, bucket, lasts }) {
    if (this.#setup.watch.stopped.aborted || error.handling !== 'retry') {
      const final = error.handling === 'fail' ? new AttemptError({ ...detailsOf(error), handling: 'stop' }) : error;
      records.forEach((record) => {
        record.attempts += 1;
        record.outcomeUnknown ||= error.outcomeUnknown;
        this.#noteFailure(record, error);
        this.#giveUp(record, final);
      });
      return;
    }
    const hasBegun = error.sent && error.outcomeUnknown && !(await this.#claimForNobody(lane, claim, bucket));
    if (!hasBegun) {
      // A single request failed, so only one operation counts as attempted.
      const [first, ...others] = records;
      first.attempts += 1;
      lane.due.push(...others);
      await this.#tryBeforeAll(lane, first, new AttemptError({ ...detailsOf(error), outcomeUnknown: false }));
      return;
    }
    // Wait until no request of this slice can be in flight, because a retry can rewrite the same key.
    const over = records[0].attemptStartedAt + lasts + this.#timeout;
    await this.#setup.pauses.wait(Math.max(over - this.#setup.engine.clock.now(), 0));
    records.forEach((record) => {
      record.attempts += 1;
      this.#tryLater(lane, record, error);
    });
  }

  /**
   * Waits before a retry. This delays the whole lane, whose next request would be refused for the same reason.
   *
   * @param {Lane} lane
   * @param {OperationRecord} record
   * @param {AttemptError} error
   */
  async #tryBeforeAll(lane, record, error) {
    try {
      await this.#setup.retrier.afterFailure(record, error, this.#uncertain.has(record));
      lane.due.unshift(record);
    } catch (reason) {
      this.#giveUp(record, reason);
    }
  }

  /**
   * @param {Lane} lane
   * @param {string} claim
   * @param {string} bucket
   * @returns {Promise<boolean>} whether the claim succeeded, so that the slice has not begun and never will
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
      // The Worker claimed the slice first, or the claim failed.
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

/**
 * @param {Readonly<Record<string, any>>} output of a slice
 * @param {number} operations number in the slice
 * @returns {SliceAnswer} with at least one outcome, so that the stage makes progress
 * @throws {AttemptError}
 */
function answerIn(output, operations) {
  const answer = sliceAnswerIn(output, operations);
  if (answer === null) {
    throw new AttemptError({
      kind: 'protocol',
      handling: 'retry',
      outcomeUnknown: true,
      message: 'the response does not fit the slice: check that client and Worker have the same version',
    });
  }
  if (answer.successes.length + answer.failures.length === 0) {
    throw new AttemptError({
      kind: 'protocol',
      handling: 'retry',
      message: 'the Worker responded to a slice without any outcomes',
    });
  }
  return answer;
}

/** @param {AttemptErrorDetails} details from the Worker, whose texts are untrusted */
function attemptErrorOf({ kind, handling, message, status, code, outcomeUnknown, isOverload }) {
  return new AttemptError({
    kind: KIND.test(redact(String(kind))) ? kind : 'other',
    handling,
    message: plainText(message),
    status: Number(status),
    code: plainText(String(code)),
    outcomeUnknown: outcomeUnknown === true,
    isOverload: isOverload === true,
  });
}

/** @param {readonly OperationRecord[]} records of operations on several objects each */
function groupsIn(records) {
  const { written, wroteObjects } = records[0].workload;
  const groups = records.map(({ locals, isLastOfBucket, nextLocal }) => ({
    locals: [...locals],
    isLast: isLastOfBucket,
    next: nextLocal,
  }));
  const isAbsent = (/** @type {number} */ local) => local >= 0 && wroteObjects && !written.has(local);
  return { groups, absent: groups.flatMap(({ locals, next }) => [...locals, next].filter(isAbsent)) };
}

/** The fields of a call without an object. */
const NOTHING = Object.freeze({ size: 0, body: null, sink: { accept() {} } });

class SliceTimes {
  #clock;
  #startedAt;
  /** Assumed error of the Worker's clock in ms. */
  #shift;
  #sentAt;
  #receivedAt;

  /**
   * Invocations run on many machines, whose clocks agree to within milliseconds. Times are corrected so that no time of
   * a slice is before the slice was sent or after its response arrived.
   *
   * @param {Pick<SliceAnswer, 'startedAt' | 'endedAt'>} answer
   * @param {Clock} clock set to the Worker's time
   * @param {number} sentAt monotonic ms
   * @param {number} receivedAt monotonic ms
   */
  constructor({ startedAt, endedAt }, clock, sentAt, receivedAt) {
    const late = Math.min(receivedAt - clock.fromEpoch(endedAt), 0);
    this.#clock = clock;
    this.#startedAt = startedAt;
    this.#shift = Math.max(late, sentAt - clock.fromEpoch(startedAt));
    this.#sentAt = sentAt;
    this.#receivedAt = receivedAt;
  }

  /** Returns monotonic ms. @param {number} offset ms since the slice began */
  at(offset) {
    const moment = this.#clock.fromEpoch(this.#startedAt + offset) + this.#shift;
    return Math.min(Math.max(moment, this.#sentAt), this.#receivedAt);
  }
}
