import assert from 'node:assert/strict';

/** Enough for one object and 200 quoted characters from the store; our own texts need no more. */
const MAX_LINE_LENGTH = 1000;

/** The line about a defect in the program, which no input from outside may cause. */
const DEFECT = /something unexpected|please report/i;

const STACK_TRACE = /^ {4}at /m;

/** Characters that a terminal would obey, or that would change how a text reads. */
export const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Checks that the program, for any input of a user or a store, ends with a status of docs/reference/command-line.md, and with
 * readable lines.
 *
 * @param {{ status: number | null, stdout: string, stderr: string }} outcome
 */
export function assertCivil({ status, stdout, stderr }) {
  assert.ok(status === 0 || status === 1 || status === 2, `exit status ${status}: ${stderr}`);
  for (const [name, text] of Object.entries({ stdout, stderr })) {
    assert.doesNotMatch(text, STACK_TRACE, `${name} shows a stack trace`);
    assert.doesNotMatch(text, DEFECT, `${name} takes foreign input for a defect`);
    assert.doesNotMatch(text, UNPRINTABLE, `${name} passes control characters on`);
    const lines = text.split('\n').filter((line) => !line.startsWith('# r2-benchmark '));
    const tooLong = lines.find((line) => line.length > MAX_LINE_LENGTH);
    assert.equal(tooLong, undefined, `${name} has a line that is too long`);
  }
  assert.ok(status === 0 || stderr !== '', 'the problem is reported');
}

/**
 * Like assertCivil(), for input that is refused before the first request.
 *
 * @param {{ status: number | null, stdout: string, stderr: string }} outcome
 */
export function assertRefused(outcome) {
  assertCivil(outcome);
  assert.equal(outcome.status, 2, outcome.stderr);
  assert.equal(outcome.stdout, '');
  assert.match(outcome.stderr, /^error: /);
}
