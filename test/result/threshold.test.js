import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIGURES_OF_RUN, FIGURES_OF_STAGE } from '../../lib/result/figures/catalogue.js';
import { QUANTITIES } from '../../lib/result/figures/quantities.js';
import { OPERATORS, formatThreshold, parseThreshold } from '../../lib/result/thresholds/threshold.js';

/** @import { Operator, Threshold } from '../../lib/result/thresholds/threshold.js' */

const number = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => Math.abs(value));

const subject = fc.oneof(
  fc.record({ stage: fc.constantFrom('write', 'read', 'copy-part'), metric: fc.constantFrom(...FIGURES_OF_STAGE) }),
  fc.record({ stage: fc.constant(null), metric: fc.constantFrom(...FIGURES_OF_RUN) }),
);

/** @type {fc.Arbitrary<Threshold>} */
const anyThreshold = subject.chain(({ stage, metric }) => {
  const unit = fc.constantFrom(...Object.keys(QUANTITIES[metric.quantity].units));
  return fc
    .record({
      operator: fc.constantFrom(.../** @type {Operator[]} */ (Object.keys(OPERATORS))),
      limit: fc.oneof(
        fc.tuple(number, unit).map(([value, each]) => ({ value, unit: each })),
        number.map((factor) => ({ factor })),
      ),
    })
    .map(({ operator, limit }) => ({ stage, metric: metric.name, operator, limit }));
});

/** @param {string} text */
function problemOf(text) {
  const { problem, threshold } = parseThreshold(text);
  assert.equal(threshold, null, text);
  return problem;
}

test('a formatted assertion is read back unchanged', () => {
  fc.assert(
    fc.property(anyThreshold, (threshold) => {
      const text = formatThreshold(threshold);
      const { threshold: read, problem } = parseThreshold(text);
      assert.deepEqual([read, problem], [threshold, null], text);
      assert.equal(formatThreshold(/** @type {Threshold} */ (read)), text);
    }),
  );
});

test('any text is an assertion or has a problem, and nothing is thrown', () => {
  const parts = fc.constantFrom('read', '.', 'p99', ' ', '<', '>=', '==', '50', 'ms', '*', 'baseline', '%', '\n', '𝒳');
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(parts, { maxLength: 9 }).map((each) => each.join('')),
      ),
      (text) => {
        const { threshold, problem } = parseThreshold(text);
        assert.equal(threshold === null, problem !== null);
      },
    ),
  );
});

test('what is wrong with an assertion is said, with what would be right', () => {
  const time = 'expected a limit such as 50ms (ms, us or s) or 0.95 * baseline, got ';
  const rate = 'expected a limit such as 800 (a plain number) or 0.95 * baseline, got ';
  const example = "expected a figure, an operator (< <= > >= == !=) and a limit, such as 'read.p99 < 50ms'";
  for (const [text, problem] of [
    ...['', 'read.p99', 'read.p99 = 50ms', 'read.p99 50ms', '< 50ms', 'read.p99 =< 5ms', 'réad.p99 < 1s'].map(
      (each) => [each, example],
    ),
    ['read.p99x < 50ms', 'no figure of a stage is called "p99x"; near names: p99, p999, p90; docs/use/ci.md lists all'],
    [
      'read.firstbyte.p99 < 1s',
      'no figure of a stage is called "firstbyte.p99"; near names: firstByte.p99, firstByte.p90, firstByte.p95; docs/use/ci.md lists all',
    ],
    [
      'error == 0',
      'no figure of the whole run is called "error"; near names: errors, errorShare, retries; docs/use/ci.md lists all',
    ],
    [
      'zebra == 0',
      'no figure of the whole run is called "zebra"; near names: errors, retries, bytes; docs/use/ci.md lists all',
    ],
    ['read. < 5', 'no figure of a stage is called nothing; near names: rate, threads, peak; docs/use/ci.md lists all'],
    ['rate > 5', 'rate is a figure of a stage: put a stage name before it, such as read.rate'],
    ['read.p99 < 50', `${time}"50"`],
    ['read.p99 < 50MB/s', `${time}"50MB/s"`],
    ['read.p99 < -5ms', `${time}"-5ms"`],
    ['read.rate > 1,000', `${rate}"1,000"`],
    ['read.rate > 1e999', `${rate}"1e999"`],
    ['read.rate > 2 * baseline * 2', `${rate}"2 * baseline * 2"`],
    ['errorShare < 0.01', 'expected a limit such as 0.1% (%) or 0.95 * baseline, got "0.01"'],
    [
      'read.throughput > 1',
      'expected a limit such as 100MB/s (MB/s, B/s, KiB/s, MiB/s or GiB/s) or 0.95 * baseline, got "1"',
    ],
  ]) {
    assert.equal(problemOf(text), problem);
  }
});
