import { didYouMean, ranked } from '../../text/nearest-name.js';
import { quote } from '../../text/quote.js';
import { CONDITIONS, FIGURES_OF_RUN, FIGURES_OF_STAGE, figureNamed } from '../figures/catalogue.js';
import { QUANTITIES, describeUnits, unitNamed } from '../figures/quantities.js';

/**
 * @import { Condition, Figure } from '../figures/catalogue.js'
 * @import { WritableResult } from '../write-result.js'
 */

/**
 * @typedef {object} Threshold asserts that a figure is on one side of a limit
 * @property {string | null} stage in lower case, as in --stages, or with an operation of a mix, such as `mixed.read`;
 *   null for a figure of the whole run
 * @property {string} metric a name from the table in metrics.js
 * @property {Operator} operator
 * @property {Limit} limit
 *
 * @typedef {{ value: number, unit: string } | { factor: number }} Limit a number in a unit of the metric's quantity, or
 *   a multiple of the baseline's figure
 *
 * @typedef {'<' | '<=' | '>' | '>=' | '==' | '!='} Operator
 *
 * @typedef {object} ParsedThreshold
 * @property {string | null} stage null for the whole run, and if it cannot be read
 * @property {Figure | null} metric null if there is no such metric, or it cannot be read
 * @property {Threshold | null} threshold null if there is a problem
 * @property {string | null} problem what is wrong, and what was expected
 */

/** @type {Readonly<Record<Operator, (value: number, limit: number) => boolean>>} */
export const OPERATORS = Object.freeze({
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
  '==': (value, limit) => value === limit,
  '!=': (value, limit) => value !== limit,
});

/** Stages of several operations. */
const MIXED = ['mixed', 'replay'];

/** Names shown instead of an unknown one. */
const MAX_NEAR = 3;

const BASELINE = 'baseline';
const NUMBER = String.raw`((?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[+-]?[0-9]+)?)`;

const ASSERTION = /^\s*([A-Za-z][A-Za-z0-9.-]{0,79})\s*(<=|>=|==|!=|<|>)\s*(\S.*?)\s*$/;
const QUANTITY = new RegExp(String.raw`^${NUMBER}\s*([A-Za-zµμ%/]*)$`);
const MULTIPLE = new RegExp(String.raw`^(?:${NUMBER}\s*\*\s*${BASELINE}|${BASELINE}(?:\s*\*\s*${NUMBER})?)$`);

/**
 * @param {string} text written by the user, such as `read.p99 < 50ms`
 * @returns {ParsedThreshold}
 */
export function parseThreshold(text) {
  const [, subject, operator, written] = ASSERTION.exec(text) ?? [];
  if (subject === undefined) {
    const problem = `expected a figure, an operator (${Object.keys(OPERATORS).join(' ')}) and a limit, such as 'read.p99 < 50ms'`;
    return { stage: null, metric: null, threshold: null, problem };
  }
  const { stage, name, metric } = subjectOf(subject);
  if (metric === null) {
    return { stage, metric, threshold: null, problem: unknownFigure(stage, name) };
  }
  const limit = parseLimit(written, metric);
  if (limit === null) {
    const { example } = QUANTITIES[metric.quantity];
    const problem = `expected a limit such as ${example} (${describeUnits(metric.quantity)}) or 0.95 * ${BASELINE}, got ${quote(written)}`;
    return { stage, metric, threshold: null, problem };
  }
  const threshold = { stage, metric: metric.name, operator: /** @type {Operator} */ (operator), limit };
  return { stage, metric, threshold, problem: null };
}

/**
 * A stage's figure is prefixed with the stage's name; a figure of the whole run has no prefix.
 *
 * @param {string} subject such as `read.p99` or `errors`
 * @returns {{ stage: string | null, name: string, metric: Figure | null }}
 */
function subjectOf(subject) {
  const fromRun = figureNamed(subject, FIGURES_OF_RUN);
  const dot = subject.indexOf('.');
  if (fromRun !== null || dot < 0) {
    return { stage: null, name: subject, metric: fromRun };
  }
  const stage = subject.slice(0, dot).toLowerCase();
  const name = subject.slice(dot + 1);
  const metric = figureNamed(name, FIGURES_OF_STAGE);
  const further = name.indexOf('.');
  if (metric !== null || further < 0 || !MIXED.includes(stage)) {
    return { stage, name, metric };
  }
  // Such as `mixed.read.p99`.
  const kindFigure = name.slice(further + 1);
  return {
    stage: `${stage}.${name.slice(0, further)}`,
    name: kindFigure,
    metric: figureNamed(kindFigure, FIGURES_OF_STAGE),
  };
}

