import { currentColors } from './theme.js';
import { short, timeOfDay } from './units.js';

/**
 * @import UPlot from 'uplot'
 * @import { Colors } from './theme.js'
 */

/** Of the left axis: the same for all charts, so that they stand exactly above each other. Pixels. */
const AXIS_WIDTH = 64;
const FONT = '12px system-ui, sans-serif';

/** Of A4 between its margins. Pixels. */
const PRINT_WIDTH = 680;

/** By how many points Page Up and Page Down move. */
const PAGE = 10;

/**
 * What a chart draws.
 *
 * @typedef {object} ChartParts
 * @property {number} height pixels
 * @property {UPlot.AlignedData} data
 * @property {UPlot.Series[]} series without that of the x axis
 * @property {UPlot.Scale} x
 * @property {UPlot.Scale} y
 * @property {Partial<UPlot.Axis>} [xAxis]
 * @property {Partial<UPlot.Axis>} [yAxis]
 * @property {UPlot.Hooks.Arrays['draw']} [draw] what is drawn on top
 * @property {string} [group] of charts that share their cursor
 * @property {(place: number | null) => void} [onCursor] gets the place of the point under the cursor
 */

/** A chart in its place. It is made anew where width or colours change. */
class Chart {
  #place;
  #make;
  /** @type {UPlot | null} */
  #plot = null;
  #width = 0;

  /**
   * @param {HTMLElement} place
   * @param {(colors: Colors) => ChartParts} make
   */
  constructor(place, make) {
    this.#place = place;
    this.#make = make;
    place.addEventListener('keydown', (event) => this.#move(event));
  }

  /** @param {number | null} width pixels; null for as much as there is room for */
  draw(width) {
    this.#width = width ?? this.#place.clientWidth;
    this.#plot?.destroy();
    const colors = currentColors();
    const parts = this.#make(colors);
    this.#plot = new uPlot(optionsOf(parts, this.#width, colors), parts.data, this.#place);
  }

  /** Draws it again where there is more or less room than before. */
  fit() {
    if (this.#place.clientWidth !== this.#width) {
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
    const place = Math.min(Math.max(moves[event.key], 0), last);
    const left = plot.valToPos(plot.data[0][place], 'x');
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
    // The last label of an axis has room.
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
 * Draws a chart into its place, if the page has one.
 *
 * @param {string} name
 * @param {(colors: Colors) => ChartParts} make
 */
export function addChart(name, make) {
  const place = document.querySelector(`[data-chart="${name}"]`);
  if (place instanceof HTMLElement) {
    const chart = new Chart(place, make);
    charts.push(chart);
    chart.draw(null);
  }
}

/** Draws all charts again where there is another width, another scheme, or paper. */
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
 * @param {string} name of the charts that it belongs to
 * @returns {(text: string | null) => void} shows what is under the cursor; null leaves what is there
 */
export function readout(name) {
  const place = document.querySelector(`[data-for="${name}"]`);
  return (text) => {
    if (place !== null && text !== null) {
      place.textContent = text;
    }
  };
}

/** The axis of time. @type {Partial<UPlot.Axis>} */
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

/** From nothing to a little more than the most. @type {UPlot.Scale} */
export const FROM_ZERO = { range: (_, _least, most) => [0, Math.max(most ?? 0, 1e-9) * 1.08] };

/** @type {UPlot.Scale} */
export const LOGARITHMIC = {
  distr: 3,
  range: (_, least, most) =>
    least === null || most === null || !(least > 0) ? [0.1, 100] : [least / 1.15, Math.max(most, least * 2) * 1.15],
};

/** Of a logarithmic axis with fewer decades, 2 and 5 have their lines, too. */
const FEW_DECADES = 2.5;

/** @type {Partial<UPlot.Axis>} */
export const DECADES = {
  splits: (_plot, _axis, least, most) => {
    const digits = Math.log10(most / least) > FEW_DECADES ? [1] : [1, 2, 5];
    const first = Math.floor(Math.log10(least));
    const decades = Array.from({ length: Math.ceil(Math.log10(most)) - first + 1 }, (_, place) => first + place);
    return decades
      .flatMap((decade) => digits.map((digit) => Number((digit * 10 ** decade).toPrecision(1))))
      .filter((value) => value >= least && value <= most);
  },
  filter: (_, splits) => splits,
};

/**
 * Points are drawn where there are few, and where one stands alone and no line would show it.
 *
 * @param {UPlot} plot
 * @param {number} place of the series
 */
export function lonePoints(plot, place) {
  const values = plot.data[place];
  const few = values.length <= 60;
  const isThere = (/** @type {number} */ at) => values[at] !== null && values[at] !== undefined;
  return Array.from(values, (_, at) => at).filter(
    (at) => isThere(at) && (few || (!isThere(at - 1) && !isThere(at + 1))),
  );
}
