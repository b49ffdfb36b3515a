import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PROGRAM, startProgram } from '../helpers/command.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { hasScript } from '../helpers/script.js';
import { hasTmux, onTmux } from '../helpers/tmux.js';
import { screenRows } from '../../scripts/terminal-screen.js';

/** @import { TestContext } from 'node:test' */

/** Slow enough for the live line, which is refreshed four times per second. */
const RUN = '60 3 --size 1KiB --local --stages write --faults latency=40ms --run-id a-run';

const PEAK = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));
const LOG = fileURLToPath(new URL('../golden/old-tool.txt', import.meta.url));

const ESCAPE = '\x1b';
const CLEAR_LINE = `\r${ESCAPE}[K`;

/** @param {string} screen everything written to it */
function hasLiveLine(screen) {
  return screen
    .split(CLEAR_LINE)
    .some((text) => /^Write {2}\d+ of 60 {2}\d+% {2}\d+ ops\/s {2}\d+\.\d MiB\/s {2}\d+s left$/.test(text));
}

/** The first line of the live view, in ASCII because no locale is set. */
const VIEW = /^Write 1\/1 {3}#+\.* +\d+% +\d+ of 60 +(\d+s left)?$/;

/**
 * @param {string} screen everything written to it
 * @returns {boolean} whether the live view was drawn
 */
function hasView(screen) {
  return screen.split(new RegExp(`\\r\\n|\\r|${ESCAPE}\\[\\d*[A-Za-z]`)).some((text) => VIEW.test(text));
}

/** A line that appears in the log every second. */
const SECOND = /^\d\d:\d\d:\d\d: Write: Ops /m;

const TABLE_OF_LOG = /^Stage +Ops\/s {2}Threads/m;
const TABLE_WITH_BARS = /^Write +[\d,.]+ {2}#+ /m;

const skip = hasScript() ? false : 'needs the command script of util-linux';

/**
 * Runs the program on its own terminal.
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
  test('shows a live view instead of the log, and ends with a table and the bottlenecks of the stages', async (t) => {
    const { screen } = await onTerminal(t);
    assert.ok(hasView(screen), screen);
    const log = screenRows(screen, 300).join('\n');
    assert.doesNotMatch(log, /# r2-benchmark/);
    assert.doesNotMatch(log, /^Write(:| took| latency| connections| limited)/m);
    assert.match(log, /^Run a-run: 60 objects of 1KiB in local under benchmark\/a-run\/$/m);
    assert.match(log, TABLE_WITH_BARS);
    assert.match(log, /^(The limit of Write is unknown|Write was (likely )?limited by .*): /m);
    assert.doesNotMatch(log, SECOND);
    assert.doesNotMatch(log, TABLE_OF_LOG);
    assert.doesNotMatch(log, /^Write 1\/1/m, 'the view is taken away');
  });

  test('shows the view while the --log file gets every line', async (t) => {
    const line = `"${process.execPath}" "${PROGRAM}" ${RUN} --log log.txt`;
    const command = await startProgram(t, 'script', ['-qec', line, '/dev/null'], { env: { SHELL: '/bin/sh' } });
    const { stdout: screen } = await command.outcome;
    assert.ok(hasView(screen), screen);
    assert.doesNotMatch(screen, SECOND);
    const log = await readFile(path.join(command.folder, 'log.txt'), 'utf8');
    assert.match(log, SECOND);
    assert.match(log, TABLE_OF_LOG);
    assert.match(log, /^# r2-benchmark \{/m);
    assert.ok(!log.includes(ESCAPE));
  });

  test('shows plain lines if it cannot move the cursor; NO_COLOR removes only the colour', async (t) => {
    const { screen: plain } = await onTerminal(t, '', { TERM: 'dumb' });
    assert.ok(!plain.includes(ESCAPE), plain);
    assert.match(plain, SECOND);
    assert.match(plain, /^Write took \d+ms\. /m);
    assert.match(plain, TABLE_OF_LOG);
    assert.doesNotMatch(plain, TABLE_WITH_BARS);
    const { screen } = await onTerminal(t, '', { NO_COLOR: '1' });
    assert.ok(hasView(screen), screen);
  });

  test('shows only the live line if the log goes to a file, which also has the machine lines', async (t) => {
    const { screen, file } = await onTerminal(t, '>output');
    assert.ok(hasLiveLine(screen), screen);
    assert.doesNotMatch(screen, /took/);
    assert.equal(recordsOf(file)[0].kind, 'machine');
    assert.ok(!file.includes(ESCAPE));
  });

  test('ends a merge with a table with bars, while a pipe gets only the text', async (t) => {
    const piped = await (await startProgram(t, process.execPath, [PEAK, LOG])).outcome;
    assertStatus(piped, 0);
    const line = `"${process.execPath}" "${PEAK}" "${LOG}"`;
    const command = await startProgram(t, 'script', ['-qec', line, '/dev/null'], { env: { SHELL: '/bin/sh' } });
    const text = (await command.outcome).stdout.replaceAll('\r\n', '\n');
    const [blocks, table] = text.split(/^(?=Stage +Ops\/s)/m);
    const [peaks] = blocks.split('\n\n');
    assert.ok(piped.stdout.startsWith(`${peaks}\n\n`), text);
    assert.ok(
      blocks.split('\n').every((row) => row.length <= 80),
      text,
    );
    assert.doesNotMatch(piped.stdout, TABLE_WITH_BARS);
    assert.match(table, TABLE_WITH_BARS);
  });
});
/** Long enough to be observed in the middle; it ends on its own if a test fails. */
const LONG_RUN = `"${process.execPath}" "${PROGRAM}" 4000 4 --size 1KiB --local --stages write --faults latency=20ms`;

