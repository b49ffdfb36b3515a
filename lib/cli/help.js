import { ROWS } from '../options/table.js';
import { UsageError } from '../options/usage-error.js';
import { quote } from '../text/quote.js';

/**
 * @import { Invocation } from '../options/store/environment.js'
 * @import { CommandName } from '../options/table.js'
 */

/**
 * @typedef {object} CommandRow
 * @property {string} operands as the usage line shows them
 * @property {string} summary for the program's help
 * @property {string} description for the command's own help
 */

/** The benchmark itself (`run`) and its commands. @type {Readonly<Record<Exclude<CommandName, 'side'>, CommandRow>>} */
export const COMMANDS = Object.freeze({
  quick: {
    operands: '',
    summary: 'a first answer in a minute; start here',
    description:
      'Measures writes, reads and stats for eight seconds each, with as many threads as the latency of the store ' +
      'needs, and removes what it wrote. On R2, it costs at most $0.05.',
  },
  merge: {
    operands: '<files...>',
    summary: 'combine logs and results of many hosts',
    description:
      'Combines the logs and results of one or more hosts, second by second, into one result.\n' +
      '<files> are what r2-benchmark wrote to --log, --json or stdout, one per host; - is standard input.',
  },
  report: {
    operands: '<files...>',
    summary: 'write an HTML report of saved results',
    description:
      'Writes one HTML file that shows a saved result, the combined results of several hosts, or results of\n' +
      'different loads side by side.\n' +
      '<files> are what r2-benchmark wrote to --json, --log or stdout; - is standard input.',
  },
  compare: {
    operands: '<before> <after...>',
    summary: 'compare runs stage by stage',
    description:
      'Compares two runs, stage by stage: faster, slower, no change, or inconclusive; or more than two, whatever ' +
      'their load, in a table with a row per run and stage. Each run is a --json result ' +
      'of one or more hosts, a log, or a folder with the results and logs of one run.',
  },
  ab: {
    operands: '<objects> <threads>',
    summary: 'compare two setups in alternating turns',
    description:
      'Runs two setups alternately, in ABBA or BAAB order, and reports which is faster and by how much: two clients, ' +
      'buckets, endpoints or thread counts. --a and --b hold the options that differ; all others apply to both.',
  },
  sweep: {
    operands: '<objects> <threads>',
    summary: 'measure combinations of options',
    description:
      'Runs every combination of the values of one or more options, in random order, and reports ops/s, MiB/s and p99 ' +
      'of each stage: sizes, threads, buckets, clients, endpoints or any other option of the load or the store.',
  },
  replay: {
    operands: '<files...>',
    summary: 'repeat the requests of a log',
    description:
      'Repeats recorded requests at their times: R2 Data Access Logs, S3 server access logs, or CSV. First writes the ' +
      'objects that the requests expect, and removes everything at the end. --dry-run shows what a log contains.',
  },
  cleanup: {
    operands: '<run-id>',
    summary: 'remove what a run left; list: show runs',
    description: 'Removes the objects that a run left, or only those of one shard (--shard). It works from any host.',
  },
  init: {
    operands: '[file]',
    summary: 'write a .env to fill in',
    description: 'Writes a file of variables to fill in: .env, or another that --env-file then names.',
  },
  completion: {
    operands: '<shell>',
    summary: 'print completions for a shell',
    description: 'Prints a script that completes commands, options and their values in bash, zsh or fish.',
  },
  run: {
    operands: '<objects> <threads>',
    summary: 'measure',
    description:
      'Measures how many operations per second a Cloudflare R2 or other S3-compatible bucket can handle:\n' +
      'writes <objects> with <threads> concurrent requests, then reads, verifies, stats and removes them.',
  },
});

/** The commands besides a run. */
export const COMMAND_NAMES = /** @type {Exclude<keyof typeof COMMANDS, 'run'>[]} */ (
  Object.keys(COMMANDS).filter((name) => name !== 'run')
);

/** Wide enough for every command with its operands. */
const USAGE_WIDTH = 'compare <before> <after...>'.length;

/** @param {string} benchmark shell command */
export function usageOfCommands(benchmark) {
  return COMMAND_NAMES.map(
    (name) =>
      `\n       ${benchmark} ${`${name} ${COMMANDS[name].operands}`.padEnd(USAGE_WIDTH)}  ${COMMANDS[name].summary}`,
  ).join('');
}

/** How the short help describes the option groups that it does not list. */
const TOPICS = Object.freeze({
  workload: 'sizes, mixes, ranges, parts',
  load: 'rate, duration, warm-up',
  capacity: 'searches, ramps, cost limit',
  client: 'SDK, edge, cores, time limits',
  store: 'credentials, address, proxy',
  hosts: 'many hosts, one start',
  output: 'log, JSON, CSV, report, JUnit',
  checks: 'limits for CI jobs',
  metrics: 'Prometheus, Grafana, OTLP',
  all: 'every option',
});

const WORDS_PER_TOPIC = 40;

