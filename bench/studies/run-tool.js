import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const run = promisify(execFile);
const TOOL = fileURLToPath(new URL('../../r2-benchmark.js', import.meta.url));

/**
 * @param {readonly string[]} parameters
 * @param {Readonly<Record<string, string>>} variables in addition to this process's
 * @returns {Promise<{ stages: any[], log: string }>} the stages of its --json, and its output
 * @throws {Error} if its exit status is not 0
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
