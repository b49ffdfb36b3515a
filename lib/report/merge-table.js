import { describeLimit } from '../bottleneck/sentence.js';
import { hostsWithPercentiles } from '../model/completeness.js';
import { counted, decimal } from '../text/figures.js';
import { plainLine } from '../text/plain-text.js';
import { throughputText } from '../text/units.js';
import { barTable, errorCell, latencyText, wrapSentence } from './bar-table.js';
import { limitReasons } from './limit-reasons.js';
import { formatLimits } from './merge-text.js';

/**
 * @import { MergedResult, MergedStage } from '../merge/merge.js'
 * @import { Part } from './drawing.js'
 * @import { Look } from './reporter.js'
 */

/**
 * Summarizes a merge on a terminal: a row with a bar per stage, then the bottlenecks.
 *
 * @param {Pick<MergedResult, 'stages'>} result with at least one stage
 * @param {Look} look
 */
export function formatMergeTable({ stages }, look) {
  const column = (/** @type {string} */ heading, /** @type {(stage: MergedStage) => Part} */ cell) => ({
    heading,
    cells: stages.map(cell),
  });
  const table = barTable(
    {
      names: column('Stage', ({ stage }) => ({ text: stage })),
      values: column('Peak/s', ({ merge }) => ({ text: decimal(merge.peak.operationsPerSecond) })),
      bars: stages.map(({ merge }) => merge.peak.operationsPerSecond),
      others: [
        column('Mean/s', ({ merge: { together } }) => ({
          text: together === null ? '-' : decimal(together.operationsPerSecond),
        })),
        column('Peak MiB/s', ({ merge: { peak } }) => ({ text: throughputText(peak.bytesPerSecond) })),
        column('p50', ({ latency }) => ({ text: latencyText(latency.operations?.p50) })),
        column('p99', ({ latency }) => ({ text: latencyText(latency.operations?.p99) })),
        column('Errors', ({ errors, throttled }) => errorCell(sumOf(Object.values(errors)), throttled ?? 0)),
      ],
      dispensable: ['Peak MiB/s', 'p50', 'Mean/s'],
    },
    look,
  );
  const sentences = [...stages.flatMap(limitSentence), ...stages.flatMap(percentileSentence)].flatMap((sentence) =>
    wrapSentence(sentence, look),
  );
  const blocks = [table, sentences].filter((lines) => lines.length > 0);
  return blocks.map((lines) => `\n${lines.join('\n')}\n`).join('');
}

/** Empty if no log contains a bottleneck. @param {MergedStage} stage */
function limitSentence({ stage, merge }) {
  const { shares, hosts } = merge;
  const causes = new Set(shares.map(({ limitedBy }) => limitedBy));
  const [cause = null] = causes;
  if (causes.size > 1) {
    return [
      `${stage} had different bottlenecks on its ${counted(hosts, 'host')}: ${plainLine(formatLimits(merge) ?? '')}.`,
      ...limitReasons(merge).map((reason) => `${plainLine(reason)}.`),
    ];
  }
  const where = hosts === 1 ? '' : `, on all ${counted(hosts, 'host')}`;
  const reasons = limitReasons(merge).map((reason) => `${hosts === 1 ? ':' : ';'} ${plainLine(reason)}`);
  const certainty = shares.some((share) => share.certainty === 'likely') ? 'likely' : undefined;
  return cause === null ? [] : [`${describeLimit(stage, { cause, certainty })}${where}${reasons.join('')}.`];
}

/** Empty if the percentiles are those of all hosts. @param {MergedStage} stage */
function percentileSentence(stage) {
  const hosts = hostsWithPercentiles(stage);
  return hosts === null ? [] : [`Percentiles of ${stage.stage} are from ${hosts}.`];
}

/** @param {readonly number[]} values */
function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}
