import { Arrivals } from './arrivals.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { StageMeter } from '../meter/stage-meter.js'
 * @import { Alarm } from './alarm.js'
 * @import { Pacing } from './arrivals.js'
 * @import { Budget } from './budget.js'
 * @import { Operation } from './operation.js'
 */

/**
 * Starts operations at times that do not depend on the store. Each thread takes the next arrival, waits for its time where
 * that is still to come, and starts at once where it has passed; none is dropped. An operation's latency counts from its
 * time, so that what a slow answer delays is not left out (coordinated omission: Gil Tene, "How NOT to Measure Latency").
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
   * @param {object} options
   * @param {Pacing} options.pacing
   * @param {number} options.startedAt monotonic ms of the stage's start
   * @param {Clock} options.clock
   * @param {Budget} options.budget
   * @param {Pick<Alarm, 'waitUntil' | 'endAll'>} options.alarm
   */
  constructor({ pacing, startedAt, clock, budget, alarm }) {
    this.#arrivals = new Arrivals(pacing);
    this.#startedAt = startedAt;
    this.#clock = clock;
    this.#budget = budget;
    this.#alarm = alarm;
  }

  /**
   * @param {object} options
   * @param {() => number} options.claim the place of the next object, or -1
   * @param {(operation: Operation, place: number) => Promise<void>} options.perform
   * @param {StageMeter} options.meter
   * @returns {{ claim: () => number, work: (operation: Operation, arrival: number) => Promise<void> }} see runPool
   */
  work({ claim, perform, meter }) {
    return {
      claim: () => this.#budget.arrive(),
      work: async (operation, arrival) => {
        operation.intendedAt = this.#startedAt + this.#arrivals.timeOf(arrival);
        if (this.#clock.now() < operation.intendedAt && !this.#budget.isClosed) {
          await this.#alarm.waitUntil(operation.intendedAt);
        }
        // An object is claimed only now, so that none is claimed and not worked on where the stage ends during the wait.
        const place = claim();
        if (place < 0) {
          this.close();
          return;
        }
        const now = this.#clock.now();
        meter.started(now - operation.intendedAt, now);
        this.#underWay += 1;
        this.#isIdle = false;
        await perform(operation, place);
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

  /** @returns {number} ms since the moment at which the next operation was to start; negative where it is to come */
  backlog() {
    if (!this.#budget.expectsArrival) {
      return 0;
    }
    return this.#clock.now() - this.#startedAt - this.#arrivals.timeOf(this.#budget.arrivals);
  }

  /** There is no more work: nobody waits for the time of an operation that will not be. */
  close() {
    this.#budget.close();
    this.#alarm.endAll();
  }
}