function topicLines() {
  const cells = Object.entries(TOPICS).map(([name, words]) => `${name.padEnd(9)} ${words}`.padEnd(WORDS_PER_TOPIC));
  return Array.from({ length: cells.length / 2 }, (_, row) => `  ${cells[2 * row]}  ${cells[2 * row + 1]}`.trimEnd());
}

const EXIT_STATUS =
  '\nExit status: 0 complete, 1 incomplete, 2 usage or credentials, 3 --assert missed, 128+n signal n.';

/**
 * @param {Exclude<CommandName, 'side'>} name
 * @param {Invocation} invocation
 * @param {string} [words] shell command
 */
export function afterHelp(name, { benchmark, peak }, words = `${benchmark} ${name}`) {
  const texts = {
    quick: `
Examples:
  without an account:       ${words} --local
  your bucket, from .env:   ${words}
  the AWS SDK:              ${words} --client sdk --report report.html`,
    run: `
More options (${benchmark} --help <topic>):
${topicLines().join('\n')}

Examples:
  without an account:       ${benchmark} 10000 100 --local
  keep the log of a run:    ${benchmark} 10000 1000 --log log-$(hostname).txt
  add up all hosts' logs:   ${peak} log*.txt`,
    merge: `
Example:
  on every host:           ${benchmark} 10000 1000 --log log-$(hostname).txt
  anywhere, afterwards:    ${words} log*.txt

If a report is named -, only that report goes to standard output.
Exit status: 0 complete, 1 incomplete, 2 usage, 3 --assert missed, 141 the output was closed.`,
    report: `\nExample:\n  ${words} log*.txt -o report.html`,
    compare: `
Example:
  ${words} monday.json tuesday.json

Exit status: 0 compared, whatever the outcome, 1 incomplete, 2 usage, or runs that cannot be
compared, 3 --assert missed.`,
    ab: `
Within --a and --b: options of the objects, the load, the client and the store, and
  ${ROWS.threads.flag}  ${ROWS.threads.help}

Example:
  ${words} 2000 50 --local --a '--client direct' --b '--client sdk'

Exit status: 0 compared, 1 incomplete or a failed check, 2 usage or credentials.`,
    sweep: `
Examples:
  ${words} 2000 64 --local --vary size=4KiB,64KiB --vary threads=1,8,64
  ${words} 20000 64 --vary buckets=1,2,4 --find-peak --json sweep.json
  ${words} --resume sweep.json

Exit status: 0 complete, 1 a run failed or was not made, 2 usage or credentials, 128+n signal n.`,
    replay: `
Examples:
  what it contains and costs:  ${words} access.ndjson --dry-run
  twice as fast:               ${words} access.ndjson --speed 2x`,
    cleanup: `\nExamples:\n  ${words} list\n  ${words} 20260131-120000-x7k2`,
    init: '',
    completion: `\nExamples:\n  source <(r2-benchmark completion bash)\n  r2-benchmark completion fish | source`,
  };
  return texts[name];
}

/**
 * Reads what `--help <topic>` or `help <topic>` requests: a group of options, all options, or the help of a command.
 *
 * @param {readonly string[]} argv
 * @param {string} hint that refers to the list of topics
 * @returns {{ topic: HelpTopic, parameters: readonly string[] }} what the help shows, and the parameters to parse
 * @throws {UsageError} if there is no such topic
 *
 * @typedef {object} HelpTopic
 * @property {(option: string) => boolean} shows
 * @property {boolean} isGrouped whether it shows options by group, without commands
 * @property {string} [after] text after the options
 */
export function helpTopicIn(argv, hint) {
  const [first, word = ''] = argv;
  const main = { shows: isOfMainJob, isGrouped: false };
  if (!['help', '--help', '-h'].includes(first) || argv.length > 2) {
    return { topic: main, parameters: argv };
  }
  if (word === '') {
    return { topic: main, parameters: ['--help'] };
  }
  if (Object.hasOwn(COMMANDS, word) && word !== 'run') {
    return { topic: main, parameters: [word, '--help'] };
  }
  if (!Object.hasOwn(TOPICS, word)) {
    const topics = Object.keys(TOPICS).join(', ');
    throw new UsageError([`unknown help topic ${quote(word)}: expected ${topics}, or a command`], hint);
  }
  const shows = (/** @type {string} */ option) => word === 'all' || isOfGroup(option, word);
  return { topic: { shows, isGrouped: true, after: word === 'all' ? EXIT_STATUS : '' }, parameters: ['--help'] };
}

/** @param {string} option */
function isOfMainJob(option) {
  return ROWS[option] === undefined || ROWS[option].main === true;
}

/**
 * @param {string} option
 * @param {string} group
 */
function isOfGroup(option, group) {
  return ROWS[option]?.group === group || option === 'help';
}

/** Shells for which there is a completion script. @typedef {'bash' | 'zsh' | 'fish'} Shell */

/** @type {readonly Shell[]} */
export const SHELLS = Object.freeze(['bash', 'zsh', 'fish']);
