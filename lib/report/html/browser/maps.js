import { colorAt } from './theme.js';
import { LOGARITHMIC, TIME_AXIS, timeScale } from './chart.js';

/**
 * @import UPlot from 'uplot'
 * @import { LatencyMap } from '../seconds-summary.js'
 * @import { ChartParts } from './chart.js'
 * @import { Colors } from './theme.js'
 */

/** Height of the axis below a map, in pixels. */
const BELOW = 50;

/** Width of the host names, in pixels. */
const NAME_WIDTH = 112;
const MAX_NAME = 15;

/** A shorter common prefix is not worth cutting off. */
const MIN_COMMON = 3;

/**
 * A cell of a map: from and until in epoch s, low and high on the y axis, and the intensity of its colour, 0 to 1.
 *
 * @typedef {{ from: number, until: number, low: number, high: number, share: number }} Cell
 */

/**
 * @param {readonly Cell[]} cells
 * @param {Colors} colors
 * @returns {(plot: UPlot) => void}
 */
function drawCells(cells, colors) {
  return (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const { from, until, low, high, share } of cells) {
      const left = Math.round(plot.valToPos(from, 'x', true));
      const right = Math.round(plot.valToPos(until, 'x', true));
      const [one, other] = [plot.valToPos(low, 'y', true), plot.valToPos(high, 'y', true)].map(Math.round);
      ctx.fillStyle = colorAt(colors.ramp, share);
      ctx.fillRect(left, Math.min(one, other), Math.max(right - left, 1), Math.max(Math.abs(one - other), 1));
    }
    ctx.restore();
  };
}

/**
 * @param {readonly number[]} moments epoch s
 * @returns {UPlot.AlignedData} data that draws no line, but gives the cursor moments to snap to
 */
function withoutLines(moments) {
  return [[...moments], moments.map(() => null)];
}

/**
 * @param {LatencyMap} map
 * @param {readonly number[]} seconds of the charts above it
 * @param {Colors} colors
 * @returns {ChartParts}
 */
export function latencyMapChart({ from, columnSeconds, edges, cells }, seconds, colors) {
  const largest = cells.reduce((max, [, , count]) => Math.max(max, count), 1);
  const fields = cells.map(([column, row, count]) => ({
    from: from + column * columnSeconds,
    until: from + (column + 1) * columnSeconds,
    low: edges[row],
    high: edges[row + 1],
    share: 0.08 + (0.92 * Math.log1p(count)) / Math.log1p(largest),
  }));
  return {
    height: 200,
    data: withoutLines(seconds),
    series: [{}],
    x: timeScale(seconds[0], seconds[seconds.length - 1] + 1),
    y: { ...LOGARITHMIC, range: [edges[0], edges[edges.length - 1]] },
    xAxis: TIME_AXIS,
    draw: [drawCells(fields, colors)],
    group: 'time',
  };
}

/** Cuts off the common prefix of long names, then their middle if necessary. @param {readonly string[]} names */
export function distinctNames(names) {
  const [first = ''] = names;
  let common = 0;
  while (common < first.length && names.every((name) => name[common] === first[common])) {
    common += 1;
  }
  // The prefix ends at a separator, so that no word is split.
  const parts = first.slice(0, common).match(/^.*[^\p{L}\p{N}]/su)?.[0].length ?? 0;
  const cut = names.length < 2 || parts < MIN_COMMON ? 0 : parts;
  return names.map((name) => {
    const own = name.length > MAX_NAME && cut > 0 ? `…${name.slice(cut)}` : name;
    const half = (MAX_NAME - 1) / 2;
    return own.length > MAX_NAME ? `${own.slice(0, half)}…${own.slice(-half)}` : own;
  });
}

/**
 * @param {object} map
 * @param {readonly string[]} map.hosts
 * @param {readonly Cell[]} map.cells with host indexes on the y axis
 * @param {readonly number[]} map.moments epoch s that the cursor can snap to
 * @param {readonly [from: number, until: number]} map.extent epoch s
 * @param {(index: number | null) => void} [map.onCursor]
 * @param {Colors} colors
 * @returns {ChartParts}
 */
export function hostMapChart({ hosts, cells, moments, extent, onCursor }, colors) {
  const rowHeight = hosts.length > 12 ? 14 : 24;
  return {
    height: hosts.length * rowHeight + BELOW,
    data: withoutLines(moments),
    series: [{}],
    x: timeScale(...extent),
    y: { dir: -1, range: [0, hosts.length] },
    xAxis: TIME_AXIS,
    yAxis: {
      size: NAME_WIDTH,
      splits: () => hosts.map((_, index) => index + 0.5),
      filter: (_, splits) => splits,
      values: () => distinctNames(hosts),
      grid: { show: false },
      ticks: { show: false },
    },
    draw: [drawCells(cells, colors)],
    group: 'hosts',
    onCursor,
  };
}
