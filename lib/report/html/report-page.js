import { bucketFindings } from '../../result/bottleneck/bucket-findings.js';
import { DOLLARS_PER_MILLION, dollarsSpentOn, hasThesePrices } from '../../run/prices.js';
import { figuresOf, withFigures } from '../../result/figures/catalogue.js';
import { stageTable } from '../../result/figures/stage-table.js';
import { shortcomingsOf } from '../../result/completeness.js';
import { writeResult } from '../../result/write-result.js';
import { decimal } from '../../text/figures.js';
import { formatErrors, limitSentences, listed, stageFindings } from '../stage-findings.js';
import { factsOf, headlinesOf, problemsOf, warningText } from '../headline.js';
import { table } from './figures.js';
import { headings, html } from './markup.js';
import { formatPage } from './page.js';
import {
  hostsSection,
  latencySection,
  notedSection,
  searchSection,
  thresholdsSection,
  timeSection,
} from './sections.js';

/**
 * @import { Result, StageSum } from '../../result/result.js'
 * @import { WritableResult } from '../../result/write-result.js'
 * @import { Content } from './markup.js'
 * @import { Section } from './page.js'
 */

/**
 * The page of a result: a run, a search, or a merge of several hosts.
 *
 * @param {WritableResult} written
 * @returns {Generator<string, void, undefined>} the page in chunks
 */
export function reportPage(written) {
  const result = { ...written, stages: written.stages.map((stage) => ({ ...stage, seconds: [...stage.seconds] })) };
  const sections = [
    stagesSection(result),
    searchSection(result),
    thresholdsSection(result),
    factsSection(result),
    timeSection(result),
    latencySection(result),
    hostsSection(result),
    notedSection(result),
    methodSection(),
  ].filter((section) => section !== null);
  return formatPage({
    title: `r2-benchmark ${result.run ?? result.hosts.find(({ run }) => run !== null)?.run ?? ''}`.trim(),
    header: html`<p class="eyebrow">
        r2-benchmark
        report${result.start === null ? null : html`, <time datetime="${result.start}">${result.start}</time>`}
      </p>
      ${headings(headlinesOf(result))} ${statusNote(result)}`,
    sections,
    data: { result: writeResult(withFigures(withoutHistograms(result))) },
  });
}

/** Leaves out the histograms of single seconds, which would be most of the page. @param {Result} result */
function withoutHistograms(result) {
  const stages = result.stages.map((stage) => ({
    ...stage,
    seconds: stage.seconds.map((second) => ({ ...second, histogram: null })),
  }));
  return { ...result, stages };
}

/** The warning above incomplete figures: what is missing, failed or ended early. @param {Result} result */
function statusNote(result) {
  const problems = problemsOf(result);
  return problems.length === 0
    ? null
    : html`<p class="status" role="note">
        <strong>Incomplete.</strong>
        ${listed(problems, '; ')}.
        <a href="#run">How it was measured</a>
      </p>`;
}

/**
 * @param {Result} result
 * @returns {Section}
 */
function stagesSection({ stages }) {
  return {
    id: 'stages',
    title: 'Stages',
    body: html`${definitionList(stages.map((stage) => [stage.stage, findingsOf(stage)]))}
    ${table('Results by stage', stageTable(stages))}`,
  };
}

/** @param {StageSum} stage */
function findingsOf(stage) {
  const { buckets = [], errors, paused } = stage;
  const texts = [
    ...limitSentences([stage]),
    ...(paused
      ? [`The stage was suspended for ${decimal(paused / 1000)} s: that time is excluded from rates and percentiles.`]
      : []),
    ...[...shortcomingsOf(stage), ...stageFindings(stage)].map(
      (finding) => `${finding[0].toUpperCase()}${finding.slice(1)}.`,
    ),
    ...(Object.keys(errors).length === 0 ? [] : [`Failed attempts: ${formatErrors(errors)}.`]),
    ...bucketFindings(buckets),
  ];
  return texts.map((text) => html`<p>${text}</p>`);
}

/**
 * @param {Result} result
 * @returns {Section}
 */
function factsSection(result) {
  const { problems, merge } = result;
  /** @type {[term: string, content: string | null][]} */
  const facts = [
    ...factsOf(result),
    ['Cost', costText(result)],
    ...[...problems, ...(merge?.warnings ?? []).map(warningText)].map(
      (text) => /** @type {[string, string]} */ (['Warning', text]),
    ),
  ];
  return {
    id: 'run',
    title: 'How it was measured',
    body: definitionList(facts.flatMap(([term, text]) => (text === null ? [] : [[term, text]]))),
  };
}

/** Null unless the store is R2. @param {Pick<Result, 'options' | 'stages'>} result */
function costText({ options, stages }) {
  const endpoint = options?.endpoint ?? '';
  return URL.canParse(endpoint) && hasThesePrices(new URL(endpoint).hostname)
    ? `$${decimal(dollarsSpentOn(stages), 4)} for the attempts of the stages at R2's list prices ($${DOLLARS_PER_MILLION.A} per million ` +
        `Class A and $${DOLLARS_PER_MILLION.B} per million Class B operations), before the monthly free tier`
    : null;
}

/** Besides those of the catalogue. @type {readonly [term: string, definition: string][]} */
const DEFINITIONS = [
  [
    'Rate',
    'The capacity if it was searched for; for several hosts, the mean of the whole seconds in which all of them were in the stage; otherwise the successful operations ÷ time, both without warm-up and drain. Nothing counts as a success until it has been verified.',
  ],
  [
    'ops/s in a second',
    "Operations that completed in that whole UTC second, by the store's clock if it could be measured. The count is not scaled.",
  ],
  [
    'Latency',
    'From the first attempt of an operation to its success, including pauses between attempts. In an open loop, from the time at which the operation was due. Percentiles come from HdrHistograms, to within 0.1%; they are never averaged.',
  ],
  ['Limited by', 'The bottleneck: proven by the figures, or likely if one precondition of the proof is missing.'],
];

/** @returns {Section} */
function methodSection() {
  const ofFigures = figuresOf('stages').map(({ title, meaning }) => /** @type {const} */ ([title, `${meaning}.`]));
  return {
    id: 'method',
    title: 'Method, definitions and data',
    body: html`${definitionList(new Map([...ofFigures, ...DEFINITIONS]))}
      <p>
        The result, without the latency histograms of single seconds:
        <a id="download-json" download="result.json">JSON</a>
      </p> `,
  };
}

/** @param {Iterable<readonly [term: string, content: Content]>} entries */
function definitionList(entries) {
  return html`<dl>
    ${[...entries].map(
      ([term, content]) =>
        html`<dt>${term}</dt>
          <dd>${content}</dd> `,
    )}
  </dl>`;
}
