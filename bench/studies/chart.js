const WIDTH = 940;
const HEIGHT = 460;
const MARGIN = { left: 80, right: 270, top: 50, bottom: 60 };
const LEGEND_LINE = 20;

/** Okabe and Ito's colours, which colour-blind people can distinguish. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#8c6d31'];

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {readonly (readonly [number, number])[]} points x, y
 * @property {boolean} [isDashed] for values that were not measured
 * @property {boolean} [hasNoLine] points only
 *
 * @typedef {object} Axis
 * @property {string} label with the unit
 * @property {boolean} isLogarithmic
 * @property {readonly number[]} ticks from the lowest to the highest value of the axis
 */

/**
 * @param {object} chart
 * @param {string} chart.title
 * @param {Axis} chart.x
 * @param {Axis} chart.y
 * @param {readonly Series[]} chart.series
 */
export function drawLineChart({ title, x, y, series }) {
  const toX = scale(x, MARGIN.left, WIDTH - MARGIN.right);
  const toY = scale(y, HEIGHT - MARGIN.bottom, MARGIN.top);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" ` +
      `font-family="sans-serif" font-size="13" role="img" aria-label="${escape(title)}">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(title, WIDTH / 2, MARGIN.top / 2, 'middle', ' font-size="16"'),
    ...x.ticks.map((tick) => verticalTick(toX(tick), tick)),
    ...y.ticks.map((tick) => horizontalTick(toY(tick), tick)),
    text(x.label, (MARGIN.left + WIDTH - MARGIN.right) / 2, HEIGHT - 15, 'middle'),
    text(y.label, 20, HEIGHT / 2, 'middle', ` transform="rotate(-90 20 ${HEIGHT / 2})"`),
    ...series.flatMap((one, place) => drawSeries(one, place, toX, toY)),
    '</svg>',
    '',
  ].join('\n');
}

/**
 * @param {Axis} axis
 * @param {number} from position of the lowest tick
 * @param {number} to position of the highest
 * @returns {(value: number) => number}
 */
function scale({ isLogarithmic, ticks }, from, to) {
  const measure = isLogarithmic ? Math.log : (/** @type {number} */ value) => value;
  const [least, greatest] = [measure(ticks[0]), measure(ticks[ticks.length - 1])];
  return (value) => round(from + ((measure(value) - least) / (greatest - least)) * (to - from));
}

/**
 * @param {number} at
 * @param {number} tick
 */
function verticalTick(at, tick) {
  const bottom = HEIGHT - MARGIN.bottom;
  return line(at, MARGIN.top, at, bottom, '#ddd') + text(String(tick), at, bottom + 20, 'middle');
}

/**
 * @param {number} at
 * @param {number} tick
 */
function horizontalTick(at, tick) {
  return line(MARGIN.left, at, WIDTH - MARGIN.right, at, '#ddd') + text(String(tick), MARGIN.left - 8, at + 4, 'end');
}

/**
 * @param {Series} series
 * @param {number} index among all series
 * @param {(value: number) => number} toX
 * @param {(value: number) => number} toY
 */
function drawSeries({ name, points, isDashed = false, hasNoLine = false }, index, toX, toY) {
  const colour = COLOURS[index % COLOURS.length];
  const dashes = isDashed ? ' stroke-dasharray="6 4"' : '';
  const at = points.map(([x, y]) => [toX(x), toY(y)]);
  const legendX = WIDTH - MARGIN.right + 15;
  const legendY = MARGIN.top + 10 + index * LEGEND_LINE;
  const path = `<polyline points="${at.map((pair) => pair.join(',')).join(' ')}" fill="none" stroke="${colour}" stroke-width="2"${dashes}/>`;
  return [
    ...(hasNoLine ? [] : [path]),
    ...(isDashed ? [] : at.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3.5" fill="${colour}"/>`)),
    line(legendX, legendY, legendX + 20, legendY, colour, ` stroke-width="3"${dashes}`),
    text(name, legendX + 26, legendY + 4, 'start'),
  ];
}

/**
 * @param {number} x1
 * @param {number} y1
 * @param {number} x2
 * @param {number} y2
 * @param {string} colour
 * @param {string} [attributes]
 */
function line(x1, y1, x2, y2, colour, attributes = '') {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${colour}"${attributes}/>`;
}

/**
 * @param {string} content
 * @param {number} x
 * @param {number} y
 * @param {'start' | 'middle' | 'end'} anchor
 * @param {string} [attributes]
 */
function text(content, x, y, anchor, attributes = '') {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}"${attributes}>${escape(content)}</text>`;
}

/** @param {string} content */
function escape(content) {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** @param {number} value in pixels */
function round(value) {
  return Math.round(value * 10) / 10;
}
