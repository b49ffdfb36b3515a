import { Arrivals } from './arrivals.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { StageMeters } from '../meter/stage-meter.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { Trace } from '../model/config.js'
 * @import { Alarm } from './alarm.js'
 * @import { Pacing } from './arrivals.js'
 * @import { Budget } from './budget.js'
 * @import { StageClaims } from './claims-for.js'
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
