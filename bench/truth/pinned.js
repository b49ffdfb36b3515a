import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * @import { ChildProcess, SpawnOptions } from 'node:child_process'
 *
 * Where a process is put.
 *
 * @typedef {object} Place
 * @property {number | null} [core] that it stays on; null: wherever the system puts it
 * @property {readonly string[]} [within] a command that starts another one in its surroundings: a namespace, or a control
 *   group
 */

/**
 * What starts Node in a process at its place.
 *
 * @param {Place} place
 * @returns {{ execPath: string, execArgv: string[] }} a program, and its arguments before those of Node
 */
export function nodeAt({ core = null, within = [] }) {
  const pin = core === null ? [] : ['taskset', '-c', String(core)];
  const [execPath, ...execArgv] = [...within, ...pin, process.execPath];
  return { execPath, execArgv };
}

/**
 * Starts Node in a process at its place.
 *
 * @param {Place} place
 * @param {readonly string[]} parameters of Node
 * @param {SpawnOptions} options
 * @returns {ChildProcess}
 */
export function spawnNode(place, parameters, options) {
  const { execPath, execArgv } = nodeAt(place);
  return spawn(execPath, [...execArgv, ...parameters], options);
}

/** Whether processes can be kept on cores of their own: it takes two of them, and Linux. */
export function canPin() {
  return availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;
}
