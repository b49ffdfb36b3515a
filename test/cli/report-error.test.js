import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommanderError } from 'commander';
import { reportError } from '../../lib/cli/report-error.js';
import { UsageError } from '../../lib/options/usage-error.js';

/**
 * @param {unknown} error
 * @param {boolean} [withStack]
 */
function report(error, withStack) {
  /** @type {string[]} */
  const lines = [];
  const status = reportError(error, { err: (line) => lines.push(line) }, withStack);
  return { status, lines };
}

test('reports each usage problem on its own line, followed by the hint', () => {
  assert.deepEqual(report(new UsageError(['one', 'another'], 'where to go')), {
    status: 2,
    lines: ['error: one', 'error: another', 'where to go'],
  });
  assert.deepEqual(report(new UsageError(['one'])), { status: 2, lines: ['error: one'] });
});

test("adds nothing to commander's messages", () => {
  assert.deepEqual(report(new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)')), { status: 0, lines: [] });
  assert.deepEqual(report(new CommanderError(1, 'commander.unknownOption', 'error')), { status: 2, lines: [] });
});

test('reports an unexpected error on one line, without a stack trace', () => {
  const { status, lines } = report(new TypeError('x is not a function'));
  assert.equal(status, 1);
  assert.equal(lines.length, 1);
  assert.match(
    lines[0],
    /^error: unexpected error, a bug in r2-benchmark \(TypeError: x is not a function\); please report/,
  );
  for (const thrown of ['text', undefined, null, 7]) {
    assert.deepEqual([report(thrown).status, report(thrown).lines.length], [1, 1]);
  }
});

test('a message of several lines, or of excessive length, becomes one line', () => {
  const { lines } = report(new Error(`one\n    at two\r\n${'x'.repeat(5000)}`));
  assert.equal(lines.length, 1);
  assert.match(lines[0], /\(Error: one at two xxx/);
  assert.ok(!/[\r\n]/.test(lines[0]) && lines[0].length < 600);
});

test('the line to report includes the versions', () => {
  const { lines } = report(new Error('no'));
  assert.match(
    lines[0],
    /please report it with this line and the version \(r2-benchmark \d+\.\d+\.\d+\S*, Node \d+\.\d+\.\d+\)$/,
  );
});

test('shows the stack trace on request', () => {
  const { lines } = report(new TypeError('no'), true);
  assert.equal(lines[1], 'TypeError: no');
  assert.match(lines[2], /^ {4}at /);
  assert.equal(report('text', true).lines.length, 1);
});

test('reaching a limit of the host is not a defect of the tool', () => {
  const errors = /** @type {const} */ ([
    [new RangeError('Array buffer allocation failed'), /ran out of memory .*`ulimit -v`/],
    [Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' }), /ran out of memory .*`ulimit -v`/],
    [Object.assign(new Error('too many open files'), { code: 'EMFILE' }), /cannot open more files .*`ulimit -n`/],
    [Object.assign(new Error('core 1 died: EMFILE: too many open files'), { name: 'WorkerError' }), /`ulimit -n`/],
  ]);
  for (const [error, expected] of errors) {
    const { status, lines } = report(error);
    assert.deepEqual([status, lines.length], [1, 1]);
    assert.match(lines[0], expected);
    assert.doesNotMatch(lines[0], /defect|please report/);
  }
});

test('the death of a thread is reported as such', () => {
  const error = Object.assign(new Error('the thread of worker 2 died: it is gone'), { name: 'WorkerError' });
  assert.match(
    report(error).lines[0],
    /^error: the thread of worker 2 died: it is gone: the run ends early; please report/,
  );
});
