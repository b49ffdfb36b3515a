/**
 * @import { StageView } from './hosts.js'
 *
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
    const { extent } = view.series;
    return extent === null ? [] : [{ view, first: extent.first + view.shift, last: extent.last + view.shift }];
  });
  const all = new Set(views.flatMap(({ series, shift }) => series.keys().map((second) => second + shift)));
  const waiting = spans.sort((one, other) => other.first - one.first);
  let present = spans.slice(0, 0);
  for (const second of [...all].sort((one, other) => one - other)) {
    while (waiting.length > 0 && waiting[waiting.length - 1].first <= second) {
      present.push(...waiting.splice(-1));
    }
    present = present.filter(({ last }) => last >= second);
    const hosts = present.flatMap(({ view }) => {
      const tenths = view.series.get(second - view.shift);
      return tenths === undefined ? [] : [{ view, tenths, bytes: view.series.bytesOf(second - view.shift) }];
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