/** The first line of the live view with block elements, in the middle of a stage. */
const VIEW_IN_BLOCKS = /^Write 1\/1 {3}█+░+ +\d+%/;

/**
 * @param {readonly string[]} rows
 * @returns {number} number of views on a terminal
 */
function viewsOn(rows) {
  return rows.filter((row) => row.startsWith('Write 1/1')).length;
}

const skipTmux = hasTmux() ? false : 'needs tmux';

describe('a terminal with a user', { concurrency: 3, skip: skipTmux }, () => {
  test('shows one view at any size, and keeps the lines above it', async (t) => {
    const terminal = await onTmux(t, LONG_RUN, { columns: 100, rows: 24 });
    await terminal.shows((rows) => rows.some((row) => VIEW_IN_BLOCKS.test(row)));
    for (const [columns, rows] of [
      [60, 24],
      [120, 24],
      [70, 8],
      [51, 30],
      [100, 24],
    ]) {
      await terminal.run('resize-window', '-x', String(columns), '-y', String(rows));
      const shown = await terminal.shows(
        (all) => viewsOn(all) === 1 && all.some((row) => VIEW_IN_BLOCKS.test(row) && isOfWidth(row, columns)),
      );
      assert.equal(shown.filter((row) => /^Run [\w-]+: 4,000 objects/.test(row)).length, 1);
    }
    await terminal.run('send-keys', 'C-c');
    const rows = await terminal.shows((all) => all.at(-1)?.startsWith('$'));
    assert.equal(viewsOn(rows), 0);
  });

  test('gets a single line if it is small, and the view again once it is large enough', async (t) => {
    const terminal = await onTmux(t, LONG_RUN, { columns: 100, rows: 5 });
    const isLine = (/** @type {string} */ row) => /^Write {2}[\d,]+ of 4,000 /.test(row);
    await terminal.shows((rows) => rows.some(isLine));
    assert.equal(viewsOn(await terminal.rows()), 0);
    await terminal.run('resize-window', '-x', '100', '-y', '20');
    const rows = await terminal.shows((all) => viewsOn(all) === 1);
    assert.ok(!rows.some(isLine), rows.join('\n'));
    await terminal.run('send-keys', 'C-c');
    await terminal.shows((all) => all.at(-1)?.startsWith('$'));
  });

  test('is restored after SIGINT, with the table, and the cursor in the right position', async (t) => {
    const terminal = await onTmux(t, LONG_RUN, { columns: 80, rows: 24 });
    await terminal.shows((rows) => viewsOn(rows) === 1);
    const modes = '#{cursor_flag} #{wrap_flag} #{insert_flag} #{alternate_on}';
    const before = await terminal.run('display-message', '-p', modes);
    await terminal.run('send-keys', 'C-c');
    const rows = await terminal.shows((all) => all.at(-1)?.startsWith('$'));
    assert.equal(viewsOn(rows), 0);
    assert.ok(
      rows.some((row) => /^Write +[\d,.]+ {2}█+ /.test(row)),
      rows.join('\n'),
    );
    assert.equal(await terminal.run('display-message', '-p', modes), before);
    assert.equal(before, '1 1 0 0\n');
  });
});

/**
 * @param {string} row
 * @param {number} columns
 * @returns {boolean} whether it was drawn for a terminal of that width, whose bar has up to 40 columns
 */
function isOfWidth(row, columns) {
  return [...row].length === Math.min(columns - 1, 12 + 40 + 36);
}