/**
 * @param {string | null} stage
 * @param {string} name
 */
function unknownFigure(stage, name) {
  if (stage === null && figureNamed(name, FIGURES_OF_STAGE) !== null) {
    return `${name} is a figure of a stage: put a stage name before it, such as read.${name}`;
  }
  const names = (stage === null ? FIGURES_OF_RUN : FIGURES_OF_STAGE).map((metric) => metric.name);
  const near = ranked(name, names).slice(0, MAX_NEAR);
  const whose = stage === null ? 'of the whole run' : 'of a stage';
  return `no figure ${whose} is called ${quote(name)}; near names: ${near.map((each) => each.name).join(', ')}; docs/use/ci.md lists all`;
}

/**
 * @param {string} text
 * @param {Figure} metric
 * @returns {Limit | null} null if it is not a limit
 */
function parseLimit(text, { quantity }) {
  const multiple = MULTIPLE.exec(text);
  if (multiple !== null) {
    const factor = Number(multiple[1] ?? multiple[2] ?? 1);
    return Number.isFinite(factor) ? { factor } : null;
  }
  const [, number, written] = QUANTITY.exec(text) ?? [];
  const unit = number === undefined ? null : unitNamed(quantity, written);
  return unit === null || !Number.isFinite(Number(number)) ? null : { value: Number(number), unit };
}

/** Formats a threshold so that {@link parseThreshold} can read it. @param {Threshold} threshold */
export function formatThreshold({ stage, metric, operator, limit }) {
  return `${stage === null ? '' : `${stage}.`}${metric} ${operator} ${formatLimit(limit)}`;
}

/** @param {Limit} limit */
function formatLimit(limit) {
  if ('factor' in limit) {
    return limit.factor === 1 ? BASELINE : `${limit.factor} * ${BASELINE}`;
  }
  return `${limit.value}${limit.unit}`;
}

/**
 * @typedef {{ text: string, place: string }} Assertion text by the user; `place`: an option, or a file and a line
 *
 * @typedef {object} AssertedRun a run, as far as it is known in advance
 * @property {readonly string[]} stages in lower case
 * @property {(stage: string, condition: Condition) => boolean} mayHave false if the stage certainly lacks such figures
 *
 * @typedef {{ thresholds: Threshold[], problems: string[] }} ReadThresholds valid thresholds; problems, one line each
 */

/**
 * @param {readonly Assertion[]} assertions
 * @param {AssertedRun | null} run null if nothing is known yet
 * @returns {ReadThresholds}
 */
export function readThresholds(assertions, run) {
  const read = assertions.map(({ text, place }) => {
    const { stage, metric, threshold, problem } = parseThreshold(text);
    const problems = [problem, run === null ? null : stageProblem({ stage, metric }, run)].filter(
      (each) => each !== null,
    );
    return { threshold, problems: problems.map((each) => `${place}: ${quote(text)}: ${each}`) };
  });
  return {
    thresholds: read.flatMap(({ threshold, problems }) =>
      threshold === null || problems.length > 0 ? [] : [threshold],
    ),
    problems: read.flatMap(({ problems }) => problems),
  };
}

/**
 * @param {readonly Threshold[]} thresholds parsed before the options of the run were known
 * @param {AssertedRun} run
 * @returns {string[]} one line per threshold whose figure this run cannot produce
 */
export function checkThresholds(thresholds, run) {
  return thresholds.flatMap((threshold) => {
    const problem = stageProblem({ stage: threshold.stage, metric: figureNamed(threshold.metric) }, run);
    return problem === null ? [] : [`--assert: ${quote(formatThreshold(threshold))}: ${problem}`];
  });
}

/**
 * @param {{ stage: string | null, metric: Figure | null }} subject
 * @param {AssertedRun} run
 */
function stageProblem({ stage, metric }, { stages, mayHave }) {
  if (stage === null) {
    return null;
  }
  if (!stages.includes(stage)) {
    return `unknown stage ${stage}, expected ${stages.join(', ')}${didYouMean(stage, stages)}`;
  }
  const condition = metric?.onlyOf;
  return condition === undefined || mayHave(stage, condition)
    ? null
    : `${stage} has no such figure: ${CONDITIONS[condition]}`;
}

/**
 * @param {WritableResult} result
 * @returns {AssertedRun}
 */
export function stagesOf({ stages }) {
  const names = stages.flatMap(({ stage, kinds = [] }) => [
    stage.toLowerCase(),
    ...kinds.map(({ operation }) => `${stage.toLowerCase()}.${operation}`),
  ]);
  return { stages: names, mayHave: () => true };
}
