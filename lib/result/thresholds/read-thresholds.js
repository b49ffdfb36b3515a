import { CONDITIONS, figureNamed } from '../figures/catalogue.js';
import { didYouMean } from '../../text/nearest-name.js';
import { quote } from '../../text/quote.js';
import { formatThreshold, parseThreshold } from './threshold.js';

/**
 * @import { Condition, Figure } from '../figures/catalogue.js'
 * @import { WritableResult } from '../write-result.js'
 * @import { Threshold } from './threshold.js'
 */

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
