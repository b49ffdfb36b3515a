import { counted } from '../text/figures.js';
import { plainLine, plainText } from '../text/plain-text.js';
import { columns, item, metricRow, paragraph, percentage, stageSentence, LABELS } from './compare-text.js';

/** @import { InterleavedComparison, InterleavedStage } from '../model/interleaved.js' */

const NO_OPTIONS = 'no options of its own';

/**
 * What comparing two set-ups by turns came to, for a person to read.
 *
 * @param {InterleavedComparison} comparison
 * @returns {string} lines of text, 80 characters wide as far as names allow it
 */
export function formatInterleaved(comparison) {
  const { before, after, margin, stages } = comparison;
  const blocks = [
    [before, after].map(({ name, run }, place) => {
      const own = name === '' ? NO_OPTIONS : plainText(name);
      return `${'AB'[place]}  ${own}${run === null ? '' : `, run ${run}`}`;
    }),
    paragraph(turnsText(comparison)),
    ...stages.map((stage) => stageLines(stage, margin)),
    ...(stages.length === 0
      ? []
      : [
          paragraph(
            `The same: the whole interval is within ${percentage(margin)} of no change. Faster, slower, fewer, more: proven with 95% confidence for all figures together (Holm), and by the exact sign-flip test.`,
          ),
        ]),
  ];
  return blocks.map((lines) => lines.map((line) => `${plainLine(line).trimEnd()}\n`).join('')).join('\n');
}

/** @param {InterleavedComparison} comparison */
function turnsText({ quads, quadsPlanned }) {
  const orders = quads.map(({ order }) => order).join(' ');
  if (quads.length === 0) {
    return `It ended before the first of ${counted(quadsPlanned, 'quad')} was over: there is nothing to compare.`;
  }
  const ended =
    quads.length < quadsPlanned
      ? `It ended early, after ${quads.length} of ${counted(quadsPlanned, 'quad')}`
      : counted(quads.length, 'quad');
  return `${ended}: ${orders}.`;
}

/**
 * @param {InterleavedStage} comparison
 * @param {number} margin
 */
function stageLines({ stage, metrics, failedAttempts: { a, b } }, margin) {
  /** Metrics by what is missing for them. @type {Map<string, string[]>} */
  const missing = new Map();
  for (const { metric, reason, moreQuads } of metrics) {
    if (reason !== null) {
      const text = `${reason}; ${moreText(moreQuads)}`;
      missing.set(text, [...(missing.get(text) ?? []), LABELS[metric]]);
    }
  }
  return [
    ...paragraph(stageSentence({ stage: `${stage}, B against A`, metrics }, margin)),
    columns(['', 'A', 'B', 'B ÷ A', '95% interval', '']),
    ...metrics.map(metricRow),
    ...[...missing].flatMap(([text, labels]) => item(`cannot tell ${labels.join(', ')}: ${text}`)),
    ...(a + b === 0 ? [] : item(`attempts that failed: ${a} with A, ${b} with B`)),
  ];
}

/** @param {number | null} quads */
function moreText(quads) {
  return quads === null
    ? 'rather than more quads, it takes more objects or a longer --duration'
    : `about ${counted(quads, 'more quad')} would tell`;
}
