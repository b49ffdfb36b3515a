import { execFileSync } from 'node:child_process';

/** @returns {boolean} whether there is the command that runs a program on a terminal of its own */
export function hasScript() {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
}
