import { isShown } from '../compare-text.js';
import { table } from './figures.js';
import { headings, html } from './markup.js';
import { formatPage } from './page.js';

/** @import { ShownComparison } from '../compare-text.js' */

/**
 * @param {ShownComparison} comparison
 * @returns {Generator<string, void, undefined>} the page in chunks
 */
export function comparisonPage({ title, answers, blocks }) {
  const name = `r2-benchmark: ${title}`;
  return formatPage({
    title: name,
    header: html`<p class="eyebrow">${name}</p>
      ${headings(answers.length === 0 ? ['No difference is proven'] : answers)} `,
    sections: blocks.filter(isShown).map((block, index) => ({
      id: `part-${index + 1}`,
      title: block.title,
      body: html`${block.table && block.table.rows.length > 0 ? table(`Table: ${block.title}`, block.table) : null}
      ${(block.lines ?? []).map((line) => html`<p>${line}</p>`)}`,
    })),
    data: {},
  });
}
