import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const run = promisify(execFile);
const TOOL = fileURLToPath(new URL('../../r2-benchmark.js', import.meta.url));

/**
 * Runs the tool itself, in an empty folder.
 *
 * @param {readonly string[]} parameters
 * @param {Readonly<Record<string, string>>} variables in addition to those of this process
 * @returns {Promise<{ stages: any[], log: string }>} the stages of its --json, and what it printed
 * @throws {Error} where it does not end with status 0
 */
export async function runTool(parameters, variables) {
  const folder = mkdtempSync(join(tmpdir(), 'study-'));
  const json = join(folder, 'result.json');
  try {
    const { stdout: log } = await run(process.execPath, [TOOL, ...parameters, '--quiet', '--json', json], {
      env: { ...process.env, ...variables },
      cwd: folder,
    });
    return { stages: JSON.parse(readFileSync(json, 'utf8')).stages, log };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
