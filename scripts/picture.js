import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { shellWord } from '../lib/cli/invocation.js';
import { drawTerminal } from './draw-terminal.js';
import { screenRows } from './terminal-screen.js';

// Draws what a run shows on a terminal as an SVG. It takes a pseudo-terminal from `script`, which Linux and macOS have.
//
//     node scripts/picture.js <file> [arguments of r2-benchmark.js]

const COLUMNS = 116;
const ROWS = 50;

/** A store whose limit is known: 500 operations a second, each after 20 ms. */
const DEFAULT_RUN = '20000 64 --find-peak --stages write,read --local --faults queue=500,latency=20ms'.split(' ');

const [file, ...given] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('error: expected the file to write, such as docs/run.svg\n');
  process.exitCode = 2;
} else {
  const parameters = given.length === 0 ? DEFAULT_RUN : given;
  const command = ['node', 'r2-benchmark.js', ...parameters].map(shellWord).join(' ');
  const rows = screenRows(await outputOnTerminal(command), COLUMNS);
  await writeFile(file, drawTerminal({ command, rows, columns: COLUMNS }));
}

/**
 * @param {string} command for a shell in the project's folder
 * @returns {Promise<string>} what it writes to a terminal, both outputs together
 * @throws {Error} where it fails
 */
async function outputOnTerminal(command) {
  const inTerminal = `stty rows ${ROWS} cols ${COLUMNS} && exec ${command}`;
  const parameters =
    process.platform === 'darwin'
      ? ['-q', '/dev/null', '/bin/sh', '-c', inTerminal]
      : ['--quiet', '--return', '--command', inTerminal, '/dev/null'];
  const cwd = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
  const running = promisify(execFile)('script', parameters, { cwd, maxBuffer: 2 ** 24 });
  running.child.stdin?.end();
  const { stdout } = await running;
  return stdout;
}
