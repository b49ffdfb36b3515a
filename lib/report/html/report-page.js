import { writeResult } from '../../model/write-result.js';
import { headlinesOf, problemsOf } from '../headline.js';
import { factsSection } from './facts-section.js';
import { latencySection } from './latency-section.js';
import { headings, html } from './markup.js';
import { methodSection } from './method-section.js';
import { formatPage } from './page.js';
import { searchSection } from './search-section.js';
import { stagesSection } from './stages-section.js';
import { connectionsSection, hostsSection, notedSection, thresholdsSection } from './table-sections.js';
import { timeSection } from './time-section.js';

/**
 * @import { Result } from '../../model/result.js'
 * @import { WritableResult } from '../../model/write-result.js'
 */

/** Maximum characters of per-second histograms, about an hour of three stages: more would make the page slow. */
const MAX_HISTOGRAM_TEXT = 16 * 1024 * 1024;

/** Further problems are only in the text and the data below. */
const MAX_PROBLEMS = 3;

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
    hostsSection(result),
    connectionsSection(result),
    notedSection(result),
    methodSection(result, isWhole),
  ].filter((section) => section !== null);
  return formatPage({
    title: `r2-benchmark ${result.run ?? result.hosts.find(({ run }) => run !== null)?.run ?? ''}`.trim(),
    header: html`<p class="eyebrow">
        r2-benchmark
        report${result.start === null ? null : html`, <time datetime="${result.start}">${result.start}</time>`}
      </p>
      ${headings(headlinesOf(result))} ${statusNote(result)}`,
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

/** The warning above incomplete figures: what is missing, failed or ended early. @param {Result} result */
function statusNote(result) {
  const problems = problemsOf(result);
  const more = problems.length - MAX_PROBLEMS;
  return problems.length === 0
    ? null
    : html`<p class="status" role="note">
        <strong>Incomplete.</strong>
        ${problems.slice(0, MAX_PROBLEMS).join('; ')}${more > 0 ? `; and ${more} more` : ''}.
        <a href="#run">How it was measured</a>
      </p>`;
}
