/**
 * @import { HostLoad } from '../../lib/model/result.js'
 * @import { Truth } from './scenarios.js'
 *
 * What a run's causes come to, held against the truth: the worst of its stages. A run that failed is wrong, too.
 *
 * @typedef {'right' | 'superset' | 'not shown' | 'wrong'} Verdict
 *
 * @typedef {Record<Verdict, number>} VerdictCounts runs
 */

const INCONCLUSIVE = 'inconclusive';

/** From the best to the worst. @type {readonly Verdict[]} */
export const VERDICTS = ['right', 'superset', 'not shown', 'wrong'];

/** Of ninety runs so many have to name the right cause, or one that includes it. */
const NAMED_SHARE = 86 / 90;

/** From this share of the CPUs' time on, it is as true that the hypervisor limits as that the client does. */
const STEAL = 0.05;

/**
 * @param {readonly JudgedStage[]} stages of the run
 * @param {Truth} truth
 * @returns {Verdict}
 *
 * @typedef {{ cause: string, hostLoad: Pick<HostLoad, 'cpu'> | null }} JudgedStage
 */
export function verdictOf(stages, truth) {
  const ranks = stages.map((stage) => VERDICTS.indexOf(verdictOfStage(stage, truth)));
  return stages.length === 0 ? 'wrong' : VERDICTS[Math.max(...ranks)];
}

/**
 * @param {JudgedStage} stage
 * @param {Truth} truth
 * @returns {Verdict}
 */
function verdictOfStage({ cause, hostLoad }, { right, supersets, underSteal }) {
  if (cause === right) {
    return 'right';
  }
  if (supersets.includes(cause) || (cause === underSteal && Number(hostLoad?.cpu?.steal) >= STEAL)) {
    return 'superset';
  }
  return cause === INCONCLUSIVE ? 'not shown' : 'wrong';
}

/**
 * @param {readonly Verdict[]} verdicts one of each run
 * @returns {VerdictCounts}
 */
export function countVerdicts(verdicts) {
  const counts = { right: 0, superset: 0, 'not shown': 0, wrong: 0 };
  verdicts.forEach((verdict) => (counts[verdict] += 1));
  return counts;
}

/**
 * @param {VerdictCounts} counts of all runs
 * @returns {{ needed: number, named: number, isEnough: boolean }} runs that have to name the right cause or a superset of
 *   it, and those that do; enough only where no run is wrong
 */
export function judgeCounts({ right, superset, 'not shown': notShown, wrong }) {
  const named = right + superset;
  const runs = named + notShown + wrong;
  const needed = Math.ceil(NAMED_SHARE * runs);
  return { needed, named, isEnough: runs > 0 && wrong === 0 && named >= needed };
}
