import { parseTimeOfDay } from '../../text/units.js';

const SECONDS_PER_DAY = 86_400;

/** A clock can be set back by up to this many seconds; a larger step back means that midnight has passed. */
const MAX_SETBACK = 3600;

/** Adds the date to the times of day of a log, line by line. Without a known date, days count from the first line. */
export class TimeLine {
  /** @type {number | null} */
  #latest = null;
  /** Whether toSeconds() returns epoch seconds. */
  isDated = false;

  /** @param {number} epochMs a time before the next lines */
  setDate(epochMs) {
    this.#latest = Math.floor(epochMs / 1000);
    this.isDated = true;
  }

  /** Call before the lines of a run without a date. */
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
  toSeconds(time) {
    const timeOfDay = parseTimeOfDay(time);
    if (this.#latest === null) {
      this.#latest = timeOfDay;
    } else {
      const earliest = this.#latest - MAX_SETBACK;
      const later = (timeOfDay - earliest) % SECONDS_PER_DAY;
      this.#latest = earliest + (later < 0 ? later + SECONDS_PER_DAY : later);
    }
    return this.#latest;
  }
}

/**
 * Rounds seconds to whole days. Hosts that measure together start within half a day of each other, so that the rounded
 * difference between their times of day is 0, or a day if midnight is in between.
 *
 * @param {number} seconds between two times
 */
export function wholeDays(seconds) {
  return Math.round(seconds / SECONDS_PER_DAY) * SECONDS_PER_DAY;
}
