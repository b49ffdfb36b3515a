import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { watchJobControl } from '../../lib/cli/job-control.js';

/**
 * A process, and what happens to it and to its terminal, in order.
 *
 * @param {{ hasShell?: boolean }} [options] whether there is a shell that lets it go on
 */
function watched({ hasShell = true } = {}) {
  /** @type {string[]} */
  const happened = [];
  const process = Object.assign(new EventEmitter(), {
    pid: 42,
    kill(/** @type {number} */ pid, /** @type {string} */ signal) {
      happened.push(`${signal} to ${pid}, which ${process.listenerCount('SIGTSTP')} listen to`);
      // What the system hands on at once, Node tells later: whoever listens by then hears of it.
      if (hasShell) {
        process.emit('SIGCONT');
      }
      return true;
    },
  });
  watchJobControl(process, { resumed: () => happened.push('the terminal was told') });
  return { process, happened };
}

test('a terminal hears of Ctrl-Z before the process stops, and nothing of it afterwards', () => {
  const { process, happened } = watched();
  const once = ['the terminal was told', 'SIGTSTP to 42, which 0 listen to'];
  process.emit('SIGTSTP');
  assert.deepEqual(happened, once);
  process.emit('SIGTSTP');
  assert.deepEqual(happened, [...once, ...once]);
});

test('a terminal hears of a stop that nobody can catch when the process goes on', () => {
  const { process, happened } = watched();
  process.emit('SIGCONT');
  assert.deepEqual(happened, ['the terminal was told']);
});

test('a stop that the system leaves out, because there is no shell, changes nothing for the next one', () => {
  const { process, happened } = watched({ hasShell: false });
  process.emit('SIGTSTP');
  process.emit('SIGCONT');
  assert.deepEqual(happened, ['the terminal was told', 'SIGTSTP to 42, which 0 listen to', 'the terminal was told']);
});
