/**
 * @import { MeanTogether, Overlap, PeakSecond, Stretch } from '../result.js'
 * @import { StageView } from './hosts.js'
 */

/**
 * @typedef {{ view: StageView, tenths: number, bytes: number }} HostSecond one host in one second; tenths of operations
 * @typedef {{ second: number, hosts: HostSecond[] }} SecondOfHosts `hosts` have a line for the second
 */

/**
 * Iterates over the seconds of a stage in order, across all hosts.
 *
 * @param {readonly StageView[]} views
 * @returns {Generator<SecondOfHosts, void, undefined>} only seconds with a line from at least one host
 */
export function* secondsOf(views) {
  const spans = views.flatMap((view) => {
    const { extent } = view.stage.seconds;
    return extent === null ? [] : [{ view, first: extent.first + view.shift, last: extent.last + view.shift }];
  });
  const all = new Set(views.flatMap(({ stage: { seconds }, shift }) => seconds.keys().map((second) => second + shift)));
  const waiting = spans.sort((one, other) => other.first - one.first);
  let present = spans.slice(0, 0);
  for (const second of [...all].sort((one, other) => one - other)) {
    while (waiting.length > 0 && waiting[waiting.length - 1].first <= second) {
      present.push(...waiting.splice(-1));
    }
    present = present.filter(({ last }) => last >= second);
    const hosts = present.flatMap(({ view }) => {
      const { seconds } = view.stage;
      const tenths = seconds.get(second - view.shift);
      return tenths === undefined ? [] : [{ view, tenths, bytes: seconds.bytesOf(second - view.shift) }];
    });
    yield { second, hosts };
  }
}

/**
 * One host in one second, which starts at `second`: the operations that completed, and the bytes of their objects.
 *
 * @typedef {{ second: number, stage: string, host: string, operations: number, bytes: number }} TimeSeriesRow
 */

/**
 * @param {ReadonlyMap<string, readonly StageView[]>} views
 * @returns {Generator<TimeSeriesRow, void, undefined>} stage by stage, second by second, host by host
 */
export function* timeSeriesOf(views) {
  for (const [stage, stageViews] of views) {
    for (const { second, hosts } of secondsOf(stageViews)) {
      for (const { view, tenths, bytes } of hosts) {
        yield { second, stage, host: view.host.name, operations: tenths / 10, bytes };
      }
    }
  }
}

/**
 * @param {readonly { host: unknown, start: number, stop: number }[]} intervals in ms; those of one host do not overlap
 */
export function overlapOf(intervals) {
  const hosts = new Set(intervals.map(({ host }) => host)).size;
  const changes = intervals
    .flatMap(({ start, stop }) => [
      { at: start, by: 1 },
      { at: stop, by: -1 },
    ])
    // At equal times, leave before entering: intervals that only touch do not overlap.
    .sort((one, other) => one.at - other.at || one.by - other.by);
  /** @type {Overlap} */
  const overlap = { together: 0, any: 0, from: null, to: null };
  let present = 0;
  let since = changes[0]?.at ?? 0;
  for (const { at, by } of changes) {
    if (present > 0) {
      overlap.any += at - since;
    }
    if (present === hosts && at > since) {
      overlap.together += at - since;
      overlap.from ??= since;
      overlap.to = at;
    }
    present += by;
    since = at;
  }
  return overlap;
}

const SUSTAINED_SECONDS = 10;

/** Finds the best seconds of a stage. Seconds must be added in order. */
export class PeakFinder {
  #hostCount;
  /**
   * The latest consecutive seconds, at most a window's worth; `isWhole`: not at the edge of every host's stage.
   *
   * @type {{ tenths: number, bytes: number, isWhole: boolean }[]}
   */
  #row = [];
  #latest = -Infinity;
  #together = { tenths: 0, bytes: 0, seconds: 0 };
  /** @type {PeakSecond | null} */
  peak = null;
  /** @type {Stretch | null} */
  #best = null;
  #hasWholeRow = false;

  /** @param {number} hostCount hosts that have the stage */
  constructor(hostCount) {
    this.#hostCount = hostCount;
  }

  /** @param {SecondOfHosts} second */
  add({ second, hosts }) {
    const tenths = hosts.reduce((sum, host) => sum + host.tenths, 0);
    const bytes = hosts.reduce((sum, host) => sum + host.bytes, 0);
    // A second at the edge of every host's stage is incomplete and does not count. A stage without complete seconds is
    // an exception.
    const isWhole = hosts.some(({ view }) => view.full === null || isFull(view, second));
    const rate = rateOf(tenths, bytes, 1);
    if (isWhole && (this.peak === null || rate.operationsPerSecond > this.peak.operationsPerSecond)) {
      this.peak = { ...rate, secondStart: second, hosts: hosts.length };
    }
    this.#addToRow(second, { tenths, bytes, isWhole });
    const inside = new Set(hosts.filter(({ view }) => isFull(view, second)).map(({ view }) => view.host));
    if (inside.size === this.#hostCount) {
      this.#together.tenths += tenths;
      this.#together.bytes += bytes;
      this.#together.seconds += 1;
    }
  }

  /**
   * The best window, which may contain an incomplete second. Null if every window contains one: the best rate would
   * then be below the mean.
   */
  get sustained() {
    return this.#hasWholeRow ? this.#best : null;
  }

  /** @returns {MeanTogether | null} null unless all hosts share at least one complete second */
  together() {
    const { tenths, bytes, seconds } = this.#together;
    return seconds === 0 ? null : { ...rateOf(tenths, bytes, seconds), seconds };
  }

  /**
   * @param {number} second
   * @param {{ tenths: number, bytes: number, isWhole: boolean }} counts
   */
  #addToRow(second, counts) {
    this.#row = second === this.#latest + 1 ? this.#row.slice(1 - SUSTAINED_SECONDS) : [];
    this.#latest = second;
    this.#row.push(counts);
    if (this.#row.length < SUSTAINED_SECONDS) {
      return;
    }
    this.#hasWholeRow ||= this.#row.every(({ isWhole }) => isWhole);
    const sum = (/** @type {'tenths' | 'bytes'} */ name) => this.#row.reduce((total, entry) => total + entry[name], 0);
    const rate = rateOf(sum('tenths'), sum('bytes'), SUSTAINED_SECONDS);
    if (this.#best === null || rate.operationsPerSecond > this.#best.operationsPerSecond) {
      this.#best = { ...rate, secondStart: second - SUSTAINED_SECONDS + 1, seconds: SUSTAINED_SECONDS };
    }
  }
}

/**
 * @param {StageView} view
 * @param {number} second
 */
function isFull({ full }, second) {
  return full !== null && second >= full.from && second <= full.to;
}

/**
 * @param {number} tenths of operations
 * @param {number} bytes
 * @param {number} seconds
 */
function rateOf(tenths, bytes, seconds) {
  return { operationsPerSecond: tenths / 10 / seconds, bytesPerSecond: bytes / seconds };
}
