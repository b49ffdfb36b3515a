import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Terminal, abilitiesOf, lookOf } from '../../lib/cli/terminal.js';
import { screenRows } from '../../scripts/terminal-screen.js';

/**
 * @param {number} taken lines that stdout accepts before it fails
 * @param {string} code of its failure
 */
function terminalThatFails(taken, code) {
  /** @type {string[]} */
  const read = [];
  /** @type {string[]} */
  const told = [];
  /** @type {boolean[]} */
  const lost = [];
  const stdout = new Writable({
    decodeStrings: false,
    write(line, _encoding, done) {
      const fails = read.length === taken;
      if (!fails) {
        read.push(line);
      }
      setImmediate(() => done(fails ? Object.assign(new Error(`it is gone: ${code}`), { code }) : null));
    },
  });
  const stderr = new Writable({
    decodeStrings: false,
    write(line, _encoding, done) {
      told.push(line);
      done();
    },
  });
  const streams = /** @type {any} */ ({ stdout, stderr });
  const terminal = new Terminal({ ...streams, plain: true, onLost: (isClosed) => lost.push(isClosed) });
  return { terminal, stdout, read, told, lost };
}

for (const [code, isClosed, words] of /** @type {const} */ ([
  ['EPIPE', true, 'stdout was closed\n'],
  ['ENOSPC', false, 'error: stdout cannot be written: it is gone: ENOSPC\n'],
])) {
  test(`lines that stdout did not accept, because of ${code}, go to stderr, and none is lost`, async () => {
    const { terminal, stdout, read, told, lost } = terminalThatFails(2, code);
    const closed = new Promise((resolve) => stdout.once('close', resolve));
    ['one', 'two', 'three', 'four'].forEach((line) => terminal.out(line));
    await closed;
    terminal.out('five');
    assert.deepEqual(read, ['one\n', 'two\n']);
    assert.deepEqual(told, [words, 'three\n', 'four\n', 'five\n']);
    assert.deepEqual(lost, [isClosed]);
  });
}

/**
 * A terminal that shows both outputs on one screen.
 *
 * @param {{ columns: number, rows?: number }} size
 */
function terminalOnScreen(size) {
  /** @type {string[]} */
  const written = [];
  const stream = () => {
    const writable = new Writable({
      decodeStrings: false,
      write(text, _encoding, done) {
        written.push(text);
        done();
      },
    });
    return Object.assign(writable, { isTTY: true, rows: 24, ...size });
  };
  const [stdout, stderr] = [stream(), stream()];
  const streams = /** @type {any} */ ({ stdout, stderr });
  const terminal = new Terminal({ ...streams, plain: false, isUnicode: true, onLost() {} });
  const rows = () => screenRows(written.join(''), size.columns);
  return { terminal, stderr, written, rows };
}

test('drawn lines stay below the log', async () => {
  const { terminal, rows } = terminalOnScreen({ columns: 20 });
  terminal.out('one');
  terminal.draw(['first', 'second']);
  assert.deepEqual(rows(), ['one', 'first', 'second']);
  terminal.out('two');
  terminal.err('three');
  assert.deepEqual(rows(), ['one', 'two', 'three']);
  await nextTurn();
  assert.deepEqual(rows(), ['one', 'two', 'three', 'first', 'second']);
  terminal.draw(['another']);
  assert.deepEqual(rows(), ['one', 'two', 'three', 'another']);
  terminal.draw([]);
  assert.deepEqual(rows(), ['one', 'two', 'three']);
});

test('redraws once after all lines of a turn, and leaves unchanged lines alone', async () => {
  const { terminal, written } = terminalOnScreen({ columns: 20 });
  const drawings = () => written.filter((text) => text.includes('first')).length;
  terminal.draw(['first']);
  terminal.draw(['first']);
  assert.equal(drawings(), 1);
  Array.from({ length: 50 }, (_, place) => terminal.out(`line ${place}`));
  await nextTurn();
  assert.equal(drawings(), 2);
  terminal.out('the last one');
  terminal.draw([]);
  await nextTurn();
  assert.equal(drawings(), 2);
});

test('removes wrapped rows on a terminal that became narrower', () => {
  const { terminal, stderr, written } = terminalOnScreen({ columns: 20 });
  terminal.draw(['a line of 18 colums', 'x', '\x1b[31m漢字漢字漢字\x1b[39m']);
  stderr.columns = 10;
  terminal.draw(['y']);
  assert.equal(written.at(-2), '\r\x1b[5A\x1b[J');
  assert.equal(terminal.look.columns, 10);
});

test("after the process was stopped, does not touch the screen's content", () => {
  const { terminal, written, rows } = terminalOnScreen({ columns: 20 });
  terminal.draw(['first', 'second']);
  written.push('[1]+  Stopped\n$ fg\n');
  terminal.stops();
  terminal.draw(['first', 'second']);
  assert.deepEqual(rows(), ['first', 'second', '[1]+  Stopped', '$ fg', 'first', 'second']);
});

test('a wide character at the edge does not break the live line', () => {
  const { terminal, written } = terminalOnScreen({ columns: 6 });
  terminal.live('ab漢字漢字');
  assert.equal(written.at(-1), '\r\x1b[Kab漢');
});

test("derives a terminal's abilities from the environment", () => {
  const utf8 = { LANG: 'en_GB.UTF-8', TERM: 'xterm-256color' };
  assert.deepEqual(abilitiesOf(utf8, 'linux'), { plain: false, hasColour: true, isUnicode: true });
  assert.deepEqual(abilitiesOf({ ...utf8, NO_COLOR: '1' }, 'linux'), {
    plain: false,
    hasColour: false,
    isUnicode: true,
  });
  assert.equal(abilitiesOf({ ...utf8, NO_COLOR: '' }, 'linux').hasColour, true);
  assert.equal(abilitiesOf({ ...utf8, TERM: 'dumb' }, 'linux').plain, true);
  assert.equal(abilitiesOf({ ...utf8, LC_ALL: 'C' }, 'linux').isUnicode, false);
  assert.equal(abilitiesOf({ LC_CTYPE: 'UTF-8' }, 'darwin').isUnicode, true);
  assert.equal(abilitiesOf({}, 'linux').isUnicode, false);
  assert.equal(abilitiesOf({ ...utf8, TERM: 'linux' }, 'linux').isUnicode, false);
  assert.equal(abilitiesOf({ LANG: 'en_GB.UTF-8' }, 'win32').isUnicode, false);
  assert.equal(abilitiesOf({ WT_SESSION: 'an-id' }, 'win32').isUnicode, true);
});

test('treats a terminal of unknown size as a common one', () => {
  const abilities = { plain: false, hasColour: true, isUnicode: false };
  const { columns, rows } = lookOf({ columns: 0 }, abilities);
  assert.deepEqual({ columns, rows }, { columns: 80, rows: 24 });
});
