/**
 * @import { Bottleneck } from '../../lib/model/result.js'
 * @import { Finding } from './finding.js'
 */

const INCONCLUSIVE = 'inconclusive';

/** So many runs may leave the cause open once where they may name it. */
const RUNS_A_MISS = 10;

/**
 * A wrong cause is never right; none at all is, once in ten runs of the same stage.
 *
 * @param {string} what
 * @param {string} expected cause
 * @param {readonly string[]} causes that were named, one in each run
 * @returns {Finding}
 */
export function causeFinding(what, expected, causes) {
  const silent = causes.filter((cause) => cause === INCONCLUSIVE).length;
  const wrong = causes.filter((cause) => cause !== INCONCLUSIVE && cause !== expected).length;
  const mostSilent = expected === INCONCLUSIVE ? causes.length : Math.floor(causes.length / RUNS_A_MISS);
  return {
    what,
    expected,
    found: countsOf(causes),
    isRight: causes.length > 0 && wrong === 0 && silent <= mostSilent,
  };
}

/**
 * Each stage by itself: a stage that is always silent is not made good by others that never are.
 *
 * @param {string} what
 * @param {readonly string[]} stages in their order
 * @param {string} expected cause
 * @param {readonly (readonly string[])[]} runs the cause that each stage of a run named
 * @returns {Finding[]} one for each stage
 */
export function stageFindings(what, stages, expected, runs) {
  return stages.map((stage, place) =>
    causeFinding(
      `${what}: ${stage}`,
      expected,
      runs.map((causes) => causes[place]),
    ),
  );
}

/**
 * What led to another cause than the expected one is lost once runs are counted.
 *
 * @param {(progress: string) => void} say
 * @param {string} expected cause
 * @param {Pick<Bottleneck, 'cause' | 'evidence'>} bottleneck
 */
export function sayOther(say, expected, { cause, evidence }) {
  if (cause !== expected) {
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
