import { html } from './markup.js';

/** Labels of the lines that have their own colours. @type {Readonly<Record<string, string>>} */
const LINES = {
  p50: 'p50',
  p99: 'p99',
  longest: 'longest',
  throttled: 'throttled (429, 503)',
  other: 'other failures',
};

/** Number of stage colours in the page's style. */
export const STAGE_COLORS = 6;

/**
 * The frame of a chart that the page's script draws.
 *
 * @param {string} name of the chart, for the script
 * @param {string} title with the unit
 * @param {readonly (keyof typeof LINES)[]} [lines] entries of the key; none if a separate key lists stages
 */
export function plot(name, title, lines = []) {
  const key = lines.map((line) => html`<li><span class="line line-${line}"></span>${LINES[line]}</li>`);
  return html`<figure class="chart">
    <figcaption>
      ${title}${
        lines.length === 0
          ? null
          : html`<ul class="key">
              ${key}
            </ul>`
      }
    </figcaption>
    <div
      class="plot"
      data-chart="${name}"
      role="group"
      tabindex="0"
      aria-label="Chart: ${title}. The table contains its figures."
    ></div>
  </figure> `;
}

/** @param {readonly { stage: string }[]} stages in colour order */
export function stageKey(stages) {
  const items = stages.map(
    ({ stage }, index) => html`<li><span class="line stage-${index % STAGE_COLORS}"></span>${stage}</li>`,
  );
  return html`<ul class="key">
    ${items}
  </ul>`;
}
