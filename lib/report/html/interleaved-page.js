import { counted, percent } from '../../text/figures.js';
import { comparisonAnswer, ratiosSection } from './comparison-page.js';
import { html } from './markup.js';
import { formatPage } from './page.js';

/** @import { InterleavedComparison } from '../../model/interleaved.js' */

const NO_OPTIONS = 'no options of its own';

/**
 * The page of an `ab` comparison: the ratios with their intervals.
 *
 * @param {InterleavedComparison} comparison
 * @returns {Generator<string, void, undefined>} the page in chunks
 */
export function interleavedPage(comparison) {
  const { before, after, stages, margin, confidence, quads, quadsPlanned, problems } = comparison;
  const [a, b] = [before, after].map(({ name }) => (name === '' ? NO_OPTIONS : name));
  const sections = [
    stages.length === 0 ? null : ratiosSection({ stages, margin }, { before: 'A', after: 'B', ratio: 'B ÷ A' }),
    {
      id: 'method',
      title: 'Method',
      body: html`<p>
          ${quads.length} of ${counted(quadsPlanned, 'quad')} were completed, each with four turns:
          ${quads.map(({ order }) => order).join(' ')}. Figures of A and B are geometric means over their turns; a ratio
          is B ÷ A. The interval contains the true ratio with ${percent(confidence)} confidence. A figure is the same if
          its whole interval is within ${percent(margin)} of no change; a difference is proven with
          ${percent(confidence)} confidence for all figures together, and by the exact sign-flip test.
        </p>
        ${problems.map((problem) => html`<p>${problem}</p>`)} `,
    },
  ].filter((section) => section !== null);
  return formatPage({
    title: `r2-benchmark: ${a} and ${b}`,
    header: html`<p class="eyebrow">r2-benchmark ab: A is ${a}, B is ${b}</p>
      <h1>${comparisonAnswer(stages, 'With B instead of A,')}</h1> `,
    sections,
    data: {},
  });
}
