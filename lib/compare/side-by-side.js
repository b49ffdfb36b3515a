import { textOfOption } from '../options/recorded-options.js';
import { compareResults } from './compare-results.js';

/**
 * @import { SideBySide } from '../model/comparison.js'
 * @import { Result } from '../model/result.js'
 * @import { NamedResult } from './compare-results.js'
 */

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
