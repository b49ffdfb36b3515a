import { findingsOf, findingsOfKind, sideOf } from './compare-stage.js';
import { differencesBetween, kindsOfBoth, nameOfKind, stagesOfBoth, startOf } from './differences.js';
import { adjustByHolm } from './holm.js';
import { mismatchesBetween } from './mismatches.js';
import { CONFIDENCE, verdictOf } from './verdict.js';

/**
 * @import { ComparedSide, Comparison, MetricComparison } from '../model/comparison.js'
 * @import { Result } from '../model/result.js'
 * @import { MetricFinding } from './compare-stage.js'
 * @import { RatioTest } from './log-ratio.js'
 *
 * @typedef {{ name: string, result: Result }} NamedResult of one run, or of several merged hosts
 */

const DEFAULT_MARGIN = 0.03;

/**
 * Compares two results stage by stage. Two results cannot show how much repeated runs of the same load vary.
 *
 * @param {NamedResult} before
 * @param {NamedResult} after
 * @param {{ margin?: number }} [options] `margin`: a change smaller than this share (0 or more) counts as no change
 * @returns {Comparison}
 */
export function compareResults(before, after, { margin = DEFAULT_MARGIN } = {}) {
  const stages = stagesOfBoth(before.result, after.result).flatMap(([one, other]) => {
    const pair = { before: sideOf(one, before.result.options), after: sideOf(other, after.result.options) };
    const kinds = kindsOfBoth(one, other).map(([kind, same]) => ({
      name: { stage: nameOfKind(one, kind), kindOf: one.stage },
      pair,
      findings: findingsOfKind(kind, same),
    }));
    return [{ name: { stage: one.stage }, pair, findings: findingsOf(pair) }, ...kinds];
  });
  const tests = [...new Set(stages.flatMap(({ findings }) => findings.flatMap(({ test }) => test ?? [])))];
  const adjusted = adjustByHolm(tests.map(({ p }) => p));
  const adjustedOf = new Map(tests.map((test, index) => [test, adjusted[index]]));
  return {
    before: comparedSide(before),
    after: comparedSide(after),
    differences: differencesBetween(before.result, after.result),
    mismatches: mismatchesBetween(before.result, after.result),
    margin,
    confidence: CONFIDENCE,
    stages: stages.map(({ name, pair, findings }) => ({
      ...name,
      seconds: { before: pair.before.seconds.length, after: pair.after.seconds.length },
      metrics: findings.map((finding) => comparisonOf(finding, { margin, adjustedOf })),
    })),
    stagesOfOne: { before: stagesWithout(before, after), after: stagesWithout(after, before) },
  };
}

/**
 * @param {NamedResult} side
 * @returns {ComparedSide}
 */
function comparedSide({ name, result }) {
  return { name, run: result.run, hosts: result.hosts.length, start: startOf(result) };
}

/**
 * @param {MetricFinding} finding
 * @param {{ margin: number, adjustedOf: ReadonlyMap<RatioTest, number> }} context
 * @returns {MetricComparison}
 */
function comparisonOf(finding, { margin, adjustedOf }) {
  const { metric, before, after, test } = finding;
  const p = test === null ? 1 : (adjustedOf.get(test) ?? 1);
  return {
    metric,
    before,
    after,
    ratio: before === null || after === null || before === 0 ? null : after / before,
    low: test !== null && test.low > 0 ? test.low : null,
    high: test !== null && Number.isFinite(test.high) ? test.high : null,
    ...verdictOf(finding, { margin, p, tests: adjustedOf.size }),
  };
}

/**
 * @param {NamedResult} one
 * @param {NamedResult} other
 * @returns {string[]} stages that the other result lacks
 */
function stagesWithout({ result: { stages } }, other) {
  const known = new Set(other.result.stages.map(({ stage }) => stage));
  return stages.map(({ stage }) => stage).filter((stage) => !known.has(stage));
}
