import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * @import { ChildProcess, SpawnOptions } from 'node:child_process'
 *
 * @typedef {object} Place the CPU of a process
 * @property {number | null} [core] null: chosen by the system
 * @property {readonly string[]} [within] command prefix that starts a process in a namespace or a control group
 */

/**
 * @param {Place} place
 * @returns {{ execPath: string, execArgv: string[] }} program, and arguments before Node's
 */
export function nodeAt({ core = null, within = [] }) {
  const pin = core === null ? [] : ['taskset', '-c', String(core)];
  const [execPath, ...execArgv] = [...within, ...pin, process.execPath];
  return { execPath, execArgv };
}

/**
 * @param {Place} place
 * @param {readonly string[]} parameters for Node
 * @param {SpawnOptions} options
 * @returns {ChildProcess}
 */
export function spawnNode(place, parameters, options) {
  const { execPath, execArgv } = nodeAt(place);
  return spawn(execPath, [...execArgv, ...parameters], options);
}

/** Whether processes can be pinned to separate cores: this needs Linux and two cores. */
export function canPin() {
  return availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;
}
