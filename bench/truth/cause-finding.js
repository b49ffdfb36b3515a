import { verdictOf } from './verdict.js';

/**
 * @import { Bottleneck } from '../../lib/model/result.js'
 * @import { Finding } from './finding.js'
 * @import { Truth } from './scenarios.js'
 * @import { JudgedStage } from './verdict.js'
 */

/** One run in this many is allowed to miss the cause. */
const RUNS_PER_MISS = 10;

/**
 * A wrong proven cause is never allowed. A wrong likely cause, or no cause, is allowed in one of ten runs.
 *
 * @param {string} what
 * @param {Truth} truth
 * @param {readonly JudgedStage[]} stages one for each run
 * @returns {Finding}
 */
export function causeFinding(what, truth, stages) {
  const verdicts = stages.map((stage) => verdictOf([stage], truth));
  const missed = verdicts.filter((verdict) => verdict === 'not shown' || verdict === 'mistaken').length;
  return {
    what,
    expected: truth.right,
    found: countsOf(stages.map(({ cause, certainty }) => (certainty === 'likely' ? `likely ${cause}` : cause))),
    isRight: stages.length > 0 && !verdicts.includes('wrong') && missed <= Math.floor(stages.length / RUNS_PER_MISS),
  };
}

/**
 * Reports the evidence for an unexpected cause, which the counts do not show.
 *
 * @param {(progress: string) => void} report
 * @param {Truth} truth
 * @param {Pick<Bottleneck, 'cause' | 'evidence'>} bottleneck
 */
export function reportOther(report, { right }, { cause, evidence }) {
  if (cause !== right) {
    report(`${cause}: ${evidence}`);
  }
}

/** @param {readonly string[]} causes */
function countsOf(causes) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  causes.forEach((cause) => counts.set(cause, (counts.get(cause) ?? 0) + 1));
  return [...counts].map(([cause, count]) => `${count} × ${cause}`).join(', ');
}
