import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { shellWord } from '../lib/text/shell-words.js';
import { drawTerminal } from './draw-terminal.js';
import { screenSpans } from './terminal-screen.js';

// Draws the terminal output of a run as SVG. It needs `script`, which Linux and macOS have, for a pseudo-terminal.
//
//     node scripts/picture.js                                                      all pictures in the documentation
//     node scripts/picture.js [--columns n] [--live stage] <file> [arguments of r2-benchmark.js]
//
// --live shows the live view in the middle of a stage. Without it, the picture shows the end of the run.

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const COLUMNS = 116;
const ROWS = 50;

/** A store with a known limit: 500 operations per second, each after 20 ms. */
const SEARCH = '20000 64 --find-peak --stages write,read --local --faults queue=500,latency=20ms'.split(' ');

/** A store that refuses some requests and drops others. */
const RUN = [
  ...'5000 32 --stages write,read,stat --local --faults'.split(' '),
  'queue=600,latency=lognormal:15ms:0.4,GET.status=503:3%,GET.reset=0.3%,seed=7',
];

/**
 * @typedef {object} Picture
 * @property {string} file
 * @property {readonly string[]} parameters of r2-benchmark.js
 * @property {number} columns of the terminal
 * @property {string} [live] take the picture in the middle of this stage; by default, at the end of the run
 */

/** @returns {Picture[]} the pictures in the documentation */
function documented() {
  return [
    { file: 'docs/run.svg', parameters: SEARCH, columns: COLUMNS },
    { file: 'docs/images/terminal-80-live.svg', parameters: RUN, columns: 80, live: 'Read' },
    { file: 'docs/images/terminal-80-end.svg', parameters: RUN, columns: 80 },
  ];
}

/**
 * @param {string[]} argv
 * @returns {Picture[]}
 */
function picturesFor(argv) {
  if (argv.length === 0) {
    return documented().map((picture) => ({ ...picture, file: path.join(ROOT, picture.file) }));
  }
  const options = /** @type {const} */ ({ columns: { type: 'string' }, live: { type: 'string' } });
  const own = argv.findIndex((word, index) => !word.startsWith('--') && !argv[index - 1]?.startsWith('--'));
  if (own < 0) {
    process.stderr.write('error: expected the file to write, such as docs/run.svg\n');
    process.exitCode = 2;
    return [];
  }
  const { values } = parseArgs({ args: argv.slice(0, own), options });
  const [file, ...given] = argv.slice(own);
  const parameters = given.length === 0 ? SEARCH : given;
  return [{ file, parameters, columns: Number(values.columns ?? COLUMNS), live: values.live }];
}

/** The output of each command and width, so that several pictures can share a run. @type {Map<string, string>} */
const outputs = new Map();

const CLEAR_BELOW = '\x1b[J';

for (const { file, parameters, columns, live } of picturesFor(process.argv.slice(2))) {
  const command = ['node', 'r2-benchmark.js', ...parameters].map(shellWord).join(' ');
  const key = `${columns} ${command}`;
  const output = outputs.get(key) ?? (await outputOnTerminal(command, columns));
  outputs.set(key, output);
  const rows = screenSpans(live === undefined ? output : untilMiddleOf(output, live), columns);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, drawTerminal({ command, rows, columns }));
}

/**
 * @param {string} output
 * @param {string} stage
 * @returns {string} the output up to the middle of the stage, with the live view drawn
 * @throws {Error} if it was never drawn
 */
function untilMiddleOf(output, stage) {
  const parts = output.split(CLEAR_BELOW);
  const drawings = [...parts.keys()].filter((index) =>
    new RegExp(`(^|[\\r\\nA])${stage} \\d+/\\d+ `).test(parts[index]),
  );
  const middle = drawings[drawings.length >> 1];
  if (middle === undefined) {
    throw new Error(`expected a stage ${stage} that is drawn on the terminal`);
  }
  return [...parts.slice(0, middle + 1), ''].join(CLEAR_BELOW);
}

/**
 * @param {string} command run by a shell in the project's folder
 * @param {number} columns
 * @returns {Promise<string>} its output on a terminal, stdout and stderr combined
 * @throws {Error} if it fails
 */
async function outputOnTerminal(command, columns) {
  const inTerminal = `stty rows ${ROWS} cols ${columns} && exec ${command}`;
  const parameters =
    process.platform === 'darwin'
      ? ['-q', '/dev/null', '/bin/sh', '-c', inTerminal]
      : ['--quiet', '--return', '--command', inTerminal, '/dev/null'];
  const env = { ...process.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', NO_COLOR: '' };
  const running = promisify(execFile)('script', parameters, { cwd: ROOT, env, maxBuffer: 2 ** 26 });
  running.child.stdin?.end();
  const { stdout } = await running;
  return stdout;
}
