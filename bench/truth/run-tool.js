import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { spawnNode } from './pinned.js';

/**
 * @import { ChildProcessByStdio } from 'node:child_process'
 * @import { Place } from './pinned.js'
 */

/** More than twice as long as any run here takes: a run that hangs counts as wrong. */
const PATIENCE_MS = 600_000;

const TOOL = fileURLToPath(new URL('../../r2-benchmark.js', import.meta.url));

/**
 * @typedef {object} ToolCall
 * @property {readonly string[]} parameters
 * @property {Record<string, string>} [env] for the endpoint
 * @property {Place} [place] for the process
 * @property {(line: string) => unknown} [onLine] called for each printed log line
 *
 * @typedef {Omit<ToolCall, 'parameters'> & { objects: number, threads: number, options: readonly string[] }} ToolRun
 */

/**
 * @param {ToolRun} run
 * @returns {Promise<any[]>} the stages of the JSON result
 * @throws {Error} if the run failed
 */
export async function runTool({ objects, threads, options, ...call }) {
  const { stages } = await callTool({ ...call, parameters: [String(objects), String(threads), ...options] });
  return stages;
}

/**
 * Runs the command line in a separate process and folder, as a user does.
 *
 * @param {ToolCall} call
 * @returns {Promise<any>} the JSON result
 * @throws {Error} if the run failed
 */
export async function callTool({ parameters, env = {}, place = {}, onLine = () => {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'r2-benchmark-truth-'));
  const json = join(folder, 'result.json');
  try {
    const child = spawnNode(place, [TOOL, ...parameters, '--json', json, '--quiet'], {
      cwd: folder,
      env: { ...process.env, ...env, HOME: folder, XDG_CACHE_HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
    });
    const { stdout, stderr } = /** @type {ChildProcessByStdio<null, any, any>} */ (child);
    createInterface({ input: stdout }).on('line', onLine);
    const [errors, [status]] = await Promise.all([text(stderr), once(child, 'close')]);
    if (status !== 0 || !existsSync(json)) {
      throw new Error(`${parameters.join(' ')} ended with status ${status}: ${errors.trim()}`);
    }
    return JSON.parse(readFileSync(json, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
