import { mixIndex, seedOf } from './workload/mix.js';

/**
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { StageMeters } from '../measure/stage-meter.js'
 * @import { Trace } from '../result/config.js'
 * @import { OperationRecord } from './operations/operation-record.js'
 * @import { Alarm } from './alarm.js'
 * @import { Budget } from './budget.js'
 * @import { StageClaims } from './claims.js'
 */

/**
 * Starts operations at times that do not depend on the store. Each thread takes the next arrival, waits until it is
 * due, and starts immediately if it is overdue; no arrival is dropped. Latency counts from the arrival, so delays
 * caused by slow responses are included (coordinated omission: Gil Tene, "How NOT to Measure Latency").
 */
export class OpenLoop {
  #arrivals;
  #startedAt;
  #clock;
  #budget;
  #alarm;
  #underWay = 0;
  #isIdle = true;

  /**
   * @param {{ pacing: Pacing, trace?: Trace | null, startedAt: number, clock: Clock, budget: Budget,
   *   alarm: Pick<Alarm, 'waitUntil' | 'endAll'> }} options `startedAt`: monotonic ms of the stage's start
   */
  constructor({ pacing, trace, startedAt, clock, budget, alarm }) {
    this.#arrivals = new Arrivals(pacing, trace);
    this.#startedAt = startedAt;
    this.#clock = clock;
    this.#budget = budget;
    this.#alarm = alarm;
  }

  /**
   * @param {{ claims: Pick<StageClaims, 'next'>, perform: (record: OperationRecord) => Promise<void>,
   *   meters: Pick<StageMeters, 'kinds'> }} options
   * @returns {{ claim: () => number, work: (record: OperationRecord, arrival: number) => Promise<void> }} see runPool
   */
  work({ claims, perform, meters }) {
    return {
      claim: () => this.#budget.arrive(),
      work: async (record, arrival) => {
        record.intendedAt = this.#startedAt + this.#arrivals.timeOf(arrival);
        if (this.#clock.now() < record.intendedAt && !this.#budget.isClosed) {
          await this.#alarm.waitUntil(record.intendedAt);
        }
        // Claims only after the wait: a stage that ends meanwhile must not leave a claimed operation unperformed.
        if (claims.next(record) < 0) {
          this.close();
          return;
        }
        const now = this.#clock.now();
        meters.kinds[record.kind].started(now - record.intendedAt, now);
        this.#underWay += 1;
        this.#isIdle = false;
        await perform(record);
        this.#underWay -= 1;
      },
    };
  }

  /** @returns {boolean} whether no operation has been under way since the last call */
  wasIdle() {
    const wasIdle = this.#isIdle;
    this.#isIdle = this.#underWay === 0;
    return wasIdle;
  }

  /** @returns {number} ms since the next operation was due; negative if it is not due yet */
  backlog() {
    if (!this.#budget.expectsArrival) {
      return 0;
    }
    return this.#clock.now() - this.#startedAt - this.#arrivals.timeOf(this.#budget.arrivals);
  }

  /** Hands out no more work, and ends all waits for arrivals. */
  close() {
    this.#budget.close();
    this.#alarm.endAll();
  }
}

/** Starts a thread's next operation when its previous one ends. */
export class ClosedLoop {
  #budget;

  /** @param {Budget} budget */
  constructor(budget) {
    this.#budget = budget;
  }

  /**
   * @param {{ claims: Pick<StageClaims, 'next'>, perform: (record: OperationRecord) => Promise<void>,
   *   meters: Pick<StageMeters, 'kinds'> }} options `meters` is unused: a closed loop has no start delays
   * @returns {{ claim: (record: OperationRecord) => number,
   *   work: (record: OperationRecord, claim: number) => Promise<void> }} see runPool
   */
  work({ claims, perform }) {
    return { claim: (record) => claims.next(record), work: perform };
  }

  /** No thread is ever idle. */
  wasIdle() {
    return false;
  }

  /** Operations have no scheduled start, so none can be late. */
  backlog() {
    return 0;
  }

  close() {
    this.#budget.close();
  }
}

const TWO_TO_THE_32 = 2 ** 32;

/**
 * When the operations of an open loop should start, regardless of how the store responds.
 *
 * @typedef {object} Pacing
 * @property {number} rate arrivals per second, across all workers
 * @property {'constant' | 'poisson' | 'recorded'} arrival at equal intervals, at exponentially distributed intervals with
 *   the same mean, like the requests of many independent users, or at the times of recorded requests
 * @property {number} [speed] of recorded requests; 1 if they are as fast as recorded
 * @property {number} [first] number of the first recorded request
 * @property {number} [busiestMinute] recorded requests per second in it, at this speed
 * @property {string} seed for random intervals: every worker computes the same arrivals
 */

/** The arrival times of an open loop. Each depends only on the arrival's number. */
export class Arrivals {
  #interval;
  #seed;
  #next = 0;
  #nextAt = 0;
  /** The time of a recorded request; null if there are none. @type {((number: number) => number) | null} */
  #recorded = null;

  /**
   * @param {Pacing} pacing
   * @param {Pick<Trace, 'times'> | null} [trace] of recorded requests
   */
  constructor({ rate, arrival, seed, speed = 1, first = 0 }, trace = null) {
    if (arrival === 'recorded' && trace !== null) {
      const { times } = trace;
      this.#recorded = (number) => (times[first + number] - (first === 0 ? 0 : times[first])) / speed;
    }
    this.#interval = 1000 / rate;
    this.#seed = arrival === 'poisson' ? seedOf(seed) : null;
  }

  /** Ms from the stage's start. @param {number} number of the arrival, from 0; never lower than in an earlier call */
  timeOf(number) {
    if (this.#recorded !== null) {
      return this.#recorded(number);
    }
    if (this.#seed === null) {
      return number * this.#interval;
    }
    // Each worker adds up all intervals, including the intervals before arrivals that other workers handle.
    while (this.#next < number) {
      this.#next += 1;
      this.#nextAt += exponential(mixIndex(this.#next, this.#seed)) * this.#interval;
    }
    return this.#nextAt;
  }
}

/** An exponentially distributed value with mean 1, by inversion sampling. @param {number} drawn uniform in [0, 2³²) */
function exponential(drawn) {
  return -Math.log((drawn + 0.5) / TWO_TO_THE_32);
}
