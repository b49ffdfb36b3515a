import { textOfOption } from '../../options/recorded-options.js';
import { findingsOf, kindSideOf, sideOf } from './compare-stage.js';
import {
  differencesBetween,
  kindsOfBoth,
  mismatchesBetween,
  nameOfKind,
  stagesOfBoth,
  startOf,
} from './differences.js';
import { CONFIDENCE, adjustByHolm, verdictOf } from './log-ratio.js';

/**
 * @import { ComparedSide, Comparison, MetricComparison, SideBySide } from '../comparison.js'
 * @import { Result } from '../result.js'
 * @import { MetricFinding } from './compare-stage.js'
 * @import { RatioTest } from './log-ratio.js'
 */

/**
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
      findings: findingsOf({ before: kindSideOf(kind), after: kindSideOf(same) }),
    }));
    return [{ name: { stage: one.stage }, pair, findings: findingsOf(pair) }, ...kinds];
  });
  const adjusted = adjustByHolm(stages.flatMap(({ findings }) => findings.map(({ test }) => test)));
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
      metrics: findings.map((finding) => comparisonOf(finding, margin, adjusted)),
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
 * @param {number} margin
 * @param {ReadonlyMap<RatioTest | null, number>} adjusted
 * @returns {MetricComparison}
 */
function comparisonOf(finding, margin, adjusted) {
  const { metric, before, after, test } = finding;
  return {
    metric,
    before,
    after,
    ratio: before === null || after === null || before === 0 ? null : after / before,
    low: test !== null && test.low > 0 ? test.low : null,
    high: test !== null && Number.isFinite(test.high) ? test.high : null,
    ...verdictOf(finding, margin, adjusted),
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

/** Options that say where a run left its objects, not what it measured. */
const OF_PLACE = new Set(['prefix', 'buckets', 'keep', 'local']);

const COLLATOR = new Intl.Collator('en', { numeric: true });

/**
 * Compares any number of results with one of them, whatever their load.
 *
 * @param {readonly NamedResult[]} results at least two
 * @param {NamedResult} reference one of them
 * @param {{ margin?: number }} [options]
 * @returns {SideBySide}
 */
export function compareAll(results, reference, options) {
  const facts = factsOf(results.map(({ result }) => result));
  const labels = results.map((_, index) => facts.map(({ values }) => values[index]).join(', '));
  const isClear = facts.length < 3 && new Set(labels).size === labels.length;
  const sides = results.map((each, index) => ({
    name: each.name,
    label: isClear ? labels[index] : each.name,
    facts: facts.map(({ values }) => values[index]),
    result: each.result,
    comparison: each === reference ? null : compareResults(reference, each, options),
  }));
  return {
    facts: [...(isClear ? [] : ['Result']), ...facts.map(({ title }) => title)],
    sides: sides
      .map((side) => (isClear ? side : { ...side, facts: [side.name, ...side.facts] }))
      .toSorted((one, other) => COLLATOR.compare(one.facts.join('\n'), other.facts.join('\n'))),
  };
}

/**
 * What differs between the results: versions and options.
 *
 * @param {readonly Result[]} results
 * @returns {{ title: string, values: string[] }[]} a value per result
 */
function factsOf(results) {
  const known = results.map(({ options, versions }) => ({ ...options, version: versions?.['r2-benchmark'] }));
  const isLocal = results.every(({ options }) => options?.local);
  const names = [...new Set(known.flatMap((facts) => Object.keys(facts)))].filter(
    (name) => !OF_PLACE.has(name) && !(isLocal && name === 'endpoint'),
  );
  return names.flatMap((name) => {
    const values = known.map((/** @type {Record<string, unknown>} */ facts) => textOfOption(name, facts[name]) ?? '–');
    return new Set(values).size === 1
      ? []
      : [{ title: name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`), values }];
  });
}
