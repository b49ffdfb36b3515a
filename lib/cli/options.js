import { Command, Option } from 'commander';
import { DEFAULT_FILE } from './environment.js';
import { FROM_CLONE } from './invocation.js';
import { optionConflicts } from './option-conflicts.js';
import { VERSION } from './package-version.js';
import { UsageError, writeCommanderError } from './usage-error.js';
import * as values from './option-values.js';
import { oneOf, someText } from './values.js';

/**
 * @import { StartTime } from '../clock/start-time.js'
 * @import { Invocation } from './invocation.js'
 */

/**
 * @typedef {object} OptionRow
 * @property {string} flags
 * @property {string} help
 * @property {(text: string) => any} [read] of an option that takes a value; throws a RangeError that says what was expected
 * @property {string} [fallback] the value where the option is absent, as the user would write it
 */

/** Every option, told once: flag, parser, default and help. @type {Readonly<Record<string, OptionRow>>} */
const OPTIONS = {
  local: { flags: '--local', help: 'run against an endpoint in memory: no account, no .env' },
  client: {
    flags: '--client <name>',
    help: 'direct: what the store can do; sdk: what an app sees',
    read: oneOf('direct', 'sdk'),
    fallback: 'direct',
  },
  size: { flags: '--size <size>', help: 'of an object: 1000, 64kB, 1MiB', read: values.objectSize, fallback: '16KiB' },
  stages: {
    flags: '--stages <names>',
    help: 'what to run, comma-separated',
    read: values.stageNames,
    fallback: 'write,read,stat,remove',
  },
  keep: { flags: '--keep', help: 'leave the objects that the run wrote' },
  runId: { flags: '--run-id <id>', help: 'a name for the run (default: date, time, chance)', read: values.runId },
  allowVersioned: {
    flags: '--allow-versioned',
    help: 'run where versions are kept; clean-up removes those of its objects',
  },
  prefix: { flags: '--prefix <prefix>', help: 'of every key', read: values.prefix, fallback: 'benchmark' },
  rate: { flags: '--rate <ops/s>', help: 'open loop: start so many operations a second', read: values.rate },
  arrival: {
    flags: '--arrival <name>',
    help: 'of --rate: constant or poisson',
    read: oneOf('constant', 'poisson'),
    fallback: 'constant',
  },
  warmup: {
    flags: '--warmup <time>',
    help: 'of each stage: counted, but in no rate or percentile',
    read: values.warmup,
    fallback: '0s',
  },
  duration: {
    flags: '--duration <time>',
    help: 'of each stage; <objects> is then the most',
    read: values.stageDuration,
  },
  gap: { flags: '--gap <time>', help: 'between stages of a --duration', read: values.gap, fallback: '5s' },
  startAt: {
    flags: '--start-at <time>',
    help: "by the store's clock: ISO time, epoch seconds, next:60s, +30s",
    read: values.startTime,
  },
  shard: { flags: '--shard <i/N>', help: "this host's share: i of N from 0, or auto", read: values.shard },
  findPeak: { flags: '--find-peak', help: 'use ever more threads up to <threads>, and find the ceiling' },
  maxCost: {
    flags: '--max-cost <dollars>',
    help: "that the run may cost, at R2's list prices",
    read: values.dollars,
  },
  calibrate: { flags: '--calibrate', help: 'measure what the client alone can do here, and end' },
  cores: { flags: '--cores <n>', help: 'of this host to use, or auto', read: values.coreCount, fallback: 'auto' },
  timeout: { flags: '--timeout <time>', help: 'for a whole attempt', read: values.timeout, fallback: '10s' },
  retries: {
    flags: '--retries <n>',
    help: 'of an operation, on transient errors',
    read: values.retryCount,
    fallback: '19',
  },
  preflight: { flags: '--no-preflight', help: 'do not ask the store beforehand for what the run will do' },
  keepAlive: { flags: '--no-keep-alive', help: 'open a connection for each request' },
  envFile: {
    flags: '--env-file <file>',
    help: 'where S3_… variables stand',
    read: someText,
    fallback: DEFAULT_FILE,
  },
  log: { flags: '--log <file>', help: 'write the log there; the screen stays readable', read: values.logFile },
  logAppend: { flags: '--log-append', help: 'add to the file of --log, which may exist' },
  json: { flags: '--json <file>', help: 'write the whole result there; - is stdout', read: someText },
  init: { flags: '--init [file]', help: 'write a .env to fill in, and end', read: someText },
  quiet: { flags: '--quiet', help: 'no progress, cost or notices on stderr' },
  cleanup: {
    flags: '--cleanup [run-id]',
    help: 'remove what a run (with --shard, a shard) left behind, and end',
    read: values.anyRunId,
  },
  list: { flags: '--list', help: 'with --cleanup: show which runs have left something, and end' },
  faults: { flags: '--faults <script>', help: 'with --local: faults to inject, see README', read: values.faultScript },
};

