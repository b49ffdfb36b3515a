/**
 * @import { HostLoad } from '../../lib/result/result.js'
 * @import { Finding } from './finding.js'
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
 * No run is allowed to be wrong. Some are allowed to leave the cause open, or to report a wrong likely cause.
 *
 * @param {string} what
 * @param {readonly Verdict[]} verdicts one per run
 * @returns {Finding}
 */
export function totalFinding(what, verdicts) {
  const counts = countVerdicts(verdicts);
  const [open, mistaken] = [OPEN_SHARE, MISTAKEN_SHARE].map((share) => Math.floor(share * verdicts.length));
  return {
    what,
    expected: `none wrong, at most ${mistaken} mistaken, at most ${open} not shown`,
    found: `of ${verdicts.length}: ${VERDICTS.map((verdict) => `${counts[verdict]} ${verdict}`).join(', ')}`,
    isRight: verdicts.length > 0 && counts.wrong === 0 && counts['not shown'] <= open && counts.mistaken <= mistaken,
  };
}

/**
 * @param {Truth} truth
 * @param {boolean} isBusy whether other processes use the host's CPUs
 * @returns {Truth} on a busy host, the host's CPU is also a true cause, and may keep a rate from being reached
 */
export function truthOn(truth, isBusy) {
  return isBusy ? { ...truth, supersets: [...truth.supersets, 'host CPU', 'overloaded'] } : truth;
}
