import { quote } from '../text/quote.js';
import { CONDITIONS, METRICS_OF_RUN, METRICS_OF_STAGE, metricNamed } from './metrics.js';
import { nearestName } from '../text/nearest-name.js';
import { formatThreshold, parseThreshold } from './threshold.js';

/**
 * @import { Condition, Metric } from './metrics.js'
 * @import { Threshold } from './threshold.js'
 *
 * @typedef {object} Assertion what a user wrote
 * @property {string} text
 * @property {string} place where it stands: an option, or a file and a line
 *
 * @typedef {object} AssertedRun what is known of a run of which something is asserted
 * @property {readonly string[]} stages in lower case
 * @property {(stage: string, condition: Condition) => boolean} mayHave whether the stage has figures of that kind, or nobody
 *   knows yet
 *
 * @typedef {object} ReadThresholds
 * @property {Threshold[]} thresholds those without problems
 * @property {string[]} problems a line each
 */

/**
 * @param {readonly Assertion[]} assertions
 * @param {AssertedRun | null} run null where nothing is known of it yet
 * @returns {ReadThresholds}
 */
export function readThresholds(assertions, run) {
  const read = assertions.map(({ text, place }) => {
    const { stage, metric, threshold, problem } = parseThreshold(text);
    const problems = [problem, run === null ? null : stageProblem({ stage, metric }, run)].filter(
      (each) => each !== null,
    );
    // A suggestion is enough: all names are too many to read.
    const isNameUnknown = metric === null && threshold === null && !/did you mean|is a figure of/.test(problem ?? '');
    return { threshold, isNameUnknown, problems: problems.map((each) => `${place}: ${quote(text)}: ${each}`) };
  });
  return {
    thresholds: read.flatMap(({ threshold, problems }) =>
      threshold === null || problems.length > 0 ? [] : [threshold],
    ),
    problems: [
      ...read.flatMap(({ problems }) => problems),
      ...(read.some(({ isNameUnknown }) => isNameUnknown) ? [knownNames(assertions[0].place)] : []),
    ],
  };
}

/**
 * @param {readonly Threshold[]} thresholds that were read before anything was known of the run
 * @param {AssertedRun} run
 * @returns {string[]} a line for each that is about no stage of it
 */
export function checkThresholds(thresholds, run) {
  return thresholds.flatMap((threshold) => {
    const problem = stageProblem({ stage: threshold.stage, metric: metricNamed(threshold.metric) }, run);
    return problem === null ? [] : [`--assert: ${quote(formatThreshold(threshold))}: ${problem}`];
  });
}

/**
 * @param {{ stage: string | null, metric: Metric | null }} subject
 * @param {AssertedRun} run
 */
function stageProblem({ stage, metric }, { stages, mayHave }) {
  if (stage === null) {
    return null;
  }
  if (!stages.includes(stage)) {
    const nearest = nearestName(stage, stages);
    const suggestion = nearest === null ? '' : `; did you mean ${nearest}?`;
    return `there is no stage ${stage}, expected ${stages.join(', ')}${suggestion}`;
  }
  const condition = metric?.onlyOf;
  return condition === undefined || mayHave(stage, condition) ? null : `${stage} has none: ${CONDITIONS[condition]}`;
}

/** @param {string} place of the assertions */
function knownNames(place) {
  const [ofStage, ofRun] = [METRICS_OF_STAGE, METRICS_OF_RUN].map((metrics) =>
    metrics.map(({ name }) => name).join(', '),
  );
  return `${place}: the figures of a stage are ${ofStage}; those of the whole run ${ofRun}`;
}
