import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fences, shellCommands } from './markdown.js';

// The documentation pages, and the commands on them.

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const README = 'README.md';
export const PROGRAMS = ['r2-benchmark.js', 'peak-performance.js'];

/** test/deploy tests its commands. */
export const PAGE_OF_DEPLOY = 'deploy/README.md';

export const names = [
  ...(await readdir(ROOT)).filter((name) => name.endsWith('.md')),
  ...(await readdir(path.join(ROOT, 'docs'), { recursive: true }))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  PAGE_OF_DEPLOY,
];

/** The text of each page by name. */
export const pages = new Map(
  await Promise.all(
    names.map(async (name) => /** @type {const} */ ([name, await readFile(path.join(ROOT, name), 'utf8')])),
  ),
);

/**
 * @param {string} command
 * @param {string} cwd
 * @returns {Promise<{ status: number, stdout: string, stderr: string }>}
 */
export function runInShell(command, cwd) {
  const { PATH } = process.env;
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', command], { cwd, env: { PATH, HOME: cwd } }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** The shell commands on all pages. */
export const commands = [...pages]
  .filter(([name]) => name !== PAGE_OF_DEPLOY)
  .flatMap(([name, text]) =>
    fences(text)
      .filter(({ language }) => language === 'bash')
      .flatMap(({ text: script, reasonNotToRun }) =>
        shellCommands(script).map((command) => ({
          name,
          isRun: reasonNotToRun === null,
          command: command
            .replace(/^npx r2-benchmark /, 'node r2-benchmark.js ')
            .replace(/^npx r2-peak /, 'node peak-performance.js '),
        })),
      ),
  );

/** Options that make a benchmark run without an account. */
const WITHOUT_ACCOUNT = / --(local|init|help|version)\b/;

/** @param {string} command */
function runsWithoutAccount(command) {
  return (
    command.startsWith('node peak-performance.js ') ||
    (command.startsWith('node r2-benchmark.js ') && WITHOUT_ACCOUNT.test(command))
  );
}

/** Commands that run quickly and without an account. */
export const runnable = new Set(
  commands.filter(({ command, isRun }) => isRun && runsWithoutAccount(command)).map(({ command }) => command),
);
