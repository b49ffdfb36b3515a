import { SHOWN } from '../../result/figures/quantities.js';
import { counted } from '../../text/figures.js';
import { cellTable, linesOf, sweepSentences } from '../sweep-text.js';
import { chartTable, plot, stageKey, table } from './figures.js';
import { html, withWholeOptions } from './markup.js';
import { formatPage } from './page.js';

/**
 * @import { Sweep } from '../../series/sweep-plan.js'
 * @import { SweptStage } from '../sweep-text.js'
 * @import { Markup } from './markup.js'
 *
 * @typedef {ReturnType<typeof linesOf>[number]} Line
 */

/** The colours of a heat map. */
const SHADES = 5;

/**
 * @param {Sweep} sweep
 * @param {readonly SweptStage[]} stages
 * @returns {Generator<string, void, undefined>} the page in chunks
 */
export function sweepPage(sweep, stages) {
  const { request, cells, variables } = sweep;
  const [first, ...sentences] = sweepSentences(sweep, stages);
  const title = `r2-benchmark: sweep over ${variables.map(({ label }) => label).join(', ')}`;
  const sections = stages.map((stage) => {
    const { figure, chart } = curves(sweep, stage);
    const body = html`${heatMap(sweep, stage)} ${figure}
    ${chartTable(table(`${stage.stage} in each cell`, cellTable(sweep, stage)))}`;
    return { id: stage.stage.toLowerCase(), title: stage.stage, body, chart };
  });
  const method = html`<p>
    ${counted(cells.length, 'cell')} in random order (seed ${request.seed}), ${counted(request.repeat, 'run')} each.
    Figures are geometric means over the runs of a cell. From two runs on, ± is the farther end of the 95% interval (t
    intervals of the logarithms; ratios by Welch).
  </p> `;
  return formatPage({
    title,
    header: html`<p class="eyebrow">${title}</p>
      <h1>${first}</h1>
      ${sentences.map((sentence) => html`<p>${withWholeOptions(sentence)}</p>`)} `,
    sections: [...sections, { id: 'method', title: 'Method', body: method }],
    data: {},
  });
}

/**
 * The rates, with the last variable across. Shades follow the logarithm.
 *
 * @param {Sweep} sweep
 * @param {SweptStage} stage
 */
function heatMap(sweep, stage) {
  const [across] = sweep.variables.slice(-1);
  const rates = stage.cells.flatMap((each) => (each === null ? [] : [each.rate]));
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  const shadeOf = (/** @type {number} */ value) =>
    most === least ? 0 : Math.min(Math.floor((SHADES * Math.log(value / least)) / Math.log(most / least)), SHADES - 1);
  const columns = across.values.map((value, index) => ({
    title: `${across.label}=${value}`,
    value: (/** @type {Line} */ { points }) => points[index].found?.rate,
    markup(/** @type {Line} */ { points }) {
      const found = Number(points[index].found?.rate);
      const shown = html`<data value="${found}">${SHOWN.rate.textOf(found)}</data>`;
      return html`<span class="heat ramp-${shadeOf(found)}">${shown}</span>`;
    },
  }));
  return table(`${stage.stage}, operations per second`, {
    columns: [{ title: 'Ops/s', value: ({ others }) => others || stage.stage }, ...columns],
    rows: linesOf(sweep, stage, across),
  });
}

/**
 * The rates over the last numeric variable, on a logarithmic scale.
 *
 * @typedef {object} RateCurves
 * @property {string} name of the chart
 * @property {number[]} numbers ascending
 * @property {string[]} labels of the numbers
 * @property {(number | null)[][]} rates by line, then by number
 *
 * @param {Sweep} sweep
 * @param {SweptStage} stage
 * @returns {{ figure: Markup | null, chart: RateCurves | undefined }} neither without such a variable, or without rates
 */
function curves(sweep, stage) {
  const variable = sweep.variables.findLast(({ numbers }) => numbers?.every((number) => number > 0));
  if (variable === undefined || stage.cells.every((cell) => cell === null)) {
    return { figure: null, chart: undefined };
  }
  const name = `rates-${stage.stage.toLowerCase()}`;
  const lines = linesOf(sweep, stage, variable).map(({ others, points }) => ({
    others,
    points: points.toSorted((one, other) => one.number - other.number),
  }));
  const [{ points }] = lines;
  return {
    figure: html`${stageKey(lines.map(({ others }) => ({ stage: others || stage.stage })))}
    ${plot(name, `Operations per second by ${variable.label}`)}`,
    chart: {
      name,
      numbers: points.map(({ number }) => number),
      labels: points.map(({ value }) => value),
      rates: lines.map((line) => line.points.map(({ found }) => found && found.rate)),
    },
  };
}
