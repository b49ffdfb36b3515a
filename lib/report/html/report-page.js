import { isClean, shortcomingsOf } from '../../model/completeness.js';
import { writeResult } from '../../model/write-result.js';
import { answerOf } from '../answer.js';
import { cacheSection } from './cache-section.js';
import { connectionsSection } from './connections-section.js';
import { factsSection } from './facts-section.js';
import { hostsSection } from './hosts-section.js';
import { latencySection } from './latency-section.js';
import { html } from './markup.js';
import { methodSection } from './method-section.js';
import { formatPage } from './page.js';
import { searchSection } from './search-section.js';
import { stagesSection } from './stages-section.js';
import { thresholdsSection } from './thresholds-section.js';
import { timeSection } from './time-section.js';

/**
 * @import { Result } from '../../model/result.js'
 * @import { WritableResult } from '../../model/write-result.js'
 */

/** Maximum characters of per-second histograms, about an hour of three stages: more would make the page slow. */
const MAX_HISTOGRAM_TEXT = 16 * 1024 * 1024;

/**
 * The page of a result: a run, a search, or a merge of several hosts.
 *
 * @param {WritableResult} written
 * @returns {Generator<string, void, undefined>} the page in chunks
 */
export function reportPage(written) {
  const result = { ...written, stages: written.stages.map((stage) => ({ ...stage, seconds: [...stage.seconds] })) };
  const { embedded, isWhole } = withRoomFor(result);
  const sections = [
    stagesSection(result),
    searchSection(result),
    thresholdsSection(result),
    factsSection(result),
    timeSection(result),
    latencySection(result),
    cacheSection(result),
    hostsSection(result),
    connectionsSection(result),
    methodSection(result, isWhole),
  ].filter((section) => section !== null);
  return formatPage({
    title: `r2-benchmark ${result.run ?? result.hosts.find(({ run }) => run !== null)?.run ?? ''}`.trim(),
    header: html`<p class="eyebrow">
        r2-benchmark
        report${result.start === null ? null : html`, <time datetime="${result.start}">${result.start}</time>`}
      </p>
      <h1>${answerOf(result)}</h1>
      ${statusNote(result)}`,
    sections,
    data: { result: writeResult(embedded) },
  });
}

/** Drops the per-second histograms if they are too large for a page. @param {Result} result */
function withRoomFor(result) {
  const length = result.stages.reduce(
    (sum, { seconds }) => sum + seconds.reduce((text, { histogram }) => text + (histogram?.length ?? 0), 0),
    0,
  );
  if (length <= MAX_HISTOGRAM_TEXT) {
    return { embedded: result, isWhole: true };
  }
  const stages = result.stages.map((stage) => ({
    ...stage,
    seconds: stage.seconds.map((second) => ({ ...second, histogram: null })),
  }));
  return { embedded: { ...result, stages }, isWhole: false };
}

/** The warning above incomplete figures. @param {Result} result */
function statusNote({ problems, cleanup, merge, stages }) {
  const isIncomplete =
    problems.length > 0 ||
    (cleanup !== null && !isClean(cleanup)) ||
    merge?.warnings.some(({ incomplete }) => incomplete) ||
    stages.some((stage) => shortcomingsOf(stage).length > 0);
  return isIncomplete
    ? html`<p class="status" role="note">
        <strong>Incomplete.</strong> Something is missing, failed or ended early: see
        <a href="#stages">the stages</a> and <a href="#run">how it was measured</a>.
      </p>`
    : null;
}
