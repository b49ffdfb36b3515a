import { formatMegabytes } from '../log/units.js';

/**
 * @import { Terminal } from './terminal.js'
 * @import { DataFlow, StagePlan } from '../model/run-events.js'
 */

/** How long before it is shown a rate is measured. ms */
const RATE_OVER_MS = 5000;

/**
 * @typedef {Pick<StagePlan, 'stage' | 'objects' | 'objectSize' | 'duration'>} Plan
 *
 * @typedef {object} Sight what was seen of a stage at one moment
 * @property {number} at monotonic ms
 * @property {number} done operations that have come to an end
 * @property {number} worked the same, with the parts of operations whose objects are on the way
 * @property {number} moved bytes
 */

/** The live line of the stage under way: how far it is, how fast it goes now, and how long it still takes. */
export class Progress {
  #terminal;
  #now;
  #startedAt = 0;
  /** What was shown in the last while. @type {Sight[]} */
  #shown = [];
  /** @type {Plan | null} */
  #plan = null;

  /**
   * @param {Pick<Terminal, 'live'>} terminal
   * @param {() => number} now monotonic ms
   */
  constructor(terminal, now) {
    this.#terminal = terminal;
    this.#now = now;
  }

  /** @param {Plan} plan */
  start(plan) {
    this.#plan = plan;
    this.#startedAt = this.#now();
    this.#shown = [{ at: this.#startedAt, done: 0, worked: 0, moved: 0 }];
  }

  /**
   * @param {number} done operations of the stage that have come to an end
   * @param {DataFlow} flow
   */
  show(done, { moved, underWay }) {
    if (this.#plan !== null) {
      const { objectSize } = this.#plan;
      const now = this.#now();
      const worked = done + (objectSize === 0 ? 0 : underWay / objectSize);
      const first = this.#see({ at: now, done, worked, moved });
      const aSecond = 1000 / (now - first.at);
      this.#terminal.live(
        progressLine({
          ...this.#plan,
          done,
          worked,
          elapsed: now - this.#startedAt,
          rate: aSecond * (done - first.done),
          pace: aSecond * (worked - first.worked),
          byteRate: aSecond * (moved - first.moved),
        }),
      );
    }
  }

  /**
   * @param {Sight} sight
   * @returns {Sight} that of a while ago
   */
  #see(sight) {
    this.#shown.push(sight);
    while (this.#shown.length > 2 && this.#shown[1].at <= sight.at - RATE_OVER_MS) {
      this.#shown.shift();
    }
    return this.#shown[0];
  }

  stop() {
    this.#plan = null;
    this.#terminal.live('');
  }
}

/**
 * @param {object} state
 * @param {string} state.stage
 * @param {number} state.objects
 * @param {number} state.objectSize bytes that an operation moves; 0 where it moves none
 * @param {number | null} state.duration ms, where it is time that ends the stage
 * @param {number} state.done operations
 * @param {number} state.worked operations, with the parts of those under way
 * @param {number} state.elapsed ms since the stage began
 * @param {number} state.rate ops/s of now
 * @param {number} state.pace of what has been worked, likewise
 * @param {number} state.byteRate bytes/s of now, those of failed attempts included
 * @returns {string}
 */
export function progressLine({ stage, objects, objectSize, duration, done, worked, elapsed, rate, pace, byteRate }) {
  const share = duration === null ? shareOf(worked, done, objects) : Math.min(elapsed / duration, 1);
  const left = duration === null ? secondsLeft(objects - worked, pace) : Math.max(duration - elapsed, 0) / 1000;
  const end = left === null ? '' : `  ${formatTime(left)} left`;
  const what = duration === null ? `${done} of ${objects}` : `${done} operations`;
  const data = objectSize === 0 ? '' : `  ${formatMegabytes(byteRate)} MB/s`;
  return `${stage}  ${what}  ${Math.floor(share * 100)}%  ${Math.round(rate)} ops/s${data}${end}`;
}

/**
 * What has been sent whole may still wait for its answer: it is not all done before it is.
 *
 * @param {number} worked
 * @param {number} done
 * @param {number} objects
 */
function shareOf(worked, done, objects) {
  return done < objects ? Math.min(worked / objects, 0.99) : 1;
}

/**
 * @param {number} operations
 * @param {number} pace ops/s
 * @returns {number | null} null where it cannot be foretold
 */
function secondsLeft(operations, pace) {
  return operations > 0 && pace > 0 ? operations / pace : null;
}

/** @param {number} seconds */
function formatTime(seconds) {
  const whole = Math.ceil(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes === 0 ? `${whole}s` : `${minutes}m ${whole % 60}s`;
}
