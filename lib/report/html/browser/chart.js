import { currentColors } from './theme.js';
import { short, timeOfDay } from './units.js';

/**
 * @import UPlot from 'uplot'
 * @import { Colors } from './theme.js'
 */

/** Width of the left axis in pixels, equal for all charts so that they line up. */
const AXIS_WIDTH = 64;
const FONT = '12px system-ui, sans-serif';

/** Width of an A4 page without margins, in pixels. */
const PRINT_WIDTH = 680;

/** Page Up and Page Down move by this many points. */
const PAGE = 10;

/**
 * @typedef {object} ChartParts
 * @property {number} height pixels
 * @property {UPlot.AlignedData} data
 * @property {UPlot.Series[]} series without the x axis
 * @property {UPlot.Scale} x
 * @property {UPlot.Scale} y
 * @property {Partial<UPlot.Axis>} [xAxis]
 * @property {Partial<UPlot.Axis>} [yAxis]
 * @property {UPlot.Hooks.Arrays['draw']} [draw] drawn on top
 * @property {string} [group] charts of a group share their cursor
 * @property {(index: number | null) => void} [onCursor] gets the index of the point under the cursor
 */

/** A chart on the page. uPlot is recreated when the width or the colours change. */
class Chart {
  #element;
  #make;
  /** @type {UPlot | null} */
  #plot = null;
  #width = 0;

  /**
   * @param {HTMLElement} element
   * @param {(colors: Colors) => ChartParts} make
   */
  constructor(element, make) {
    this.#element = element;
    this.#make = make;
    element.addEventListener('keydown', (event) => this.#move(event));
  }

  /** @param {number | null} width pixels; null for the available width */
  draw(width) {
    this.#width = width ?? this.#element.clientWidth;
    this.#plot?.destroy();
    const colors = currentColors();
    const parts = this.#make(colors);
    this.#plot = new uPlot(optionsOf(parts, this.#width, colors), parts.data, this.#element);
  }

  fit() {
    if (this.#element.clientWidth !== this.#width) {
      this.draw(null);
    }
  }

  /** @param {KeyboardEvent} event */
  #move(event) {
    const plot = this.#plot;
    if (plot === null) {
      return;
    }
    const last = plot.data[0].length - 1;
    const at = plot.cursor.idx ?? -1;
    /** @type {Record<string, number>} */
    const moves = { ArrowRight: at + 1, ArrowLeft: at - 1, PageDown: at + PAGE, PageUp: at - PAGE, Home: 0, End: last };
    if (!Object.hasOwn(moves, event.key)) {
      return;
    }
    event.preventDefault();
    const index = Math.min(Math.max(moves[event.key], 0), last);
    const left = plot.valToPos(plot.data[0][index], 'x');
    plot.setCursor({ left, top: plot.over.clientHeight / 2 });
  }
}

/**
 * @param {ChartParts} parts
 * @param {number} width pixels
 * @param {Colors} colors
 * @returns {UPlot.Options}
 */
function optionsOf({ height, series, x, y, xAxis, yAxis, draw = [], group, onCursor }, width, colors) {
  const axis = {
    stroke: colors.text,
    font: FONT,
    grid: { stroke: colors.grid, width: 1 },
    ticks: { stroke: colors.grid, width: 1, size: 4 },
  };
  const labels = (/** @type {UPlot} */ _, /** @type {(number | null)[]} */ values) =>
    values.map((value) => (value === null ? '' : short(value)));
  return {
    width,
    height,
    legend: { show: false },
    // Leaves room for the last label of an axis.
    padding: [8, 32, 0, 0],
    scales: { x, y },
    axes: [
      { ...axis, values: labels, ...xAxis },
      { ...axis, size: AXIS_WIDTH, values: labels, ...yAxis },
    ],
    series: [{}, ...series],
    cursor: {
      y: false,
      points: { size: 7 },
      ...(group === undefined ? {} : { sync: { key: group, scales: ['x', null] } }),
    },
    hooks: {
      draw,
      ...(onCursor === undefined ? {} : { setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)] }),
    },
  };
}

/** @type {Chart[]} */
const charts = [];

/**
 * Draws a chart if the page has an element for it.
 *
 * @param {string} name
 * @param {(colors: Colors) => ChartParts} make
 */
export function addChart(name, make) {
  const element = document.querySelector(`[data-chart="${name}"]`);
  if (element instanceof HTMLElement) {
    const chart = new Chart(element, make);
    charts.push(chart);
    chart.draw(null);
  }
}

/** Redraws all charts when the width or the colour scheme changes, and for printing. */
export function followPage() {
  new ResizeObserver(() => charts.forEach((chart) => chart.fit())).observe(document.body);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    charts.forEach((chart) => chart.draw(null)),
  );
  const print = (/** @type {boolean} */ isPrinting) => {
    document.documentElement.classList.toggle('print', isPrinting);
    charts.forEach((chart) => chart.draw(isPrinting ? PRINT_WIDTH : null));
  };
  addEventListener('beforeprint', () => print(true));
  addEventListener('afterprint', () => print(false));
}

/**
 * @param {string} name of a chart or a group
 * @returns {(text: string | null) => void} shows the value under the cursor; null leaves the text unchanged
 */
export function readout(name) {
  const element = document.querySelector(`[data-for="${name}"]`);
  return (text) => {
    if (element !== null && text !== null) {
      element.textContent = text;
    }
  };
}

/** @type {Partial<UPlot.Axis>} */
export const TIME_AXIS = {
  space: 80,
  incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400],
  values: (_, values) => values.map(timeOfDay),
};

/**
 * @param {number} from epoch s
 * @param {number} until epoch s
 * @returns {UPlot.Scale}
 */
export function timeScale(from, until) {
  return {
    time: false,
    range: (_, least, most) => (least === null || most === null || least === most ? [from, until] : [least, most]),
    min: from,
    max: until,
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

/**
 * @param {number} decades that a logarithmic axis covers
 * @returns {number[]} leading digits of the grid lines in each decade: more digits for fewer decades
 */
function digitsFor(decades) {
  if (decades >= 2.5) {
    return [1];
  }
  return decades >= 1 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 6, 8];
}

/** @type {Partial<UPlot.Axis>} */
export const DECADES = {
  splits: (_plot, _axis, least, most) => {
    const digits = digitsFor(Math.log10(most / least));
    const first = Math.floor(Math.log10(least));
    const decades = Array.from({ length: Math.ceil(Math.log10(most)) - first + 1 }, (_, index) => first + index);
    return decades
      .flatMap((decade) => digits.map((digit) => Number((digit * 10 ** decade).toPrecision(2))))
      .filter((value) => value >= least && value <= most);
  },
  filter: (_, splits) => splits,
};

/**
 * Chooses the points to draw: all points if there are few, otherwise isolated points, which no line would show.
 *
 * @param {UPlot} plot
 * @param {number} index of the series
 */
export function isolatedPoints(plot, index) {
  const values = plot.data[index];
  const few = values.length <= 60;
  const hasValue = (/** @type {number} */ at) => values[at] !== null && values[at] !== undefined;
  return Array.from(values, (_, at) => at).filter(
    (at) => hasValue(at) && (few || (!hasValue(at - 1) && !hasValue(at + 1))),
  );
}
