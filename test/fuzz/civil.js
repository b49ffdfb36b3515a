import assert from 'node:assert/strict';

/** A finding may name one object and quote 200 characters of the store's; nothing of ours needs more. */
const MAX_LINE_LENGTH = 1000;

/** A defect of the program is told in one line that asks for a report: whatever comes from outside is none. */
const DEFECT = /something unexpected|please report/i;

const STACK_TRACE = /^ {4}at /m;

/** What a terminal would take for a command, or what would let a text read otherwise than it is. */
export const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * Checks what holds whatever a user or a store gives to the program: it ends by itself with a status that
 * docs/reference/command-line.md knows, and says what there is to say in lines that a person can read.
 *
 * @param {{ status: number | null, stdout: string, stderr: string }} outcome
 */
export function assertCivil({ status, stdout, stderr }) {
  assert.ok(status === 0 || status === 1 || status === 2, `exit status ${status}: ${stderr}`);
  for (const [name, text] of Object.entries({ stdout, stderr })) {
    assert.doesNotMatch(text, STACK_TRACE, `${name} shows a stack trace`);
    assert.doesNotMatch(text, DEFECT, `${name} takes foreign input for a defect`);
    assert.doesNotMatch(text, UNPRINTABLE, `${name} passes control characters on`);
    const tooLong = text.split('\n').find((line) => line.length > MAX_LINE_LENGTH);
    assert.equal(tooLong, undefined, `${name} has a line that is too long`);
  }
  assert.ok(status === 0 || stderr !== '', 'what went wrong is told');
}

/**
 * As assertCivil(), for what is refused before anything is asked of a store.
 *
 * @param {{ status: number | null, stdout: string, stderr: string }} outcome
 */
export function assertRefused(outcome) {
  assertCivil(outcome);
  assert.equal(outcome.status, 2, outcome.stderr);
  assert.equal(outcome.stdout, '');
  assert.match(outcome.stderr, /^error: /);
}
