/**
 * @import UPlot from 'uplot'
 *
 * @typedef {ReturnType<typeof currentColors>} Colors
 *
 * @typedef {object} ChartParts
 * @property {number} height pixels
 * @property {UPlot.AlignedData} data
 * @property {UPlot.Series[]} series without the x axis
 * @property {UPlot.Scale} x
 * @property {UPlot.Scale} y
 * @property {Partial<UPlot.Axis>} [xAxis]
 * @property {Partial<UPlot.Axis>} [yAxis]
 * @property {(plot: UPlot) => void} [draw] draws on top
 * @property {string} [group] charts of a group share their cursor
 * @property {{ name: string, textAt: (index: number) => string }} [readout] shows the figures of the point under the cursor
 */

/** Width of the left axis in pixels, equal for all charts so that they line up. */
const AXIS_WIDTH = 64;
const FONT = '12px system-ui, sans-serif';

/** Width of an A4 page without margins, in pixels. */
const PRINT_WIDTH = 680;

/** Redraw the charts of the page. @type {((width?: number) => void)[]} */
const charts = [];

/**
 * Draws a chart if the page has an element for it. uPlot is recreated when the width or the colours change.
 *
 * @param {string} name
 * @param {(colors: Colors) => ChartParts} make
 */
export function addChart(name, make) {
  const element = document.querySelector(`[data-chart="${name}"]`);
  if (!(element instanceof HTMLElement)) {
    return;
  }
  /** @type {UPlot | null} */
  let plot = null;
  const draw = (width = element.clientWidth) => {
    plot?.destroy();
    const colors = currentColors();
    const parts = make(colors);
    plot = new uPlot(optionsOf(parts, width, colors), parts.data, element);
  };
  charts.push(draw);
  draw();
}

/** Redraws all charts when the width or the colour scheme changes, and for printing. */
export function followPage() {
  const redraw = (/** @type {number | undefined} */ width = undefined) => charts.forEach((draw) => draw(width));
  const print = (/** @type {boolean} */ isPrinting) => {
    document.documentElement.style.colorScheme = isPrinting ? 'light' : '';
    redraw(isPrinting ? PRINT_WIDTH : undefined);
  };
  addEventListener('resize', () => redraw());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redraw());
  addEventListener('beforeprint', () => print(true));
  addEventListener('afterprint', () => print(false));
}

/** The colours of the page's style, in the current scheme. */
function currentColors() {
  const probe = document.body.appendChild(document.createElement('i'));
  const of = (/** @type {string} */ name) => {
    probe.className = name;
    return getComputedStyle(probe).color;
  };
  const [text, grid, mark, p50, p99] = ['muted', 'rule', 'mark', 'p50', 'p99'].map(of);
  const [longest, throttled, other] = ['longest', 'throttled', 'other'].map(of);
  const stages = Array.from({ length: 6 }, (_, index) => of(`stage-${index}`));
  /** From few to many operations. */
  const ramp = Array.from({ length: 5 }, (_, index) => of(`ramp-${index}`));
  probe.remove();
  return { text, grid, mark, p50, p99, longest, throttled, other, stages, ramp };
}

/** Dash patterns that distinguish the lines of stages for readers who cannot tell the colours apart. */
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 4]];

/**
 * @param {number} index of a stage
 * @param {Colors} colors
 */
export function stageLine(index, { stages }) {
  return { stroke: stages[index % stages.length], dash: DASHES[index % DASHES.length], width: 1.75 };
}

/**
 * @param {ChartParts} parts
 * @param {number} width pixels
 * @param {Colors} colors
 * @returns {UPlot.Options}
 */
function optionsOf({ height, series, x, y, xAxis, yAxis, draw, group, readout }, width, { text, grid }) {
  const axis = {
    stroke: text,
    font: FONT,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1, size: 4 },
    values: (/** @type {UPlot} */ _, /** @type {(number | null)[]} */ values) =>
      values.map((value) => (value === null ? '' : short(value))),
  };
  const element = readout && document.querySelector(`[data-for="${readout.name}"]`);
  const show = (/** @type {UPlot} */ { cursor: { idx } }) => {
    if (element && typeof idx === 'number') {
      element.textContent = readout.textAt(idx);
    }
  };
  return {
    width,
    height,
    legend: { show: false },
    // Leaves room for the last label of an axis.
    padding: [8, 32, 0, 0],
    scales: { x: { time: false, ...x }, y },
    axes: [
      { ...axis, ...xAxis },
      { ...axis, size: AXIS_WIDTH, ...yAxis },
    ],
    series: [{}, ...series],
    cursor: { y: false, ...(group === undefined ? {} : { sync: { key: group, scales: ['x', null] } }) },
    hooks: { draw: draw === undefined ? [] : [draw], setCursor: [show] },
  };
}

/** From 0 to slightly above the maximum. @type {UPlot.Scale} */
export const FROM_ZERO = { range: (_, _least, most) => [0, Math.max(most ?? 0, 1e-9) * 1.08] };

/** @type {UPlot.Scale} */
export const LOGARITHMIC = {
  distr: 3,
  range: (_, least, most) =>
    least === null || most === null || !(least > 0) ? [0.1, 100] : [least / 1.15, Math.max(most, least * 2) * 1.15],
};

/** The highest ratio at which a logarithmic axis has more than one grid line per decade. */
const MAX_DENSE = 300;

/** @type {Partial<UPlot.Axis>} */
export const DECADES = {
  splits: (_plot, _axis, least, most) => {
    const digits = most / least > MAX_DENSE ? [1] : [1, 2, 5];
    const first = Math.floor(Math.log10(least));
    const decades = Array.from({ length: Math.ceil(Math.log10(most)) - first + 1 }, (_, index) => first + index);
    return decades
      .flatMap((decade) => digits.map((digit) => Number((digit * 10 ** decade).toPrecision(2))))
      .filter((value) => value >= least && value <= most);
  },
  filter: (_, splits) => splits,
};

/**
 * @param {number} value
 * @param {number} [places]
 * @returns {string} such as `12,345.6`
 */
export function decimal(value, places = 1) {
  return value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places });
}

/** @param {number} value of an axis */
export function short(value) {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 6 });
}

/** @param {number | null | undefined} ms */
export function milliseconds(ms) {
  return ms === null || ms === undefined ? 'unknown' : `${decimal(ms, ms < 10 ? 2 : 1)} ms`;
}
