import { verdictOf } from './verdict.js';

/**
 * @import { Bottleneck } from '../../lib/model/result.js'
 * @import { Finding } from './finding.js'
 * @import { Truth } from './scenarios.js'
 * @import { JudgedStage } from './verdict.js'
 */

/** So many runs may leave the cause open once where they may name it. */
const RUNS_A_MISS = 10;

/**
 * A wrong cause is never right if it is taken for proven; one that is taken for likely, or none at all, is once in ten runs.
 *
 * @param {string} what
 * @param {Truth} truth
 * @param {readonly JudgedStage[]} stages the same one of each run
 * @returns {Finding}
 */
export function causeFinding(what, truth, stages) {
  const verdicts = stages.map((stage) => verdictOf([stage], truth));
  const missed = verdicts.filter((verdict) => verdict === 'not shown' || verdict === 'mistaken').length;
  return {
    what,
    expected: truth.right,
    found: countsOf(stages.map(({ cause, certainty }) => (certainty === 'likely' ? `likely ${cause}` : cause))),
    isRight: stages.length > 0 && !verdicts.includes('wrong') && missed <= Math.floor(stages.length / RUNS_A_MISS),
  };
}

/**
 * What led to another cause than the expected one is lost once runs are counted.
 *
 * @param {(progress: string) => void} say
 * @param {Truth} truth
 * @param {Pick<Bottleneck, 'cause' | 'evidence'>} bottleneck
 */
export function sayOther(say, { right }, { cause, evidence }) {
  if (cause !== right) {
    say(`${cause}: ${evidence}`);
  }
}

/** @param {readonly string[]} causes */
function countsOf(causes) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  causes.forEach((cause) => counts.set(cause, (counts.get(cause) ?? 0) + 1));
  return [...counts].map(([cause, count]) => `${count} × ${cause}`).join(', ');
}
