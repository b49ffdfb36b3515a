import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { HostLog, mergePeaks } from '../hosts/merge-hosts.js';
import { readLogs } from '../hosts/read-logs.js';
import { formatPeakSummary } from '../report/peak-summary.js';

/** @typedef {import('node:stream').Writable} Writable */
/** @typedef {import('../hosts/read-logs.js').LogWarning} LogWarning */

const EXIT_INCOMPLETE = 1;
const EXIT_USAGE = 2;
const EXIT_OUTPUT_CLOSED = 141;

const EXAMPLE = `
Example:
  node r2-benchmark.js 10000 1000 | tee -i log-$HOST.txt    # on every host
  node peak-performance.js log*.txt                         # anywhere, afterwards

Exit status: 0 all well, 1 something is missing from the total, 2 usage, 141 the output was closed.`;

/**
 * Adds up the logs of one or several hosts and prints the peak of each stage.
 *
 * @param {readonly string[]} argv the arguments, without the names of Node and of the program
 * @param {NodeJS.ProcessEnv} _env
 * @param {{ stdout: Writable, stderr: Writable }} streams
 * @returns {Promise<number>} the exit status
 */
export async function main(argv, _env, streams) {
  const stdout = new Output(streams.stdout);
  const stderr = new Output(streams.stderr);
  const status = await run(argv, stdout, stderr);
  const failure = (await stdout.failure()) ?? (await stderr.failure());
  if (failure === undefined) {
    return status;
  }
  if (/** @type {NodeJS.ErrnoException} */ (failure).code === 'EPIPE') {
    return EXIT_OUTPUT_CLOSED;
  }
  stderr.write(`error: the output cannot be written: ${failure.message}\n`);
  return EXIT_INCOMPLETE;
}

/**
 * @param {readonly string[]} argv
 * @param {Output} stdout
 * @param {Output} stderr
 * @returns {Promise<number>} the exit status, provided that all that was written went through
 */
async function run(argv, stdout, stderr) {
  try {
    const { args: files } = commandLine(stdout, stderr).parse(argv, { from: 'user' });
    return await aggregate(files, stdout, stderr);
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? 0 : EXIT_USAGE;
    }
    stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
    return EXIT_INCOMPLETE;
  }
}

/**
 * @param {Output} stdout
 * @param {Output} stderr
 */
function commandLine(stdout, stderr) {
  return new Command('node peak-performance.js')
    .description('Adds up the logs of one or several hosts and prints the peak operations per second of each stage.')
    .argument('<log files...>', 'what r2-benchmark.js wrote to stdout, one file for each host')
    .version(createRequire(import.meta.url)('../../package.json').version)
    .addHelpText('after', EXAMPLE)
    .showHelpAfterError('(--help shows the usage)')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
}

/**
 * @param {readonly string[]} files
 * @param {Output} stdout
 * @param {Output} stderr
 */
async function aggregate(files, stdout, stderr) {
  const { hosts, warnings } = await readHosts(files);
  for (const warning of warnings) {
    stderr.write(describe(warning));
  }
  const peaks = mergePeaks(hosts);
  if (Object.keys(peaks).length === 0) {
    stderr.write('error: no stage in any of the logs, expected what r2-benchmark.js writes to stdout\n');
    return EXIT_INCOMPLETE;
  }
  stdout.write(formatPeakSummary(peaks));
  return warnings.some(({ incomplete }) => incomplete) ? EXIT_INCOMPLETE : 0;
}

/** @param {readonly string[]} files */
async function readHosts(files) {
  /** @type {Map<string, HostLog>} */
  const hosts = new Map();
  /** @type {LogWarning[]} */
  const warnings = [];
  for await (const entry of readLogs(files)) {
    if ('message' in entry) {
      warnings.push(entry);
    } else {
      const host = hosts.get(entry.file) ?? new HostLog(entry.file);
      hosts.set(entry.file, host);
      host.add(entry.line, entry.record);
    }
  }
  const logs = [...hosts.values()];
  return { hosts: logs, warnings: [...warnings, ...logs.flatMap((host) => host.warnings())] };
}

/** @param {LogWarning} warning */
function describe({ file, line, message }) {
  return `warning: ${line === null ? file : `${file}:${line}`}: ${message}\n`;
}

/** A stream whose failures are asked for at the end instead of ending the process at once. */
class Output {
  #stream;
  /** @type {Promise<Error | null | undefined>[]} */
  #writes = [];

  /** @param {Writable} stream */
  constructor(stream) {
    this.#stream = stream;
    // A failed write tells its callback; the event, which says the same, would end the process without a listener.
    stream.on('error', () => {});
  }

  /** @param {string} text */
  write(text) {
    this.#writes.push(new Promise((resolve) => this.#stream.write(text, resolve)));
  }

  /** @returns {Promise<Error | undefined>} what went wrong first, once everything is written */
  async failure() {
    const results = await Promise.all(this.#writes);
    return results.find((error) => error instanceof Error);
  }
}
