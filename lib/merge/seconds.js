import { BLOCK_SECONDS } from '../model/second-series.js';

/**
 * @import { StageView } from './hosts.js'
 *
 * @typedef {{ view: StageView, tenths: number, bytes: number }} HostSecond one host in one second; tenths of operations
 * @typedef {{ second: number, hosts: HostSecond[] }} SecondOfHosts `hosts` have a line for the second
 */

/**
 * Iterates over the seconds of a stage in order, across all hosts. Keeps no past seconds, so memory does not grow with
 * the length of the runs.
 *
 * @param {readonly StageView[]} views
 * @returns {Generator<SecondOfHosts, void, undefined>} only seconds with a line from at least one host
 */
export function* secondsOf(views) {
  for (const { block, present } of blocksOf(views)) {
    /** @type {HostSecond[]} */
    let hosts = [];
    for (let second = block * BLOCK_SECONDS; second < (block + 1) * BLOCK_SECONDS; second += 1) {
      for (const view of present) {
        const tenths = view.series.get(second - view.shift);
        if (tenths !== undefined) {
          hosts.push({ view, tenths, bytes: view.series.bytesOf(second - view.shift) });
        }
      }
      if (hosts.length > 0) {
        yield { second, hosts };
        hosts = [];
      }
    }
  }
}

/**
 * @param {readonly StageView[]} views
 * @returns {Generator<{ block: number, present: StageView[] }, void, undefined>} non-empty blocks in ascending order,
 *   each with the views that have seconds in it
 */
function* blocksOf(views) {
  /** @type {Map<number, StageView[]>} */
  const all = new Map();
  for (const view of views) {
    for (const block of shiftedBlocks(view)) {
      const present = all.get(block) ?? [];
      present.push(view);
      all.set(block, present);
    }
  }
  for (const [block, present] of [...all].sort(([one], [other]) => one - other)) {
    yield { block, present };
  }
}

/**
 * The blocks of a view's shifted seconds, ascending. Each block maps to one block if the shift is a whole number of
 * days, and otherwise to up to two.
 *
 * @param {StageView} view
 */
function shiftedBlocks({ series, shift }) {
  const first = (/** @type {number} */ block) => Math.floor(block + shift / BLOCK_SECONDS);
  const last = (/** @type {number} */ block) => Math.ceil(block + shift / BLOCK_SECONDS);
  return [...new Set(series.blocks().flatMap((block) => [first(block), last(block)]))];
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
