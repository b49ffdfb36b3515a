import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLine } from '../../lib/log/log-line.js';
import { RetryLines } from '../../lib/report/log.js';

/**
 * @param {readonly number[]} retriesOfSeconds
 * @returns {string[][]} the lines of each second
 */
function linesOf(retriesOfSeconds) {
  /** @type {string[]} */
  let lines = [];
  const retryLines = new RetryLines((record) => lines.push(formatLine(record)));
  return retriesOfSeconds.map((retries) => {
    lines = [];
    for (let count = 0; count < retries; count++) {
      retryLines.retrying();
    }
    retryLines.flush();
    return lines;
  });
}

/**
 * A line stands for one retry, and for as many more as it says.
 *
 * @param {string} line
 */
function retriesOf(line) {
  return 1 + Number(/\((\d+) more\)$/.exec(line)?.[1] ?? 0);
}

test('whatever happens, the lines add up to all retries, and are few', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { maxLength: 10 }), (retries) => {
      for (const [second, lines] of linesOf(retries).entries()) {
        assert.equal(
          lines.map(retriesOf).reduce((sum, count) => sum + count, 0),
          retries[second],
        );
        assert.ok(lines.length <= 4);
      }
    }),
  );
});

test('a few retries of a second are shown one by one, the rest in one line', () => {
  const one = 'Retrying on TRANSIENT error';
  assert.deepEqual(linesOf([0, 1, 3, 4, 41]), [
    [],
    [one],
    [one, one, one],
    [one, one, one, one],
    [one, one, one, `${one} (37 more)`],
  ]);
});

test('retries are shown as they happen, not at the second’s end', () => {
  let lines = 0;
  const retryLines = new RetryLines(() => (lines += 1));
  retryLines.retrying();
  assert.equal(lines, 1);
});
