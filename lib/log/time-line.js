import { parseTimeOfDay } from '../text/units.js';

const SECONDS_OF_DAY = 86_400;

/** A clock may be set back by so much, in seconds; what goes back by more has passed midnight. */
const FURTHEST_BACK = 3600;

/**
 * Tells the days of the times of day that stand in a log, line by line. Where the log says no date, days are counted from
 * the first line's.
 */
export class TimeLine {
  /** @type {number | null} */
  #latest = null;
  /** Whether the seconds are epoch seconds. */
  isDated = false;

  /**
   * A date from which the lines go on.
   *
   * @param {number} epochMs
   */
  dateFrom(epochMs) {
    this.#latest = Math.floor(epochMs / 1000);
    this.isDated = true;
  }

  /** The lines that follow belong to a run that says no date. */
  forgetDate() {
    if (this.isDated) {
      this.#latest = null;
      this.isDated = false;
    }
  }

  /**
   * @param {string} time of day, `HH:MM:SS`
   * @returns {number} seconds since 1970, or since midnight before the first line
   */
  place(time) {
    const timeOfDay = parseTimeOfDay(time);
    if (this.#latest === null) {
      this.#latest = timeOfDay;
    } else {
      const earliest = this.#latest - FURTHEST_BACK;
      this.#latest = earliest + modulo(timeOfDay - earliest, SECONDS_OF_DAY);
    }
    return this.#latest;
  }
}

/**
 * A time of day does not tell the day. Hosts that measure together start within half a day of each other, also where
 * midnight lies between.
 *
 * @param {number} seconds between two times
 * @returns {number} the days between them, in seconds
 */
export function wholeDays(seconds) {
  return Math.round(seconds / SECONDS_OF_DAY) * SECONDS_OF_DAY;
}

/**
 * @param {number} value
 * @param {number} divisor
 * @returns {number} from 0 to below the divisor, of a negative value, too
 */
function modulo(value, divisor) {
  return ((value % divisor) + divisor) % divisor;
}
