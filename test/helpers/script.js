import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { PROGRAM, startProgram } from './command.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { CommandOptions } from './command.js'
 */

/** @returns {boolean} whether `script`, which runs a program on its own terminal, is installed */
export function hasScript() {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
}

/**
 * Like startCommand(), on its own terminal, whose screen becomes the stdout of the command.
 *
 * @param {TestContext} t
 * @param {readonly string[]} parameters
 * @param {CommandOptions} [options]
 */
export async function startOnTerminal(t, parameters, { env, ...options } = {}) {
  const words = [process.execPath, PROGRAM, ...parameters].map((word) => `'${word}'`);
  const command = await startProgram(t, 'script', ['-qec', `exec ${words.join(' ')}`, '/dev/null'], {
    ...options,
    env: { ...env, SHELL: '/bin/sh' },
  });
  const { pid } = command.child;
  return {
    command,
    pressCtrlC: () => process.kill(Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')), 'SIGINT'),
  };
}
