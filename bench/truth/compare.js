import { compareResults } from '../../lib/result/compare/compare-results.js';
import { adjustByHolm, testRatio } from '../../lib/result/compare/log-ratio.js';
import { estimateQuantile, whyTooFew } from '../../lib/result/compare/estimates.js';
import { PACES, simulatedLatencies, simulatedRun } from './simulated-runs.js';

/**
 * @import { ComparisonVerdict } from '../../lib/result/comparison.js'
 * @import { Finding, Part } from './finding.js'
 * @import { Pace } from './simulated-runs.js'
 */

const PAIRS = 1000;

/** Of 1,000 equal pairs: 5%, plus a margin that chance exceeds once in a hundred times. */
const MAX_FALSE_SHARE = 0.066;

/** Share of the pairs with a 5% faster second run in which the difference must be found. */
const MIN_FOUND_SHARE = 0.75;
const CHANGE = 0.05;

/** Paces that are steady enough to find 5% in runs of a minute. */
const FINDABLE = ['correlation 0', 'correlation 0.5'];

const SHARES = [0.5, 0.9, 0.99];

/** @type {Part} */
export const comparisons = {
  title: 'compare: simulated pairs of 60 s runs, equal or 5% apart',
  async check({ runs = PAIRS, report }) {
    return PACES.flatMap((pace) => {
      report(`compare, ${pace.name}`);
      return [...rateFindings(pace, runs), ...quantileFindings(pace, runs)];
    });
  },
};

/**
 * @param {Pace} pace
 * @param {number} pairs
 * @returns {Finding[]}
 */
function rateFindings(pace, pairs) {
  const alike = verdictsOf(pace, pairs, 0);
  const apart = verdictsOf(pace, pairs, CHANGE);
  const falseAlarms = alike.filter((verdict) => verdict === 'faster' || verdict === 'slower').length;
  const found = apart.filter((verdict) => verdict === 'faster').length;
  const missed = apart.filter((verdict) => verdict === 'the same').length;
  return [
    atMost(`rate, ${pace.name}: equal, but called different`, falseAlarms, MAX_FALSE_SHARE * pairs),
    atMost(`rate, ${pace.name}: 5% faster, but called the same`, missed, MAX_FALSE_SHARE * pairs),
    ...(FINDABLE.includes(pace.name)
      ? [
          {
            what: `rate, ${pace.name}: 5% faster, and called faster`,
            expected: `${Math.ceil(MIN_FOUND_SHARE * pairs)} or more`,
            found: String(found),
            isRight: found >= MIN_FOUND_SHARE * pairs,
          },
        ]
      : []),
  ];
}

/**
 * @param {Pace} pace
 * @param {number} pairs
 * @param {number} change as a share
 * @returns {ComparisonVerdict[]} for the rate
 */
export function verdictsOf(pace, pairs, change) {
  return Array.from({ length: pairs }, (_, pair) => {
    const before = simulatedRun({ pace, seed: 2 * pair });
    const after = simulatedRun({ pace, seed: 2 * pair + 1, rate: 1000 * (1 + change) });
    const { stages } = compareResults({ name: 'before', result: before }, { name: 'after', result: after });
    return stages[0].metrics[0].verdict;
  });
}

/**
 * @param {Pace} pace
 * @param {number} pairs
 * @returns {Finding[]}
 */
function quantileFindings(pace, pairs) {
  const what = `${SHARES.map((share) => `p${100 * share}`).join(', ')}, ${pace.name}: equal, but one called different`;
  return [atMost(what, falseQuantiles(pace, pairs), MAX_FALSE_SHARE * pairs)];
}

/**
 * @param {Pace} pace
 * @param {number} pairs equal runs
 * @returns {number} pairs with a different quantile after the correction for several tests
 */
export function falseQuantiles(pace, pairs) {
  let found = 0;
  for (let pair = 0; pair < pairs; pair += 1) {
    const runs = [2 * pair, 2 * pair + 1].map((seed) => simulatedLatencies({ pace, seed }));
    const tests = SHARES.flatMap((share) => {
      const estimates = runs.flatMap(({ whole, seconds }) => {
        const limit = whole.at(100 * share);
        const exceedances = seconds.map((second) => ({ above: second.countAbove(limit), all: second.count }));
        return whyTooFew(exceedances) === null ? [estimateQuantile(whole, exceedances, share)] : [];
      });
      return estimates.length === 2 ? [testRatio(estimates[0], estimates[1])] : [];
    });
    found += [...adjustByHolm(tests).values()].some((p) => p < 0.05) ? 1 : 0;
  }
  return found;
}

/**
 * @param {string} what
 * @param {number} found
 * @param {number} most
 * @returns {Finding}
 */
function atMost(what, found, most) {
  return { what, expected: `${Math.floor(most)} or fewer`, found: String(found), isRight: found <= most };
}
