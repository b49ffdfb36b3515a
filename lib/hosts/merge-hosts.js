import { STAGE_NAMES } from '../log/log-line.js';
import { parseTimeOfDay } from '../log/units.js';

/** @typedef {import('../log/log-line.js').LogRecord} LogRecord */
/** @typedef {import('../log/log-line.js').StageName} StageName */
/** @typedef {import('./read-logs.js').LogWarning} LogWarning */

/**
 * @typedef {object} StageLog what one log says of one stage
 * @property {Map<number, { total: number, lines: number }>} seconds ops/s by second, counted from midnight before the
 *   log's first line
 * @property {number | null} summaryPeak ops/s; null where no summary stands in the log
 * @property {number | null} begunAt the line at which the stage began that has no summary yet
 * @property {number | null} cutAt the line at which a stage began that was never summed up
 */

/** @typedef {Partial<Record<StageName, number>>} Peaks ops/s of the stages that occur */

const SECONDS_OF_DAY = 86_400;

/** The log of one host, taken in line by line: its memory grows with the seconds of the run, not with the file. */
export class HostLog {
  #day = 0;
  #latest = 0;
  /** The second of the first line that has a time, or null. @type {number | null} */
  firstSecond = null;
  /** @type {Map<StageName, StageLog>} */
  stages = new Map();

  /** @param {string} file */
  constructor(file) {
    this.file = file;
  }

  /**
   * @param {number} line where in the file the record stands
   * @param {LogRecord} record
   */
  add(line, record) {
    if (record.kind === 'schedule') {
      const stage = this.#stage(record.stage);
      stage.cutAt ??= stage.begunAt;
      stage.begunAt = line;
    } else if (record.kind === 'second') {
      this.#addSecond(this.#stage(record.stage, line).seconds, this.#secondOf(record.time), record.operationsPerSecond);
    } else if (record.kind === 'summary') {
      const stage = this.#stage(record.stage);
      stage.begunAt = null;
      stage.summaryPeak = Math.max(stage.summaryPeak ?? 0, record.peakOperationsPerSecond);
    }
  }

  /**
   * The stages that began in this log and were never summed up.
   *
   * @returns {LogWarning[]}
   */
  warnings() {
    return [...this.stages].flatMap(([name, { cutAt, begunAt }]) => {
      const line = cutAt ?? begunAt;
      const message = `${name} begins here and has no summary: the log is cut short`;
      return line === null ? [] : [{ file: this.file, line, message, incomplete: true }];
    });
  }

  /**
   * @param {StageName} name
   * @param {number | null} [begunAt] for a stage of which nothing was heard before: the log may have lost its beginning
   */
  #stage(name, begunAt = null) {
    let stage = this.stages.get(name);
    if (stage === undefined) {
      stage = { seconds: new Map(), summaryPeak: null, begunAt, cutAt: null };
      this.stages.set(name, stage);
    }
    return stage;
  }

  /**
   * A time of day that goes back by more than half a day belongs to the next day.
   *
   * @param {string} time
   */
  #secondOf(time) {
    const timeOfDay = parseTimeOfDay(time);
    if (timeOfDay < this.#latest - SECONDS_OF_DAY / 2) {
      this.#day += 1;
    }
    this.#latest = timeOfDay;
    const second = this.#day * SECONDS_OF_DAY + timeOfDay;
    this.firstSecond ??= second;
    return second;
  }

  /**
   * The old tool's interval drifts, so that two rates may fall into one second. Each is the rate of about a second: their
   * sum would be a peak that never was.
   *
   * @param {StageLog['seconds']} seconds
   * @param {number} second
   * @param {number} operationsPerSecond
   */
  #addSecond(seconds, second, operationsPerSecond) {
    const { total, lines } = seconds.get(second) ?? { total: 0, lines: 0 };
    seconds.set(second, { total: total + operationsPerSecond, lines: lines + 1 });
  }
}

/**
 * The peak of each stage over all hosts: the largest sum of the hosts' ops/s in one second. Where one log alone has a
 * stage, its summary counts as well: a stage shorter than a second has its rate only there. The summaries of several logs
 * are not added up, because nothing says that their peaks fell into the same second.
 *
 * @param {readonly HostLog[]} hosts
 * @returns {Peaks} in the order of the stages
 */
export function mergePeaks(hosts) {
  /** @type {Peaks} */
  const peaks = {};
  for (const name of STAGE_NAMES) {
    const peak = peakOf(name, hosts);
    if (peak !== undefined) {
      peaks[name] = peak;
    }
  }
  return peaks;
}

/**
 * @param {StageName} name
 * @param {readonly HostLog[]} hosts
 * @returns {number | undefined} undefined where no log says how fast the stage was
 */
function peakOf(name, hosts) {
  const counted = hosts.filter((host) => isCounted(host.stages.get(name)));
  const best = largest(sumBySecond(name, hosts).values());
  if (counted.length > 1 && best !== undefined) {
    return best;
  }
  const summaryPeaks = counted.map((host) => host.stages.get(name)?.summaryPeak);
  return largest([best, ...summaryPeaks].filter((peak) => typeof peak === 'number'));
}

/** @param {StageLog | undefined} stage */
function isCounted(stage) {
  return stage !== undefined && (stage.seconds.size > 0 || stage.summaryPeak !== null);
}

/**
 * @param {StageName} name
 * @param {readonly HostLog[]} hosts
 * @returns {Map<number, number>} ops/s of all hosts together, by second
 */
function sumBySecond(name, hosts) {
  const origin = hosts.find(({ firstSecond }) => firstSecond !== null)?.firstSecond ?? 0;
  /** @type {Map<number, number>} */
  const sums = new Map();
  for (const { firstSecond, stages } of hosts) {
    const shift = wholeDays(origin - (firstSecond ?? origin));
    for (const [second, { total, lines }] of stages.get(name)?.seconds ?? []) {
      sums.set(second + shift, (sums.get(second + shift) ?? 0) + total / lines);
    }
  }
  return sums;
}

/**
 * A time of day does not tell the day. Hosts that measure together start within half a day of each other, also where
 * midnight lies between.
 *
 * @param {number} seconds between the starts of two logs
 * @returns {number} the days between them, in seconds
 */
function wholeDays(seconds) {
  return Math.round(seconds / SECONDS_OF_DAY) * SECONDS_OF_DAY;
}

/** @param {Iterable<number>} values */
function largest(values) {
  /** @type {number | undefined} */
  let maximum;
  for (const value of values) {
    maximum = Math.max(maximum ?? value, value);
  }
  return maximum;
}
