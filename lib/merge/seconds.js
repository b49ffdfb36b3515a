import { BLOCK_SECONDS } from '../model/second-series.js';

/**
 * @import { StageView } from './hosts.js'
 *
 * @typedef {object} HostSecond what one host did in a second
 * @property {StageView} view
 * @property {number} tenths of operations
 * @property {number} bytes of them
 *
 * @typedef {object} SecondOfHosts
 * @property {number} second
 * @property {HostSecond[]} hosts those that have a line for the second
 */

/**
 * Goes through the seconds of a stage in their order, over all hosts together. Nothing is kept of a second that is past:
 * the memory does not grow with the length of the runs.
 *
 * @param {readonly StageView[]} views
 * @returns {Generator<SecondOfHosts, void, undefined>} seconds without a line of any host are left out
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
 * @returns {Generator<{ block: number, present: StageView[] }, void, undefined>} the blocks in which there are seconds, in
 *   ascending order, each with those that have some in it
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
 * @param {StageView} view
 * @returns {number[]} the blocks, in ascending order, in which its seconds are once they are shifted: by days, as a rule, so
 *   that each block is another one; otherwise it may become parts of two
 */
function shiftedBlocks({ series, shift }) {
  const first = (/** @type {number} */ block) => Math.floor(block + shift / BLOCK_SECONDS);
  const last = (/** @type {number} */ block) => Math.ceil(block + shift / BLOCK_SECONDS);
  return [...new Set(series.blocks().flatMap((block) => [first(block), last(block)]))];
}

/**
 * @typedef {object} TimeSeriesRow what a host did in a second
 * @property {number} second named by its beginning
 * @property {string} stage
 * @property {string} host
 * @property {number} operations that completed in it
 * @property {number} bytes of their objects
 */

/**
 * @param {ReadonlyMap<string, readonly StageView[]>} views
 * @returns {Generator<TimeSeriesRow, void, undefined>} stage by stage, second by second, host by host
 */
export function* timeSeriesOf(views) {
  for (const [stage, ofStage] of views) {
    for (const { second, hosts } of secondsOf(ofStage)) {
      for (const { view, tenths, bytes } of hosts) {
        yield { second, stage, host: view.host.name, operations: tenths / 10, bytes };
      }
    }
  }
}
