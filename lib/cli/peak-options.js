import { Command } from 'commander';
import path from 'node:path';
import { quote } from '../log/quote.js';
import { FROM_CLONE } from './invocation.js';
import { VERSION } from './package-version.js';
import { STANDARD_OUTPUT } from './report-file.js';
import { UsageError, writeCommanderError } from './usage-error.js';

/** @import { Invocation } from './invocation.js' */

/** @param {Invocation} invocation */
const example = ({ benchmark, peak }) => `
Example:
  on every host:           ${benchmark} 10000 1000 --log log-$(hostname).txt
  anywhere, afterwards:    ${peak} log*.txt

A report named - goes to standard output, and nothing else does then.
Exit status: 0 all well, 1 something is missing or ended early, 2 usage, 141 the output was closed.`;

/**
 * @typedef {object} PeakOptions
 * @property {readonly string[]} files
 * @property {string | undefined} json
 * @property {string | undefined} csv
 * @property {boolean} severalRuns whether runs of one host that were not at the same time are added up
 */

/**
 * @param {readonly string[]} argv
 * @param {{ out: (text: string) => void, err: (text: string) => void }} outputs
 * @param {Invocation} [invocation]
 * @returns {PeakOptions}
 * @throws {UsageError}
 * @throws {CommanderError} for help and version, and for what is no option at all
 */
export function readPeakOptions(argv, { out, err }, invocation = FROM_CLONE) {
  const command = new Command(invocation.peak)
    .description('Adds up the logs of one or several hosts: what did they do together, second by second?')
    .argument(
      '<log files...>',
      'what r2-benchmark.js wrote to --log or to stdout, one file for each host; - is standard input',
    )
    .option('--json <file>', 'write the whole result there')
    .option('--csv <file>', 'write the time series there: second_start, stage, host, ops, bytes')
    .option('--several-runs', 'add up runs of one host that were not at the same time, instead of refusing them')
    .version(VERSION, '--version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ helpWidth: 100 })
    .addHelpText('after', example(invocation))
    .showHelpAfterError('(--help shows the usage)')
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err, outputError: writeCommanderError })
    .parse(argv, { from: 'user' });
  const { json, csv, severalRuns = false } = command.opts();
  const problems = Object.entries({ json, csv }).flatMap(([name, file]) =>
    file === '' ? [`--${name}: expected a file, got nothing`] : [],
  );
  if (json === STANDARD_OUTPUT && csv === STANDARD_OUTPUT) {
    problems.push('--json, --csv: only one of them can go to standard output');
  } else if (json !== undefined && json !== '' && csv !== undefined && path.resolve(json) === path.resolve(csv)) {
    problems.push(`--json, --csv: expected two files, got ${quote(json)} for both`);
  }
  if (problems.length > 0) {
    throw new UsageError(problems, '(--help shows the usage)');
  }
  return { files: command.args, json, csv, severalRuns };
}
