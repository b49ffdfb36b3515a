import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { Terminal } from '../../lib/cli/terminal.js';

/**
 * @param {number} taken lines that stdout takes before it fails
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
  test(`lines that stdout did not take any more, for ${code}, go to stderr, and none is lost`, async () => {
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
