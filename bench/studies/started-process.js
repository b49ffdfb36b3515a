import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * A program of the studies in a process of its own. It says what it offers in its first line of JSON, ends when its
 * standard input ends, and may report in one more line when it does.
 *
 * @typedef {object} StartedProcess
 * @property {any} offer its first line
 * @property {() => Promise<any>} stop ends it; resolves to its last line, or to null where it wrote none
 */

/**
 * @param {URL} program
 * @param {object} options the program's, handed over as JSON
 * @returns {Promise<StartedProcess>}
 * @throws {Error} where the program ends before its first line
 */
export async function startProcess(program, options) {
  const child = spawn(process.execPath, [fileURLToPath(program), JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true) {
    throw new Error(`${fileURLToPath(program)} ended with status ${(await exit)[0]} before it had started`);
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