/** @param {Invocation} invocation */
const examples = ({ benchmark, peak }) => `
Examples:
  without an account:       ${benchmark} 10000 100 --local
  keep the log of a run:    ${benchmark} 10000 1000 --log log-$(hostname).txt
  add up all hosts' logs:   ${peak} log*.txt
  after a kill:             ${benchmark} --cleanup 20260131-120000-x7k2
  what runs have left:      ${benchmark} --cleanup --list

Exit status: 0 all well, 1 incomplete or a verification failed, 2 usage, configuration
or credentials, 129/130/143 ended by a signal, 141 its output was closed.`;

/**
 * What the command line asks for.
 *
 * @typedef {object} CommandLine
 * @property {number} objects
 * @property {number} threads
 * @property {boolean} local
 * @property {'direct' | 'sdk'} client
 * @property {number} size bytes
 * @property {string[]} stages
 * @property {boolean} keep
 * @property {boolean} allowVersioned
 * @property {string | undefined} runId
 * @property {string} prefix
 * @property {number} timeout ms
 * @property {number} retries
 * @property {boolean} preflight
 * @property {boolean} keepAlive
 * @property {number | 'auto'} cores
 * @property {StartTime | undefined} startAt
 * @property {number | undefined} duration ms
 * @property {number | undefined} rate ops/s of an open loop
 * @property {'constant' | 'poisson'} arrival
 * @property {number} warmup ms
 * @property {boolean} findPeak
 * @property {number | undefined} maxCost dollars
 * @property {number} gap ms
 * @property {{ index: number | null, count: number | null } | undefined} shard
 * @property {string} envFile
 * @property {string | undefined} log the file of the log
 * @property {boolean} logAppend
 * @property {string | undefined} json
 * @property {boolean} quiet
 * @property {string | undefined} cleanup
 * @property {string | undefined} init the file to write; then objects and threads are undefined
 * @property {boolean} list then there is no run id, and objects and threads are undefined
 * @property {boolean} calibrate then objects and threads may be undefined
 * @property {string | undefined} faults
 */

/** @typedef {{ stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream }} Outputs */

/**
 * @param {readonly string[]} argv the arguments, without the names of Node and of the program
 * @param {Outputs} outputs
 * @param {Invocation} [invocation]
 * @returns {CommandLine}
 * @throws {UsageError} with every problem at once
 * @throws {CommanderError} for help and version, and for what is no option at all
 */
export function readCommandLine(argv, outputs, invocation = FROM_CLONE) {
  const command = buildCommand(outputs, invocation).parse(argv, { from: 'user' });
  const all = command.opts();
  // Those that begin with --no- are true where nobody gave them.
  const given = Object.fromEntries(
    Object.entries(all).filter(([name]) => command.getOptionValueSource(name) === 'cli'),
  );
  /** @type {string[]} */
  const problems = [];
  const read = reader(problems);
  /** @type {Record<string, any>} */
  const options = {};
  for (const [name, row] of Object.entries(OPTIONS)) {
    const flag = row.flags.split(' ')[0];
    const value = all[name] ?? row.fallback;
    // An option whose value is optional, and absent, is true.
    options[name] = row.read === undefined ? Boolean(value) : read(flag, value === true ? undefined : value, row.read);
  }
  if (given.init === true) {
    options.init = options.envFile;
  }
  const mayLackLoad = options.calibrate || given.init !== undefined;
  const needsNoLoad = given.cleanup !== undefined || (mayLackLoad && command.args.length === 0);
  if (!needsNoLoad) {
    const [objects, threads] = command.args;
    options.objects = read('<objects>', objects ?? '', values.objectCount);
    options.threads = read('<threads>', threads ?? '', values.threadCount);
  }
  problems.push(...optionConflicts(given, options));
  if (options.keep && options.stages?.includes('remove')) {
    if (given.stages === undefined) {
      options.stages = options.stages.filter((/** @type {string} */ name) => name !== 'remove');
    } else {
      problems.push('--keep: the stage remove would take the objects away, expected --stages without it');
    }
  }
  if (problems.length > 0) {
    throw new UsageError(problems, `${invocation.benchmark} --help shows the usage`);
  }
  return /** @type {CommandLine} */ (Object.freeze(options));
}

/** @param {string[]} problems */
function reader(problems) {
  /**
   * @param {string} name
   * @param {string | undefined} value
   * @param {(text: string) => any} read
   */
  return (name, value, read) => {
    try {
      return value === undefined ? undefined : read(value);
    } catch (error) {
      problems.push(`${name}: ${/** @type {Error} */ (error).message}`);
      return undefined;
    }
  };
}

/**
 * @param {Outputs} outputs
 * @param {Invocation} invocation
 */
function buildCommand({ stdout, stderr }, invocation) {
  const command = new Command(invocation.benchmark)
    .usage('<objects> <threads> [options]')
    .description(
      'Measures how many operations a second a Cloudflare R2 bucket, or any S3-compatible store, can do:\n' +
        'writes <objects> over <threads> concurrent requests, reads and checks them, stats and removes them.',
    )
    .argument('[objects]')
    .argument('[threads]')
    .version(VERSION, '--version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ helpWidth: 100, visibleArguments: () => [] })
    .addHelpText('after', examples(invocation))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: writeCommanderError,
    });
  for (const { flags, help, fallback } of Object.values(OPTIONS)) {
    command.addOption(new Option(flags, fallback === undefined ? help : `${help} (default: ${fallback})`));
  }
  return command;
}
