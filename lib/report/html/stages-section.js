import { bucketFindings } from '../../bottleneck/bucket-findings.js';
import { bottleneckSentence } from '../../bottleneck/sentence.js';
import { stageTable } from '../../figures/stage-table.js';
import { formatErrors } from '../error-labels.js';
import { stageFindings } from '../stage-findings.js';
import { hostsWithPercentiles } from '../../model/completeness.js';
import { limitReasons } from '../limit-reasons.js';
import { stabilityLine } from '../stability-line.js';
import { table } from './figures.js';
import { html, withWholeOptions } from './markup.js';

/**
 * @import { Result, StageSum } from '../../model/result.js'
 * @import { Section } from './page.js'
 */

/**
 * @param {Result} result
 * @returns {Section}
 */
export function stagesSection({ stages }) {
  return {
    id: 'stages',
    title: 'Stages',
    body: html`<dl class="findings">${stages.map(findingOf)}</dl>
      ${table('Results by stage', stageTable(stages))}`,
  };
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
      ${[limit, ...hostReasons.map((reason) => `${reason}.`), ...end, ...percentiles, ...suspended, ...ended, ...stageFindings(stage).map((finding) => `${finding[0].toUpperCase()}${finding.slice(1)}.`), ...failed, ...bucketFindings(buckets)].map((text) => html`<p>${withWholeOptions(text)}</p>`)}
    </dd> `;
}
