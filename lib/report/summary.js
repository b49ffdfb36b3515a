import { counted, rounded } from '../text/figures.js';
import { plainLine } from '../text/plain-text.js';
import { stageTable } from '../result/figures/stage-table.js';
import { markdownTable } from '../result/figures/table.js';
import { factsOf, headlinesOf, problemsOf } from './headline.js';
import { limitSentences } from './stage-findings.js';
import { THRESHOLD_COLUMNS } from './compare-text.js';

/**
 * @import { ThresholdResult } from '../result/result.js'
 * @import { WritableResult } from '../result/write-result.js'
 * @import { ResultReporter } from './reporter.js'
 */

/** Further problems are only in the JSON result. */
const MAX_LISTED = 20;

/** Characters that Markdown might read as emphasis, code, a cell, a formula, a link or a mention. */
const PUNCTUATION = /[\\`*_[\]|~$#@]|:(?=\S)|(?<=www)\./gi;

/** Line starts that Markdown might read as a list, the underline of a heading, or a rule. */
const BLOCK_START = /^[-+=]|(?<=^\d+)[.)](?=\s|$)/;

/** A page of Markdown for CI jobs. @satisfies {ResultReporter} */
export const summaryReporter = {
  option: 'summary',
  *format(result) {
    const { stages, thresholds = [] } = result;
    yield `## r2-benchmark: ${outcomeOf(result)}\n\n`;
    yield headlinesOf(result)
      .map((line) => `- ${escapeMarkdown(line)}\n`)
      .join('');
    yield* section(null, markdownTable({ columns: THRESHOLD_COLUMNS, rows: thresholds }, escapeMarkdown));
    yield* section(null, markdownTable(stageTable(stages), escapeMarkdown));
    yield* section(
      'Bottlenecks',
      limitSentences(stages).map((line) => `- ${escapeMarkdown(line)}`),
    );
    yield* section('Problems', problemLines(result));
    yield* section(
      'How it was measured',
      factsOf(result).map(([name, text]) => `- ${name}: ${escapeMarkdown(text)}`),
    );
  },
};

/**
 * @param {string | null} title
 * @param {readonly string[]} lines of Markdown; without any, the section is left out
 */
function* section(title, lines) {
  if (lines.length > 0) {
    yield `\n${title === null ? '' : `### ${title}\n\n`}${lines.join('\n')}\n`;
  }
}

/** @param {WritableResult} result */
function outcomeOf(result) {
  const thresholds = result.thresholds ?? [];
  const count = (/** @type {ThresholdResult['outcome']} */ wanted) =>
    thresholds.filter(({ outcome }) => outcome === wanted).length;
  const parts = [
    ...(problemLines(result).length > 0 ? ['something went wrong'] : []),
    ...(count('missed') > 0 ? [`${counted(count('missed'), 'threshold')} missed`] : []),
    ...(count('inconclusive') > 0 ? [`${counted(count('inconclusive'), 'threshold')} inconclusive`] : []),
  ];
  if (parts.length > 0) {
    return parts.join(', ');
  }
  return thresholds.length === 0 ? 'no problems' : `no problems, ${counted(thresholds.length, 'threshold')} met`;
}

/** @param {WritableResult} result */
function problemLines(result) {
  const lines = problemsOf(result).map((problem) => `- ${escapeMarkdown(problem)}`);
  const more = lines.length - MAX_LISTED;
  return more > 0 ? [...lines.slice(0, MAX_LISTED), `- and ${rounded(more)} more`] : lines;
}

/** Escapes text into one line for a paragraph, a list or a cell of Markdown. @param {string} text from any source */
export function escapeMarkdown(text) {
  // Markdown never shows leading blanks, and several of them start a code block.
  return plainLine(text)
    .trimStart()
    .replace(PUNCTUATION, String.raw`\$&`)
    .replace(BLOCK_START, String.raw`\$&`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
