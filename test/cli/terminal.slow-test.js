import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { PROGRAM, runCommand, startProgram } from '../helpers/command.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { hasScript } from '../helpers/script.js';

/** @import { TestContext } from 'node:test' */

/** Slow enough for the live line, which is refreshed four times a second. */
const RUN = '60 3 --size 1KiB --local --stages write --faults latency=40ms --run-id a-run';

const ESCAPE = '\x1b';
const CLEAR_LINE = `\r${ESCAPE}[K`;

/** @param {string} screen all that was written to it */
function hasLiveLine(screen) {
  return screen
    .split(CLEAR_LINE)
    .some((text) => /^Write {2}\d+ of 60 {2}\d+% {2}\d+ ops\/s {2}\d+\.\d MB\/s {2}\d+s left$/.test(text));
}

const skip = hasScript() ? false : 'needs the command script of util-linux';

/**
 * Runs the program on a terminal of its own.
 *
 * @param {TestContext} t
 * @param {string} [redirection] of one of its outputs
 * @param {Record<string, string>} [env]
 * @param {string} [run]
 */
async function onTerminal(t, redirection = '', env = {}, run = RUN) {
  const line = `"${process.execPath}" "${PROGRAM}" ${run} ${redirection}`;
  const command = await startProgram(t, 'script', ['-qec', line, '/dev/null'], { env: { SHELL: '/bin/sh', ...env } });
  const outcome = await command.outcome;
  assertStatus(outcome, 0);
  const file = redirection === '' ? '' : await readFile(path.join(command.folder, 'output'), 'utf8');
  return { screen: outcome.stdout, file };
}

describe('a terminal', { concurrency: 3, skip }, () => {
  test('shows the log, without the lines for machines, and a live line', async (t) => {
    const { screen } = await onTerminal(t);
    assert.ok(hasLiveLine(screen), screen);
    assert.doesNotMatch(screen, /# r2-benchmark/);
    const log = screen.split('\r\n').map((line) => line.split(CLEAR_LINE).at(-1) ?? '');
    assert.ok(log.some((line) => /^Write took \d+ms\. /.test(line)));
    assert.ok(log.includes('Run a-run: 60 objects of 1KiB in local under benchmark/a-run/'));
  });

  test('shows the live line alone where the log goes to a file, and the file holds the lines for machines', async (t) => {
    const { screen, file } = await onTerminal(t, '>output');
    assert.ok(hasLiveLine(screen), screen);
    assert.doesNotMatch(screen, /took/);
    assert.equal(recordsOf(file)[0].kind, 'machine');
    assert.ok(!file.includes(ESCAPE));
  });

  test('shows the log alone where stderr goes to a file, which holds no live line', async (t) => {
    const { screen, file } = await onTerminal(t, '2>output');
    assert.ok(!screen.includes(ESCAPE));
    assert.match(screen, /^Write took \d+ms\. /m);
    assert.doesNotMatch(screen, /# r2-benchmark/);
    assert.match(file, /^Run a-run: /m);
    assert.ok(!file.includes(ESCAPE));
  });

  test('shows data as it flows, long before the first large object is done', async (t) => {
    const run = '4 4 --size 3MiB --local --cores 2 --stages write,read --faults GET.bandwidth=3MB --no-preflight';
    const { screen } = await onTerminal(t, '', {}, run);
    const flowing = /^Read {2}0 of 4 {2}[1-9]\d?% {2}0 ops\/s {2}[1-9]\d*\.\d MB\/s {2}\d+s left$/;
    assert.ok(
      screen.split(CLEAR_LINE).some((text) => flowing.test(text)),
      screen,
    );
  });

  test('shows no live line with NO_COLOR', async (t) => {
    const { screen } = await onTerminal(t, '', { NO_COLOR: '1' });
    assert.ok(!screen.includes(ESCAPE));
    assert.match(screen, /^Write took \d+ms\. /m);
    const empty = await onTerminal(t, '', { NO_COLOR: '' });
    assert.ok(hasLiveLine(empty.screen), empty.screen);
  });
});

test('neither output has control characters where it is no terminal', async (t) => {
  const outcome = await runCommand(t, RUN.split(' '));
  assertStatus(outcome, 0);
  assert.doesNotMatch(`${outcome.stdout}${outcome.stderr}`, /[^\x20-\x7e\n]/);
});
