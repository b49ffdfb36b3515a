/**
 * @import { HostLoad } from '../../lib/model/result.js'
 * @import { Truth } from './scenarios.js'
 *
 * Compares a run's causes with the truth. The worst stage counts, and a failed run is wrong. A likely cause, as opposed to a
 * proven one, is `likely` if it is right, and `mistaken` if it is wrong.
 *
 * @typedef {'right' | 'superset' | 'likely' | 'not shown' | 'mistaken' | 'wrong'} Verdict
 *
 * @typedef {Record<Verdict, number>} VerdictCounts number of runs
 */

const INCONCLUSIVE = 'inconclusive';

/** From best to worst. @type {readonly Verdict[]} */
export const VERDICTS = ['right', 'superset', 'likely', 'not shown', 'mistaken', 'wrong'];

/** Shares of runs that are allowed to leave the cause open, and to report a wrong likely cause. */
const OPEN_SHARE = 0.1;
const MISTAKEN_SHARE = 0.05;

/** From this share of stolen CPU time on, the hypervisor is as much the limit as the client. */
const STEAL = 0.05;

/**
 * @param {readonly JudgedStage[]} stages of the run
 * @param {Truth} truth
 * @returns {Verdict}
 *
 * @typedef {{ cause: string, certainty?: string, hostLoad: Pick<HostLoad, 'cpu'> | null }} JudgedStage
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
function verdictOfStage({ cause, certainty, hostLoad }, { right, supersets, underSteal }) {
  const isLikely = certainty === 'likely';
  if (cause === right) {
    return isLikely ? 'likely' : 'right';
  }
  if (supersets.includes(cause) || (cause === underSteal && Number(hostLoad?.cpu?.steal) >= STEAL)) {
    return isLikely ? 'likely' : 'superset';
  }
  if (cause === INCONCLUSIVE) {
    return 'not shown';
  }
  return isLikely ? 'mistaken' : 'wrong';
}

/**
 * @param {readonly Verdict[]} verdicts one per run
 * @returns {VerdictCounts}
 */
export function countVerdicts(verdicts) {
  const counts = { right: 0, superset: 0, likely: 0, 'not shown': 0, mistaken: 0, wrong: 0 };
  verdicts.forEach((verdict) => (counts[verdict] += 1));
  return counts;
}

/**
 * @param {VerdictCounts} counts of all runs
 * @returns {{ runs: number, open: number, mistaken: number, isEnough: boolean }} how many runs are allowed to leave the cause
 *   open, and to report a wrong likely cause; isEnough requires that no run is wrong
 */
export function judgeCounts(counts) {
  const runs = VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0);
  const [open, mistaken] = [OPEN_SHARE, MISTAKEN_SHARE].map((share) => Math.floor(share * runs));
  const isEnough = runs > 0 && counts.wrong === 0 && counts['not shown'] <= open && counts.mistaken <= mistaken;
  return { runs, open, mistaken, isEnough };
}

/**
 * @param {Truth} truth
 * @param {boolean} isBusy whether other processes use the host's CPUs
 * @returns {Truth} on a busy host, the host's CPU is a true cause, too
 */
export function truthOn(truth, isBusy) {
  return isBusy ? { ...truth, supersets: [...truth.supersets, 'host CPU'] } : truth;
}
