import { SHOWN } from '../../result/figures/quantities.js';
import { counted, rounded } from '../../text/figures.js';
import { cellTable, linesOf, sweepSentences } from '../sweep-text.js';
import { STAGE_COLORS, chartTable, stageKey, table } from './figures.js';
import { html, withWholeOptions } from './markup.js';
import { formatPage } from './page.js';

/**
 * @import { Sweep } from '../../series/sweep-plan.js'
 * @import { SweptStage } from '../sweep-text.js'
 *
 * @typedef {ReturnType<typeof linesOf>[number]} Line
 */

/** Of the shades of a heat map. */
const SHADES = 4;

/**
 * @param {Sweep} sweep
 * @param {readonly SweptStage[]} stages
 * @returns {Generator<string, void, undefined>} the page in chunks
 */
export function sweepPage(sweep, stages) {
  const { request, cells, variables } = sweep;
  const [first, ...sentences] = sweepSentences(sweep, stages);
  const title = `r2-benchmark: sweep over ${variables.map(({ label }) => label).join(', ')}`;
  const sections = stages.map((stage) => ({
    id: stage.stage.toLowerCase(),
    title: stage.stage,
    body: html`${heatMap(sweep, stage)} ${curves(sweep, stage)}
    ${chartTable(table(`${stage.stage} in each cell`, cellTable(sweep, stage)))}`,
  }));
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
      return html`<span class="heat heat-${shadeOf(found)}">${shown}</span>`;
    },
  }));
  return table(`${stage.stage}, operations per second`, {
    columns: [{ title: '', value: ({ others }) => others || stage.stage }, ...columns],
    rows: linesOf(sweep, stage, across),
  });
}

/** Dimensions of the curves, in pixels. */
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 260, 70, 20, 16, 40];

const TICKS = [0, 0.5, 1];

/**
 * The rates over the last numeric variable, on a logarithmic scale; null without one.
 *
 * @param {Sweep} sweep
 * @param {SweptStage} stage
 */
function curves(sweep, stage) {
  const variable = sweep.variables.findLast(({ numbers }) => numbers?.every((number) => number > 0));
  if (variable === undefined) {
    return null;
  }
  const numbers = /** @type {readonly number[]} */ (variable.numbers);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const highest = Math.max(...stage.cells.map((each) => each?.interval?.high ?? each?.rate ?? 0));
  const x = (/** @type {number} */ number) =>
    Math.round(LEFT + ((WIDTH - LEFT - RIGHT) * Math.log(number / least)) / Math.log(most / least));
  const y = (/** @type {number} */ value) => Math.round(HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * value) / highest);
  const ticks = TICKS.map((share) => {
    const at = y(share * highest);
    return html`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" />
      <text x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${rounded(share * highest)}</text>`;
  });
  const names = numbers.map(
    (number, index) =>
      html`<text x="${x(number)}" y="${HEIGHT - 20}" text-anchor="middle">${variable.values[index]}</text>`,
  );
  const lines = linesOf(sweep, stage, variable);
  const drawn = lines.map(({ points }, index) => {
    const known = points
      .flatMap(({ number, found }) => (found === null ? [] : [{ at: x(number), ...found }]))
      .toSorted((one, other) => one.at - other.at);
    return html`<g class="stage-${index % STAGE_COLORS}">
      <polyline points="${known.map(({ at, rate: value }) => `${at},${y(value)}`).join(' ')}" />
      ${known.map(
        ({ at, rate: value, interval }) =>
          html`<circle cx="${at}" cy="${y(value)}" r="3" />
            <line x1="${at}" x2="${at}" y1="${y(interval?.low ?? value)}" y2="${y(interval?.high ?? value)}" />`,
      )}
    </g>`;
  });
  const label = `${stage.stage}, operations per second by ${variable.label}`;
  return html`<figure class="chart">
    <figcaption>${label} ${stageKey(lines.map(({ others }) => ({ stage: others || stage.stage })))}</figcaption>
    <div class="scroll" role="region" tabindex="0" aria-label="${label}">
      <svg
        class="curves"
        width="${WIDTH}"
        height="${HEIGHT}"
        role="img"
        aria-label="${label}; the table lists the values"
      >
        ${ticks} ${names} ${drawn}
      </svg>
    </div>
  </figure> `;
}
