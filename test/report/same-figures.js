import assert from 'node:assert/strict';

/** @import { WritableResult, WritableStage } from '../../lib/result/write-result.js' */

/** The figures of the JUnit file in a result. @type {Readonly<Record<string, (stage: WritableStage) => unknown>>} */
const FIGURES = {
  rate: ({ average }) => average,
  throughput: ({ averageBytes }) => averageBytes,
  peak: ({ peak }) => peak,
  p50: ({ latency }) => latency.operations?.p50,
  p90: ({ latency }) => latency.operations?.p90,
  p95: ({ latency }) => latency.operations?.p95,
  p99: ({ latency }) => latency.operations?.p99,
  p999: ({ latency }) => latency.operations?.p999,
  mean: ({ latency }) => latency.operations?.mean,
  max: ({ latency }) => latency.operations?.maximum,
  'firstByte.p99': ({ latency }) => latency.firstByte?.p99,
  operations: ({ operations }) => operations,
  attempts: ({ attempts }) => attempts,
  bytes: ({ bytes }) => bytes,
  throttled: ({ throttled }) => throttled,
  failed: ({ failed }) => failed,
  integrityErrors: ({ integrityErrors }) => integrityErrors,
  errors: ({ errors, abandoned }) => sumOf(Object.values(errors)) - (abandoned ? (errors.abandoned ?? 0) : 0),
  duration: ({ duration }) => duration,
  capacity: ({ search }) => search?.capacity?.operationsPerSecond,
  'capacity.low': ({ search }) => search?.capacity?.low,
  knee: ({ search }) => search?.knee,
};

/**
 * Checks the outputs for people and CI servers against their result.
 *
 * @param {WritableResult} result
 * @param {{ summary: string, junit: string }} outputs
 */
export function assertSameFigures(result, { summary, junit }) {
  const properties = propertiesOf(junit);
  assert.ok(result.stages.length > 0);
  for (const stage of result.stages) {
    const told = properties.get(stage.stage) ?? {};
    for (const [name, figureOf] of Object.entries(FIGURES)) {
      assert.deepEqual(told[name] ?? null, figureOf(stage) ?? null, `${name} of ${stage.stage} in JUnit`);
    }
  }
  for (const { expression, outcome, value } of result.thresholds ?? []) {
    assert.equal(properties.get(expression)?.value ?? null, value, expression);
    const escaped = expression
      .replace(/[*]/g, String.raw`\*`)
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;');
    assert.ok(summary.includes(`| ${escaped} | ${outcome} |`), expression);
  }
}

/** @param {readonly number[]} values */
function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * @param {string} junit
 * @returns {Map<string, Record<string, number>>} properties by test case
 */
function propertiesOf(junit) {
  return new Map(
    junit
      .split('<testcase ')
      .slice(1)
      .map((text) => {
        const name = (/ name="([^"]*)"/.exec(text)?.[1] ?? '').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
        const pairs = [...text.matchAll(/<property name="([^"]+)" value="([^"]+)"\/>/g)];
        return [name, Object.fromEntries(pairs.map(([, property, value]) => [property, Number(value)]))];
      }),
  );
}
