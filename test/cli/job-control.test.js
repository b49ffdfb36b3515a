import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { watchJobControl } from '../../lib/cli/job-control.js';

/**
 * A process, and the events of it and its terminal in order.
 *
 * @param {{ hasShell?: boolean }} [options] whether a shell can resume it
 */
function watched({ hasShell = true } = {}) {
  /** @type {string[]} */
  const happened = [];
  const process = Object.assign(new EventEmitter(), {
    pid: 42,
    kill(/** @type {number} */ pid, /** @type {string} */ signal) {
      happened.push(`${signal} to ${pid}, which ${process.listenerCount('SIGTSTP')} listen to`);
      // Node delivers later what the system delivers at once: only listeners at that time receive it.
      if (hasShell) {
        process.emit('SIGCONT');
      }
      return true;
    },
  });
  watchJobControl(process, { resumed: () => happened.push('the terminal was told') });
  return { process, happened };
}

test('notifies a terminal of Ctrl-Z before the process stops, and not afterwards', () => {
  const { process, happened } = watched();
  const once = ['the terminal was told', 'SIGTSTP to 42, which 0 listen to'];
  process.emit('SIGTSTP');
  assert.deepEqual(happened, once);
  process.emit('SIGTSTP');
  assert.deepEqual(happened, [...once, ...once]);
});

test('notifies a terminal of an uncatchable stop when the process resumes', () => {
  const { process, happened } = watched();
  process.emit('SIGCONT');
  assert.deepEqual(happened, ['the terminal was told']);
});

test('a stop that the system ignores for lack of a shell does not affect the next one', () => {
  const { process, happened } = watched({ hasShell: false });
  process.emit('SIGTSTP');
  process.emit('SIGCONT');
  assert.deepEqual(happened, ['the terminal was told', 'SIGTSTP to 42, which 0 listen to', 'the terminal was told']);
});
