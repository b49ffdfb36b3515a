import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * @import { ChildProcess, SpawnOptions } from 'node:child_process'
 */

/**
 * What starts Node in a process that stays on one core.
 *
 * @param {number | null} core null: wherever the system puts it
 * @returns {{ execPath: string, execArgv: string[] }} a program, and its arguments before those of Node
 */
export function pinnedNode(core) {
  return core === null
    ? { execPath: process.execPath, execArgv: [] }
    : { execPath: 'taskset', execArgv: ['-c', String(core), process.execPath] };
}

/**
 * Starts Node in a process that stays on one core.
 *
 * @param {number | null} core null: wherever the system puts it
 * @param {readonly string[]} parameters of Node
 * @param {SpawnOptions} options
 * @returns {ChildProcess}
 */
export function spawnNode(core, parameters, options) {
  const { execPath, execArgv } = pinnedNode(core);
  return spawn(execPath, [...execArgv, ...parameters], options);
}

/** Whether processes can be kept on cores of their own: it takes two of them, and Linux. */
export function canPin() {
  return availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;
}
