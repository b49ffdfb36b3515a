import { bucketFindings } from '../../bottleneck/bucket-findings.js';
import { bottleneckSentence } from '../../bottleneck/sentence.js';
import { failedAttemptsOf } from '../../model/failed-attempts.js';
import { shortLimit } from '../../text/figures.js';
import { formatErrors } from '../error-labels.js';
import { foreignFindings } from '../foreign-findings.js';
import { hostsWithPercentiles } from '../../model/completeness.js';
import { limitReasons } from '../limit-reasons.js';
import { stabilityLine } from '../stability-line.js';
import { rateOf, searchedFigures } from '../answer.js';
import { count, megabytes, milliseconds, rate, seconds, table } from './figures.js';
import { html, withWholeOptions } from './markup.js';

/**
 * @import { Result, StageSum } from '../../model/result.js'
 * @import { Column } from './figures.js'
 * @import { Section } from './page.js'
 */

/** @type {Column<StageSum>} */
const MEAN = { title: 'Mean', unit: 'ops/s', cell: ({ average }) => rate(average) };

/** @type {readonly Column<StageSum>[]} */
const COLUMNS = [
  { title: 'Stage', kind: 'text', cell: ({ stage }) => stage },
  { title: 'Rate', unit: 'ops/s', cell: (stage) => rate(rateOf(stage)) },
  MEAN,
  { title: 'Peak second', unit: 'ops/s', cell: ({ peak }) => rate(peak) },
  { title: 'Mean', unit: 'MiB/s', cell: ({ averageBytes }) => megabytes(averageBytes) },
  { title: 'p50', unit: 'ms', cell: ({ latency }) => milliseconds(latency.operations?.p50) },
  { title: 'p90', unit: 'ms', cell: ({ latency }) => milliseconds(latency.operations?.p90) },
  { title: 'p95', unit: 'ms', cell: ({ latency }) => milliseconds(latency.operations?.p95) },
  { title: 'p99', unit: 'ms', cell: ({ latency }) => milliseconds(latency.operations?.p99) },
  { title: 'p99.9', unit: 'ms', cell: ({ latency }) => milliseconds(latency.operations?.p999) },
  { title: 'Longest', unit: 'ms', cell: ({ latency }) => milliseconds(latency.operations?.maximum) },
  { title: 'Operations', cell: ({ operations }) => count(operations) },
  { title: 'Failed attempts', cell: (stage) => count(failedAttemptsOf(stage)) },
  { title: 'Time', unit: 's', cell: ({ duration }) => seconds(duration) },
  {
    title: 'Limited by',
    kind: 'text',
    cell: ({ bottleneck = null }) => (bottleneck === null ? 'unknown' : shortLimit(bottleneck)),
  },
];

/**
 * @param {Result} result
 * @returns {Section}
 */
export function stagesSection({ stages }) {
  const rows = stages.flatMap(withKinds);
  return {
    id: 'stages',
    title: 'Stages',
    body: html`<dl class="findings">${stages.map(findingOf)}</dl>
      ${table({ caption: 'Results by stage', columns: columnsFor(rows), rows, isOfCards: true })}`,
  };
}

/** Omits the mean if it always equals the rate. @param {readonly StageSum[]} rows */
function columnsFor(rows) {
  const hasOtherMean = rows.some((row) => row.average !== rateOf(row));
  return COLUMNS.filter((column) => column !== MEAN || hasOtherMean);
}

/** The stage, with any rate that a search found, then each operation of its mix. @param {StageSum} stage */
function withKinds(stage) {
  const { kinds = [], end, startedAt, endedAt, duration } = stage;
  const kindStages = kinds.map((kind) => {
    const named = { stage: `${stage.stage}: ${kind.operation}`, seconds: [], end, startedAt, endedAt, duration };
    return /** @type {StageSum} */ ({ ...kind, ...named });
  });
  return [/** @type {StageSum} */ ({ ...stage, ...searchedFigures(stage) }), ...kindStages];
}

/** @param {StageSum} stage */
function findingOf(stage) {
  const { bottleneck = null, buckets = [], errors, stability = null } = stage;
  const paused = stage.paused ?? 0;
  const limit = bottleneckSentence(stage.stage, bottleneck);
  const hostReasons = !bottleneck?.evidence && stage.merge !== undefined ? limitReasons(stage.merge) : [];
  const failed = Object.keys(errors).length === 0 ? [] : [`Failed attempts: ${formatErrors(errors)}.`];
  const end =
    stage.end === undefined || stage.end === null || stage.end === 'complete'
      ? []
      : [`The stage ended early: ${stage.end}.`];
  const hosts = hostsWithPercentiles(stage);
  const percentiles = hosts === null ? [] : [`Percentiles are from ${hosts}.`];
  const suspended =
    paused === 0
      ? []
      : [
          `The stage was suspended for ${(paused / 1000).toFixed(1)} s: that time is excluded from rates and percentiles.`,
        ];
  const ended = stability === null ? [] : [`The rate was ${stabilityLine(stability)}.`];
  return html`<dt>${stage.stage}</dt>
    <dd>
      ${[limit, ...hostReasons.map((reason) => `${reason}.`), ...end, ...percentiles, ...suspended, ...ended, ...foreignFindings(stage).map((finding) => `${finding}.`), ...failed, ...bucketFindings(buckets)].map((text) => html`<p>${withWholeOptions(text)}</p>`)}
    </dd> `;
}
