import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * A program of the studies in a separate process. It first prints a line of JSON that describes it, ends when its standard
 * input closes, and can print another line of JSON at its end.
 *
 * @typedef {object} StartedProcess
 * @property {any} offer its first line
 * @property {() => Promise<any>} stop ends it; resolves to its last line, or null without one
 */

/**
 * @param {URL} program
 * @param {object} options the program's options, passed as JSON
 * @returns {Promise<StartedProcess>}
 * @throws {Error} if the program ends before its first line
 */
export async function startProcess(program, options) {
  const child = spawn(process.execPath, [fileURLToPath(program), JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true) {
    throw new Error(`${fileURLToPath(program)} ended with status ${(await exit)[0]} before it started`);
  }
  return {
    offer: JSON.parse(first.value),
    async stop() {
      child.stdin.end();
      const last = await lines.next();
      await exit;
      return last.done === true ? null : JSON.parse(last.value);
    },
  };
}
