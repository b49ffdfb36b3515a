import { counted } from '../text/figures.js';
import { plainLine, plainText } from '../text/plain-text.js';
import { columns, item, metricRow, paragraph, percentage, stageSentence, LABELS } from './compare-text.js';

/** @import { InterleavedComparison, InterleavedStage } from '../model/interleaved.js' */

const NO_OPTIONS = 'no options of its own';

/** Lines of up to 80 characters, unless a name is longer. @param {InterleavedComparison} comparison */
export function formatInterleaved(comparison) {
  const { before, after, margin, stages } = comparison;
  const blocks = [
    [before, after].map(({ name, run }, index) => {
      const own = name === '' ? NO_OPTIONS : plainText(name);
      return `${'AB'[index]}  ${own}${run === null ? '' : `, run ${run}`}`;
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
    return `The comparison ended during the first of ${counted(quadsPlanned, 'quad')}, so there is nothing to compare.`;
  }
  const ended =
    quads.length < quadsPlanned
      ? `The comparison ended early, after ${quads.length} of ${counted(quadsPlanned, 'quad')}`
      : counted(quads.length, 'quad');
  return `${ended}: ${orders}.`;
}

/**
 * @param {InterleavedStage} comparison
 * @param {number} margin
 */
function stageLines({ stage, metrics, failedAttempts: { a, b } }, margin) {
  /** Metrics by reason. @type {Map<string, string[]>} */
  const missing = new Map();
  for (const { metric, reason, moreQuads } of metrics) {
    if (reason !== null) {
      const text = `${reason}; ${moreText(moreQuads)}`;
      missing.set(text, [...(missing.get(text) ?? []), LABELS[metric]]);
    }
  }
  return [
    ...paragraph(stageSentence({ stage: `${stage}, B compared with A`, metrics }, margin)),
    columns(['', 'A', 'B', 'B ÷ A', '95% interval', '']),
    ...metrics.map(metricRow),
    ...[...missing].flatMap(([text, labels]) => item(`cannot tell for ${labels.join(', ')}: ${text}`)),
    ...(a + b === 0 ? [] : item(`failed attempts: ${a} with A, ${b} with B`)),
  ];
}

/** @param {number | null} quads */
function moreText(quads) {
  return quads === null
    ? 'more quads are unlikely to help: use more objects or a longer --duration'
    : `about ${counted(quads, 'more quad')} should be enough`;
}
