import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommanderError } from 'commander';
import { reportError } from '../../lib/cli/report-error.js';
import { UsageError } from '../../lib/cli/usage-error.js';

/** @param {unknown} error */
function report(error) {
  /** @type {string[]} */
  const lines = [];
  const status = reportError(error, { err: (line) => lines.push(line) });
  return { status, lines };
}

test('every problem of the usage is told on a line of its own, and the hint behind them', () => {
  assert.deepEqual(report(new UsageError(['one', 'another'], 'where to go')), {
    status: 2,
    lines: ['error: one', 'error: another', 'where to go'],
  });
  assert.deepEqual(report(new UsageError(['one'])), { status: 2, lines: ['error: one'] });
});

test('nothing is added to what commander has said', () => {
  assert.deepEqual(report(new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)')), { status: 0, lines: [] });
  assert.deepEqual(report(new CommanderError(1, 'commander.unknownOption', 'error')), { status: 2, lines: [] });
});

test('what nobody expected is told on one line, without a stack', () => {
  const { status, lines } = report(new TypeError('x is not a function'));
  assert.equal(status, 1);
  assert.equal(lines.length, 1);
  assert.match(lines[0], /^error: something unexpected happened \(TypeError: x is not a function\); please report it/);
  for (const thrown of ['text', undefined, null, 7]) {
    assert.deepEqual([report(thrown).status, report(thrown).lines.length], [1, 1]);
  }
});
