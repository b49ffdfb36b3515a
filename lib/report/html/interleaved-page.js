import { counted, percent } from '../../text/figures.js';
import { comparisonAnswer, ratiosSection } from './comparison-page.js';
import { html } from './markup.js';
import { formatPage } from './page.js';
import { waysSection } from './ways-section.js';

/** @import { InterleavedComparison } from '../../model/interleaved.js' */

/** What a side is called that has no options of its own. */
const NO_OPTIONS = 'no options of its own';

/**
 * The page of two set-ups that took turns: each ratio with its interval, and the ways to the objects where they went different
 * ones.
 *
 * @param {InterleavedComparison} comparison
 * @returns {Generator<string, void, undefined>} some of the page at a time
 */
export function interleavedPage(comparison) {
  const { before, after, stages, margin, confidence, quads, quadsPlanned, problems, ways = [] } = comparison;
  const [a, b] = [before, after].map(({ name }) => (name === '' ? NO_OPTIONS : name));
  const sections = [
    waysSection(ways),
    stages.length === 0 ? null : ratiosSection({ stages, margin }, { before: 'A', after: 'B', ratio: 'B ÷ A' }),
    {
      id: 'method',
      title: 'Method',
      body: html`<p>
          ${quads.length} of ${counted(quadsPlanned, 'quad')} came to their end, each of them four turns:
          ${quads.map(({ order }) => order).join(' ')}. Figures of A and B are geometric means over their turns, and a
          ratio is B ÷ A. The interval holds the true ratio with ${percent(confidence)}. What lies within
          ${percent(margin)} is the same; what is different is proven with ${percent(confidence)} for all figures
          together, and by the exact sign-flip test.
        </p>
        ${ways.length === 0 ? null : html`<p>In the table of the ways, operations of all turns of a way count together.</p>`}
        ${problems.map((problem) => html`<p>${problem}</p>`)} `,
    },
  ].filter((section) => section !== null);
  return formatPage({
    title: `r2-benchmark: ${a} and ${b}`,
    header: html`<p class="eyebrow">r2-benchmark ab: A is ${a}, B is ${b}</p>
      <h1>${comparisonAnswer(stages, 'With B in place of A,')}</h1> `,
    sections,
    data: {},
  });
}
