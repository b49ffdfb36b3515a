import path from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { MAX_OBJECT_BYTES, runsSlices } from '../edge/slice.js';
import { quote } from '../text/quote.js';
import { formatSize } from '../text/units.js';
import { DEFAULT_AMOUNTS } from '../operations/amounts.js';
import {
  DEFAULT_PART_BYTES,
  DEFAULT_PART_THREADS,
  MAX_PARTS,
  MAX_PUT_BYTES,
  partsOf,
} from '../operations/multipart.js';
import { RESULT_REPORTERS } from '../report/reporters.js';
import { DEFAULT_STAGES, DEFAULT_STAGES_ON_EXISTING, OPERATIONS, STAGES_OF_MIX } from '../operations/registry.js';
import { operationsOf, operationsOfRun, writesObjects } from '../operations/registry.js';
import { MIXED_STAGE } from '../operations/stage.js';
import { MAX_MIXED_OBJECTS } from '../workload/mixed-objects.js';
import { readThresholds } from '../thresholds/read-thresholds.js';
import { parseAccess } from '../workload/access.js';
import { largestSize, smallestSize } from '../workload/size-distribution.js';
import { DEFAULT_FILE } from './environment.js';
import { FROM_CLONE } from './invocation.js';
import { STANDARD_OUTPUT } from './output-file.js';
import { proxyChoice } from './proxy.js';
import { VERSION } from './package-version.js';
import { shellWords } from './shell-words.js';
import { linesOfSides } from './sides.js';
import { UsageError, writeCommanderError } from './usage-error.js';
import * as values from './values.js';
import { oneOf, someText } from './values.js';

/**
 * @import { AccessPattern, MixedShare, ProxyConfig, SizeDistribution, StartTime } from '../model/run-config.js'
 * @import { AssertedRun } from '../thresholds/read-thresholds.js'
 * @import { Threshold } from '../thresholds/threshold.js'
 * @import { Invocation } from './invocation.js'
 * @import { EndpointUrl } from './values.js'
 * @import { Operation, Refusal } from '../operations/operation.js'
 */

/**
 * @typedef {object} OptionRow
 * @property {string} flags
 * @property {string} help
 * @property {(text: string) => any} [read] of an option that takes a value; throws a RangeError that says what was expected
 * @property {string} [fallback] the value where the option is absent, as the user would write it
 * @property {true} [repeats] whether it may be given several times, each with a value of its own
 */

/** What a result is held against: options of a run and of `merge`. @type {Readonly<Record<'assert' | 'assertFile' | 'baseline', OptionRow>>} */
const GUARD_OPTIONS = Object.freeze({
  assert: {
    flags: '--assert <limit>',
    help: "exit with 3 unless this holds: 'read.p99 < 50ms'; may be repeated",
    read: (text) => text,
    repeats: true,
  },
  assertFile: { flags: '--assert-file <file>', help: 'likewise, one on each line of a file', read: someText },
  baseline: {
    flags: '--baseline <file>',
    help: "earlier --json, for limits such as 'read.rate > 0.95 * baseline'",
    read: someText,
  },
});

/** Every option of the benchmark: flag, reader, default and help. @type {Readonly<Record<string, OptionRow>>} */
const OPTIONS = {
  local: { flags: '--local', help: 'run against an endpoint in memory: no account, no .env' },
  client: {
    flags: '--client <name>',
    help: 'direct: what the store can do; sdk: what an app sees; edge: what a Worker sees',
    read: oneOf('direct', 'sdk', 'edge'),
    fallback: 'direct',
  },
  through: { flags: '--through', help: 'with --client edge: each operation is a request to the Worker' },
  size: {
    flags: '--size <size>',
    help: 'size of an object: 64kB; of several: 4KiB..1MiB',
    read: values.objectSizes,
    fallback: '16KiB',
  },
  stages: {
    flags: '--stages <names>',
    help: 'what to run, comma-separated',
    read: values.stageNames,
    fallback: DEFAULT_STAGES.join(','),
  },
  mix: {
    flags: '--mix <shares>',
    help: 'one stage of mixed operations, verified: read=70,write=20,stat=5,remove=5',
    read: values.mix,
  },
  rangeSize: {
    flags: '--range-size <size>',
    help: 'how much of an object the stage range reads',
    read: values.rangeSize,
    fallback: formatSize(DEFAULT_AMOUNTS.rangeSize),
  },
  pageSize: {
    flags: '--page-size <keys>',
    help: 'keys of a page of the stage list',
    read: values.keyCount,
    fallback: String(DEFAULT_AMOUNTS.pageSize),
  },
  batch: {
    flags: '--batch <objects>',
    help: 'objects of a request of the stage batch-remove',
    read: values.keyCount,
    fallback: String(DEFAULT_AMOUNTS.batch),
  },
  existing: {
    flags: '--existing <prefix>',
    help: "only read: objects that are there, whose keys begin so; '*' for all",
    read: values.existingPrefix,
  },
  access: {
    flags: '--access <pattern>',
    help: 'order of reads: sequential, uniform, zipf:0.99',
    read: parseAccess,
    fallback: 'sequential',
  },
  multipart: { flags: '--multipart', help: 'write objects in parts; above 4.9 GiB they always are' },
  partSize: {
    flags: '--part-size <size>',
    help: 'size of a part, 5MiB or more',
    read: values.partSize,
    fallback: formatSize(DEFAULT_PART_BYTES),
  },
  partThreads: {
    flags: '--part-threads <n>',
    help: 'parts of an object at a time, each on a connection of its own',
    read: values.partThreads,
    fallback: String(DEFAULT_PART_THREADS),
  },
  checksum: {
    flags: '--checksum <name>',
    help: 'that the store compares on writes: crc64nvme, crc32c or none',
    read: oneOf('crc64nvme', 'crc32c', 'none'),
    fallback: 'none',
  },
  keep: { flags: '--keep', help: 'leave the objects that the run wrote' },
  runId: { flags: '--run-id <id>', help: 'name of the run (default: date, time, random)', read: values.runId },
  allowVersioned: {
    flags: '--allow-versioned',
    help: 'accept buckets that keep versions; clean-up removes those of the run',
  },
  prefix: { flags: '--prefix <prefix>', help: 'prefix of every key', read: values.prefix, fallback: 'benchmark' },
  rate: { flags: '--rate <ops/s>', help: 'open loop: start this many operations per second', read: values.rate },
  arrival: {
    flags: '--arrival <name>',
    help: 'when operations of --rate start: constant or poisson',
    read: oneOf('constant', 'poisson'),
    fallback: 'constant',
  },
  warmup: {
    flags: '--warmup <time>',
    help: 'initial part of each stage, not in rates or percentiles',
    read: values.warmup,
    fallback: '0s',
  },
  duration: {
    flags: '--duration <time>',
    help: 'length of each stage; <objects> is then the maximum',
    read: values.stageDuration,
  },
  untilStable: {
    flags: '--until-stable <share>',
    help: 'end a stage before --duration once its mean rate is known so well: 2%',
    read: values.precision,
  },
  ramp: {
    flags: '--ramp <threads>',
    help: 'steps with ever more threads, in slots that hosts share: 8,16,32,64',
    read: values.rampThreads,
  },
  rampHosts: { flags: '--ramp-hosts', help: 'steps with ever more hosts: shard i joins in slot i' },
  stepTime: { flags: '--step-time <time>', help: 'length of such a step', read: values.stepTime, fallback: '10s' },
  gap: {
    flags: '--gap <time>',
    help: 'pause between stages of a fixed length',
    read: values.gap,
    fallback: '5s',
  },
  startAt: {
    flags: '--start-at <time>',
    help: "start by the store's clock: ISO time, epoch seconds, next:60s, +30s",
    read: values.startTime,
  },
  shard: { flags: '--shard <i/N>', help: "this host's share: i of N from 0, or auto", read: values.shard },
  findPeak: { flags: '--find-peak', help: 'add threads, up to <threads>, and find the capacity' },
  peakOf: {
    flags: '--peak-of <name>',
    help: 'what --find-peak varies: threads, buckets or rate',
    read: oneOf('threads', 'buckets', 'rate'),
    fallback: 'threads',
  },
  target: {
    flags: '--target <ops/s>',
    help: 'with --peak-of buckets: how many would this take?',
    read: values.rate,
  },
  slo: {
    flags: '--slo <time>',
    help: 'with --peak-of rate: what p99 may reach',
    read: values.latencyLimit,
    fallback: '50ms',
  },
  maxCost: {
    flags: '--max-cost <dollars>',
    help: "what the run may cost, at R2's list prices",
    read: values.dollars,
  },
  calibrate: { flags: '--calibrate', help: 'same as the command calibrate' },
  cores: {
    flags: '--cores <n>',
    help: 'cores of this host to use, or auto',
    read: values.coreCount,
    fallback: 'auto',
  },
  timeout: {
    flags: '--timeout <time>',
    help: 'time limit of each attempt',
    read: values.timeout,
    fallback: '10s',
  },
  retries: {
    flags: '--retries <n>',
    help: 'retries of an operation after transient errors',
    read: values.retryCount,
    fallback: '19',
  },
  preflight: { flags: '--no-preflight', help: 'skip the check that the store allows what the run does' },
  keepAlive: { flags: '--no-keep-alive', help: 'open a connection for each request' },
  envFile: {
    flags: '--env-file <file>',
    help: 'file with the S3_… variables',
    read: someText,
    fallback: DEFAULT_FILE,
  },
  bucket: { flags: '--bucket <names>', help: 'buckets, instead of S3_BUCKET', read: values.bucketNames },
  endpointUrl: {
    flags: '--endpoint-url <url>',
    help: 'address of the store, instead of S3_HOSTNAME',
    read: values.endpointUrl,
  },
  addressing: {
    flags: '--addressing <style>',
    help: 'where requests name the bucket: path or virtual',
    read: oneOf('path', 'virtual'),
  },
  proxy: {
    flags: '--proxy <url>',
    help: 'connect through a proxy: its URL, env or none',
    read: proxyChoice,
  },
  log: { flags: '--log <file>', help: 'write the log to a file; the screen stays readable', read: values.logFile },
  logAppend: { flags: '--log-append', help: 'add to the file of --log if it exists' },
  ...Object.fromEntries(
    RESULT_REPORTERS.map(({ option: { name, help } }) => [name, { flags: `--${name} <file>`, help, read: someText }]),
  ),
  ...GUARD_OPTIONS,
  otlp: { flags: '--otlp', help: 'send metrics and spans while it runs, where OTEL_… variables say' },
  otlpUrl: {
    flags: '--otlp-url <url>',
    help: 'send them to this OTLP/HTTP collector',
    read: values.collectorUrl,
  },
  metricsPort: {
    flags: '--metrics-port <port>',
    help: 'let Prometheus scrape metrics there: 9464, 0.0.0.0:9464',
    read: values.listenAddress,
  },
  metricsHold: {
    flags: '--metrics-hold <time>',
    help: 'after the run, wait so long for a last scrape',
    read: values.holdTime,
    fallback: '0s',
  },
  init: { flags: '--init [file]', help: 'write a .env to fill in, and exit', read: someText },
  quiet: { flags: '--quiet', help: 'no progress, cost or notices on stderr' },
  live: { flags: '--no-live', help: 'plain lines on a terminal, too: no live view' },
  cleanup: { flags: '--cleanup [run-id]', help: 'same as the command cleanup', read: values.anyRunId },
  list: { flags: '--list', help: 'with --cleanup: list the runs that left objects, and exit' },
  faults: {
    flags: '--faults <script>',
    help: 'with --local: faults to inject, see docs/local-endpoint.md',
    read: values.faultScript,
  },
};

/** The stage of --mix, as it is asserted of. */
const MIXED = MIXED_STAGE.toLowerCase();

/** The arguments of a run. */
const LOAD = [
  { flags: '<objects>', read: values.objectCount },
  { flags: '<threads>', read: values.threadCount },
];

/** The argument of `cleanup`. */
const RUN_ID = { flags: '<run-id>', read: values.anyRunId };

/** An option of `compare` and `ab`. */
const MARGIN = {
  flags: '--margin <share>',
  help: 'a change that counts as none',
  read: values.margin,
  fallback: '3%',
};

const HELP_WIDTH = 100;

/** Wide enough for every command with its operands. */
const USAGE_WIDTH = 'compare <before> <after>'.length;

/**
 * A command in addition to the benchmark itself.
 *
 * @typedef {object} CommandRow
 * @property {string} operands as its usage shows them
 * @property {string} summary for the help of the program
 * @property {string} description for its own help
 * @property {Readonly<Record<string, string>>} options by name, with their help where it is not that of the benchmark
 */

/** Options of `ab` that a run has not, or reads in another way. @type {Readonly<Record<string, OptionRow>>} */
const AB_OPTIONS = {
  a: { flags: '--a <options>', help: "options of A, in quotes: '--client direct'", read: shellWords },
  b: { flags: '--b <options>', help: 'those of B', read: shellWords },
  quads: {
    flags: '--quads <n>',
    help: 'how often A and B have two turns each, 6 to 40',
    read: values.quadCount,
    fallback: '8',
  },
  margin: MARGIN,
  stages: { ...OPTIONS.stages, read: values.stagesThatWrite },
  runId: { ...OPTIONS.runId, read: values.idOfPair },
};

/** What --a and --b may hold, by name, with the rows that are not those of a run. */
const SIDE_OPTIONS = {
  threads: { flags: '--threads <n>', help: 'in place of <threads>', read: values.threadCount },
  ...Object.fromEntries(
    [
      ...[
        'client',
        'through',
        'size',
        'access',
        'multipart',
        'partSize',
        'partThreads',
        'checksum',
        'keepAlive',
        'cores',
        'rate',
        'arrival',
        'timeout',
        'retries',
        'envFile',
        'bucket',
      ],
      ...['endpointUrl', 'addressing', 'proxy', 'faults'],
    ].map((name) => [name, OPTIONS[name]]),
  ),
};

/** @type {Readonly<Record<'merge' | 'report' | 'compare' | 'ab' | 'cleanup' | 'calibrate', CommandRow>>} */
const COMMANDS = {
  merge: {
    operands: '<files...>',
    summary: 'add up logs and results of many hosts',
    description: 'Adds up the logs and results of one or several hosts: what did they do together, second by second?',
    options: {},
  },
  report: {
    operands: '<files...>',
    summary: 'write a page of saved results and logs',
    description:
      'Writes a page for a browser, in one file: of a saved result as it is, or of what several hosts did together.',
    options: {},
  },
  compare: {
    operands: '<before> <after>',
    summary: 'compare two runs: what is faster, what slower?',
    description:
      'Compares two runs, stage by stage: faster, slower, the same, or cannot tell. Each of them is a result of --json, of ' +
      'one host or of several together, a log, or a folder with the results and logs of one run.',
    options: {},
  },
  ab: {
    operands: '<objects> <threads>',
    summary: 'compare two set-ups that take turns',
    description:
      'Runs two set-ups by turns, ABBA or BAAB, and says which is faster, and by how much: two clients, buckets, endpoints, ' +
      'numbers of threads. --a and --b have the options in which they differ, all others are for both.',
    options: {
      a: '',
      b: '',
      quads: '',
      margin: '',
      local: '',
      stages: 'what to run in each turn, comma-separated, write among them',
      ...Object.fromEntries(
        [
          ...[
            'client',
            'through',
            'size',
            'access',
            'multipart',
            'partSize',
            'partThreads',
            'checksum',
            'rate',
            'arrival',
            'warmup',
            'duration',
            'gap',
          ],
          ...['cores', 'timeout', 'retries'],
        ].map((name) => [name, '']),
      ),
      preflight: '',
      keepAlive: '',
      allowVersioned: '',
      maxCost: "what all of it may cost, at R2's list prices",
      envFile: '',
      bucket: '',
      endpointUrl: '',
      addressing: '',
      proxy: '',
      prefix: '',
      runId: 'name of the two runs, before -a and -b (default: date, time, random)',
      json: 'write the whole comparison to a file; - is stdout',
      report: 'write a page with charts, in one file; - is stdout',
      faults: '',
      quiet: '',
    },
  },
  cleanup: {
    operands: '[run-id]',
    summary: 'remove what a run left, or --list such runs',
    description: 'Removes what a run, or with --shard a shard of it, left behind. It works from any host.',
    options: {
      list: 'list the runs that left objects, and exit',
      shard: 'remove only the objects of this shard: i of N from 0, or auto',
      prefix: '',
      client: '',
      timeout: '',
      preflight: 'skip the check that the buckets can be reached',
      keepAlive: '',
      envFile: '',
      bucket: '',
      endpointUrl: '',
      addressing: '',
      proxy: '',
      quiet: 'no progress on stderr',
    },
  },
  calibrate: {
    operands: '',
    summary: 'measure what the client can do on this host',
    description:
      'Measures what the client alone can do on this host, without a store, in about 10 seconds. Later runs show how ' +
      'much of that they used. Give <threads> and the options of your usual command: they decide what is measured.',
    options: {
      client: '',
      size: '',
      cores: 'cores that the run would use, or auto',
      keepAlive: '',
      local: 'without TLS, as a run with --local',
      envFile: 'file with S3_USE_SSL, which decides whether TLS is used',
      json: 'write the whole result to a file',
      quiet: 'no notices on stderr',
    },
  },
};

/** @param {Invocation} invocation */
const examples = ({ benchmark, peak }) => `
Examples:
  without an account:       ${benchmark} 10000 100 --local
  keep the log of a run:    ${benchmark} 10000 1000 --log log-$(hostname).txt
  add up all hosts' logs:   ${peak} log*.txt
Exit status: 0 all well, 1 incomplete, 2 usage or credentials, 3 --assert missed, 128+n by signal n.`;

/**
 * The options of a run, and of all commands that work on a store or on the client.
 *
 * @typedef {object} CommandLine
 * @property {number} objects
 * @property {number} threads
 * @property {boolean} local
 * @property {'direct' | 'sdk' | 'edge'} client
 * @property {boolean} through whether each operation is a request to the Worker of the edge client
 * @property {number} size bytes; of the largest object, where they are not all of one size
 * @property {SizeDistribution | undefined} sizes undefined where they are
 * @property {AccessPattern | undefined} access undefined where objects are read one after the other
 * @property {string[]} stages
 * @property {MixedShare[] | undefined} mix
 * @property {number} rangeSize bytes
 * @property {number} pageSize keys
 * @property {number} batch objects
 * @property {string | undefined} existing what the keys of objects begin with that were there before; '' for all
 * @property {boolean} multipart whether all objects are written in parts
 * @property {number} partSize bytes
 * @property {number} partThreads
 * @property {'crc64nvme' | 'crc32c' | 'none'} checksum of what is written
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
 * @property {number | undefined} untilStable half-width of the 95% interval of a stage's mean rate, as a share of the mean
 * @property {number | undefined} rate ops/s of an open loop
 * @property {'constant' | 'poisson'} arrival
 * @property {number} warmup ms
 * @property {boolean} findPeak
 * @property {number[] | undefined} ramp threads by step
 * @property {boolean} rampHosts
 * @property {number} stepTime ms
 * @property {'threads' | 'buckets' | 'rate'} peakOf
 * @property {number | undefined} target ops/s
 * @property {number} slo ms
 * @property {number | undefined} maxCost dollars
 * @property {number} gap ms
 * @property {{ index: number | null, count: number | null } | undefined} shard
 * @property {string} envFile
 * @property {readonly string[] | undefined} bucket
 * @property {EndpointUrl | undefined} endpointUrl
 * @property {'path' | 'virtual' | undefined} addressing
 * @property {ProxyConfig | 'env' | 'none' | undefined} proxy
 * @property {string | undefined} log the file of the log
 * @property {boolean} logAppend
 * @property {string | undefined} json
 * @property {Readonly<Record<string, string>>} results the file of each result that is asked for, by its option
 * @property {readonly Threshold[]} thresholds those of --assert
 * @property {string | undefined} assertFile
 * @property {string | undefined} baseline the file of a result
 * @property {boolean} otlp whether metrics and spans are sent
 * @property {URL | undefined} otlpUrl where to; likewise
 * @property {{ host: string, port: number } | undefined} metricsPort where metrics can be scraped
 * @property {number} metricsHold ms
 * @property {boolean} quiet
 * @property {boolean} live whether a terminal shows what is under way
 * @property {string | undefined} cleanup
 * @property {string | undefined} init the file to write; then objects and threads are undefined
 * @property {boolean} list then there is no run id, and objects and threads are undefined
 * @property {boolean} calibrate then objects and threads may be undefined
 * @property {string | undefined} faults
 */

/**
 * @typedef {object} MergeOptions
 * @property {readonly string[]} files
 * @property {Readonly<Record<string, string>>} results the file of each result that is asked for, by its option
 * @property {boolean} severalRuns whether runs of one host that were not at the same time are added up
 * @property {readonly Threshold[]} thresholds those of --assert
 * @property {string | undefined} assertFile
 * @property {string | undefined} baseline the file of a result
 */

/**
 * @typedef {object} CompareOptions
 * @property {string} before file or folder of a run
 * @property {string} after likewise
 * @property {number} margin share of a change that counts as none
 * @property {boolean} force whether runs that are not of one kind are compared
 * @property {string | undefined} json
 * @property {string | undefined} report the page
 * @property {readonly Threshold[]} thresholds those of --assert: of the run that may have changed
 * @property {string | undefined} assertFile
 */

/**
 * @typedef {object} AbOptions
 * @property {SideOptions} a
 * @property {SideOptions} b
 * @property {number} quads
 * @property {number} margin share of a change that counts as none
 * @property {number | undefined} maxCost dollars
 * @property {string | undefined} json the file of the result
 * @property {string | undefined} report the page
 * @property {boolean} quiet
 *
 * @typedef {object} SideOptions
 * @property {readonly string[]} words that stood in its option
 * @property {CommandLine} options those of a run: what both have in common, and its own
 */

/**
 * What the command line asks for.
 *
 * @typedef {{ command: 'merge', options: MergeOptions } | { command: 'report', options: MergeOptions } |
 *   { command: 'compare', options: CompareOptions } |
 *   { command: 'ab', options: AbOptions } |
 *   { command: 'run' | 'init' | 'calibrate' | 'cleanup' | 'list', options: CommandLine }} Request
 */

/** @typedef {{ stdout: { write: (text: string) => unknown }, stderr: { write: (text: string) => unknown } }} Outputs */

/**
 * Reads the command line of r2-benchmark.
 *
 * @param {readonly string[]} argv the arguments, without the names of Node and of the program
 * @param {Outputs} outputs
 * @param {Invocation} [invocation]
 * @returns {Request}
 * @throws {UsageError} with every problem at once
 * @throws {CommanderError} for help and version, and for what is no option at all
 */
export function readCommandLine(argv, outputs, invocation = FROM_CLONE) {
  const { benchmark } = invocation;
  refuseMisspelledCommand(argv[0] ?? '', benchmark);
  const reader = new OptionReader();
  const program = runCommand(outputs, invocation, reader);
  const merge = mergeCommand('merge', outputs, invocation, `${benchmark} merge`);
  const compare = compareCommand(outputs, `${benchmark} compare`);
  const cleanup = subcommand('cleanup', outputs, reader).argument('[run-id]');
  const calibrate = subcommand('calibrate', outputs, reader)
    .argument('[objects]')
    .argument('[threads]')
    .usage('[<objects> <threads>] [options]');
  const report = reportCommand(outputs, invocation);
  const ab = subcommand('ab', outputs, reader)
    .argument('[objects]')
    .argument('[threads]')
    .addHelpText('after', afterHelpOfAb(`${benchmark} ab`));
  [merge, report, compare, ab, cleanup, calibrate].forEach((command) => program.addCommand(command));

  /** @type {Request | null} */
  let request = null;
  program.hook('preSubcommand', (_, command) => refuseOptionsBefore(optionsOf(program), command.name(), benchmark));
  program.action(() => {
    request = requestOf(program.args, optionsOf(program), reader, benchmark);
  });
  merge.action(() => {
    request = { command: 'merge', options: mergeOptions(merge, `${benchmark} merge`) };
  });
  report.action(() => {
    request = { command: 'report', options: mergeOptions(report, `${benchmark} report`) };
  });
  compare.action((/** @type {string} */ before, /** @type {string} */ after) => {
    request = {
      command: 'compare',
      options: compareOptions({ before, after }, compare, reader, `${benchmark} compare`),
    };
  });
  cleanup.action((/** @type {string | undefined} */ runId) => {
    const asOption = { cleanup: runId === undefined ? true : reader.read(RUN_ID, runId) };
    request = requestOf([], { ...optionsOf(cleanup), ...asOption }, reader, `${benchmark} cleanup`, 'cleanup');
  });
  calibrate.action(() => {
    request = requestOf(calibrate.args, { ...optionsOf(calibrate), calibrate: true }, reader, `${benchmark} calibrate`);
  });
  ab.action(() => {
    request = { command: 'ab', options: abOptions(ab.args, optionsOf(ab), reader, `${benchmark} ab`) };
  });
  program.parse(argv, { from: 'user' });
  return /** @type {Request} */ (/** @type {unknown} */ (request));
}

/**
 * Reads the command line of peak-performance.js.
 *
 * @param {readonly string[]} argv
 * @param {Outputs} outputs
 * @param {Invocation} [invocation]
 * @returns {MergeOptions}
 * @throws {UsageError}
 * @throws {CommanderError} for help and version, and for what is no option at all
 */
export function readMergeCommandLine(argv, outputs, invocation = FROM_CLONE) {
  const { peak } = invocation;
  return mergeOptions(mergeCommand(peak, outputs, invocation, peak).parse(argv, { from: 'user' }), peak);
}

/**
 * Reads the values of options as commander comes upon them, and keeps what is wrong with them: a parser of commander's
 * that throws, `choices()` and `conflicts()` all end at the first problem, and the user would see one at a time. Commander
 * alone refuses what is no option or argument at all: nothing that follows it could be trusted.
 */
class OptionReader {
  /** By flag. @type {Map<string, string>} */
  #problems = new Map();

  /**
   * @param {OptionRow} row
   * @param {string} [help] in place of the row's
   * @returns {Option}
   */
  option(row, help = row.help) {
    const { flags, read, fallback } = row;
    const option = new Option(flags, help);
    if (fallback !== undefined) {
      option.default(defaultOf(row), fallback);
    }
    if (read === undefined) {
      return option;
    }
    return option.argParser((text, /** @type {any} */ before) =>
      row.repeats ? [...(before ?? []), this.read(row, text)] : this.read(row, text),
    );
  }

  /**
   * @template Value
   * @param {Pick<OptionRow, 'flags'> & { read?: (text: string) => Value }} row
   * @param {string} text
   * @returns {Value | string} the text where it cannot be read
   */
  read({ flags, read }, text) {
    const name = flags.split(' ')[0];
    // Of an option that is given twice, the last one counts.
    this.#problems.delete(name);
    try {
      return read === undefined ? text : read(text);
    } catch (error) {
      this.#problems.set(name, `${name}: ${/** @type {Error} */ (error).message}`);
      return text;
    }
  }

  /** @param {Pick<OptionRow, 'flags'>} row */
  hasProblem({ flags }) {
    return this.#problems.has(flags.split(' ')[0]);
  }

  get problems() {
    return [...this.#problems.values()];
  }

  /**
   * @param {OptionReader} later
   * @param {readonly Pick<OptionRow, 'flags'>[]} given what the later one has read
   * @returns {OptionReader} one that has read what this one has, and then what the later one has
   */
  followedBy(later, given) {
    const both = new OptionReader();
    both.#problems = new Map(this.#problems);
    given.forEach(({ flags }) => both.#problems.delete(flags.split(' ')[0]));
    later.#problems.forEach((problem, name) => both.#problems.set(name, problem));
    return both;
  }
}

/** @param {OptionRow} row */
function defaultOf({ flags, read, fallback }) {
  return fallback === undefined ? flags.startsWith('--no-') || undefined : read?.(fallback);
}

/**
 * @param {Command} command
 * @returns {Record<string, any>} what was given by name; options that begin with --no- are true where nobody gave them
 */
function optionsOf(command) {
  const options = Object.entries(command.opts());
  return Object.fromEntries(options.filter(([name]) => command.getOptionValueSource(name) === 'cli'));
}

/**
 * @param {readonly string[]} operands
 * @param {Record<string, any>} givenOptions by name
 * @param {OptionReader} reader that has read them
 * @param {string} command for a shell
 * @param {string} [cleanup] what the user wrote for a clean-up
 * @returns {Request}
 * @throws {UsageError} with every problem
 */
function requestOf(operands, givenOptions, reader, command, cleanup = '--cleanup') {
  /** @type {Record<string, any>} */
  const options = {};
  for (const [name, row] of Object.entries(OPTIONS)) {
    const value = reader.hasProblem(row) ? undefined : (givenOptions[name] ?? defaultOf(row));
    // An option whose value is optional, and absent, is true.
    options[name] = row.read === undefined ? Boolean(value) : value === true ? undefined : value;
  }
  if (typeof options.size === 'object') {
    options.sizes = options.size;
    options.size = largestSize(options.sizes);
  }
  if (options.access?.kind === 'sequential') {
    options.access = undefined;
  }
  const isInit = givenOptions.init !== undefined;
  if (givenOptions.init === true) {
    options.init = options.envFile;
  }
  const mayLackLoad = options.calibrate || isInit;
  const needsNoLoad = givenOptions.cleanup !== undefined || (mayLackLoad && operands.length === 0);
  if (!needsNoLoad) {
    const [objects, threads] = LOAD.map((row, place) => {
      const value = reader.read(row, operands[place] ?? '');
      return reader.hasProblem(row) ? undefined : value;
    });
    Object.assign(options, { objects, threads });
  }
  if (options.existing !== undefined && givenOptions.stages === undefined) {
    options.stages = [...DEFAULT_STAGES_ON_EXISTING];
  } else if (options.mix !== undefined && givenOptions.stages === undefined) {
    options.stages = [...STAGES_OF_MIX];
  }
  options.results = resultFiles(options);
  const problems = [
    ...reader.problems,
    ...optionConflicts(givenOptions, options, cleanup),
    ...sharedFiles({ log: options.log, ...options.results }),
  ];
  const [removal] = options.keep ? operationsOf(options.stages ?? []).filter(({ removes }) => removes) : [];
  if (removal !== undefined) {
    if (givenOptions.stages === undefined) {
      options.stages = options.stages.filter((/** @type {string} */ name) => name !== removal.name);
    } else {
      problems.push(`--keep: the stage ${removal.name} would remove the objects, expected --stages without it`);
    }
  }
  const asserted = readAssertions(options.assert, options.stages === undefined ? null : assertedRun(options));
  options.thresholds = asserted.thresholds;
  problems.push(...asserted.problems);
  if (problems.length > 0) {
    throw new UsageError(problems, helpHint(command));
  }
  return { command: commandOf(givenOptions, options), options: /** @type {CommandLine} */ (Object.freeze(options)) };
}

/**
 * @param {readonly string[]} operands
 * @param {Record<string, any>} given options by name
 * @param {OptionReader} reader that has read them
 * @param {string} command for a shell
 * @returns {AbOptions}
 * @throws {UsageError} with every problem, those of both sides included
 */
function abOptions(operands, { a, b, quads, margin, ...common }, reader, command) {
  const missing = Object.entries({ a, b }).flatMap(([name, words]) =>
    words === undefined ? [`--${name}: expected its options in quotes, or '' where it has none of its own`] : [],
  );
  const [ofA, ofB] = [a, b].map((words) =>
    sideOptions(Array.isArray(words) ? words : [], { operands, given: common, reader, command }),
  );
  const problems = new Set([...reader.problems, ...missing, ...linesOfSides(ofA.problems, ofB.problems)]);
  if (ofA.options === null || ofB.options === null || problems.size > 0) {
    throw new UsageError([...problems], helpHint(command));
  }
  const { maxCost, json, quiet } = ofA.options;
  const { report } = ofA.options.results;
  return {
    a: { words: a, options: ofA.options },
    b: { words: b, options: ofB.options },
    quads: quads ?? defaultOf(AB_OPTIONS.quads),
    margin: margin ?? defaultOf(AB_OPTIONS.margin),
    ...{ maxCost, json, report, quiet },
  };
}

/**
 * Reads the options of a side as if they followed those that both have in common.
 *
 * @param {readonly string[]} words
 * @param {{ operands: readonly string[], given: Record<string, any>, reader: OptionReader, command: string }} common
 * @returns {{ options: CommandLine | null, problems: readonly string[] }}
 */
function sideOptions(words, { operands: [objects, threads], given, reader, command }) {
  const own = new OptionReader();
  const side = new Command()
    .helpOption(false)
    .exitOverride()
    .configureOutput({ writeErr() {} });
  Object.values(SIDE_OPTIONS).forEach((row) => side.addOption(own.option(row)));
  try {
    side.parse(words, { from: 'user' });
    const { threads: ownThreads = threads, ...others } = optionsOf(side);
    const operands = [objects, own.hasProblem(SIDE_OPTIONS.threads) ? threads : String(ownThreads)];
    const both = reader.followedBy(
      own,
      Object.keys(others).map((name) => OPTIONS[name]),
    );
    const { options } = requestOf(operands, { ...given, ...others, takesTurns: true }, both, command);
    return { options: /** @type {CommandLine} */ (options), problems: [] };
  } catch (error) {
    if (error instanceof UsageError) {
      return { options: null, problems: error.problems };
    }
    if (error instanceof CommanderError) {
      return { options: null, problems: [error.message.replace(/^error: /, '').replaceAll('\n', ' ')] };
    }
    throw error;
  }
}

/**
 * @param {Record<string, any>} givenOptions
 * @param {Record<string, any>} options
 * @returns {Exclude<Request['command'], 'merge' | 'report' | 'compare' | 'ab'>}
 */
function commandOf({ init, cleanup }, { calibrate, list }) {
  if (init !== undefined) {
    return 'init';
  }
  if (calibrate) {
    return 'calibrate';
  }
  return list ? 'list' : cleanup === undefined ? 'run' : 'cleanup';
}

/**
 * @param {Command} command that has been parsed
 * @param {string} name for a shell
 * @returns {MergeOptions}
 * @throws {UsageError}
 */
function mergeOptions(command, name) {
  const options = command.opts();
  const { assert, assertFile, baseline, severalRuns = false } = options;
  const results = resultFiles(options);
  const files = { ...results, 'assert-file': assertFile, baseline };
  const problems = Object.entries(files).flatMap(([option, file]) =>
    file === '' ? [`--${option}: expected a file, got nothing`] : [],
  );
  const asserted = readAssertions(assert, null);
  problems.push(...sharedFiles(results), ...asserted.problems);
  if (problems.length > 0) {
    throw new UsageError(problems, helpHint(name));
  }
  return { files: command.args, results, severalRuns, thresholds: asserted.thresholds, assertFile, baseline };
}

/**
 * @param {readonly string[] | undefined} assertions as --assert has them
 * @param {AssertedRun | null} run null where nothing is known of it yet
 */
function readAssertions(assertions = [], run) {
  return readThresholds(
    assertions.map((text) => ({ text, place: '--assert' })),
    run,
  );
}

/**
 * @param {Record<string, any>} options of a run
 * @returns {AssertedRun} what can be asserted of it
 */
export function assertedRun(options) {
  const { stages, mix = [], findPeak, peakOf, rate } = options;
  const isOpenLoop = rate !== undefined || (findPeak && peakOf === 'rate');
  const mixed = mix.map((/** @type {MixedShare} */ { operation }) => operation);
  const ofMix = new Map(mixed.map((/** @type {string} */ operation) => [`${MIXED}.${operation}`, [operation]]));
  return {
    stages: [...stages, ...ofMix.keys()],
    mayHave(stage, condition) {
      if (condition === 'reads') {
        const operations = stage === MIXED ? mixed : (ofMix.get(stage) ?? [stage]);
        return operationsOf(operations).some(({ receives }) => receives);
      }
      if (condition === 'parts') {
        return isMultipart(options) && writesObjects([stage]);
      }
      return condition === 'search' ? findPeak : isOpenLoop;
    },
  };
}

/**
 * @param {Record<string, any>} options
 * @returns {Record<string, string>} the file of each result that is asked for, by its option
 */
function resultFiles(options) {
  const results = RESULT_REPORTERS.map(({ option: { name } }) => [name, options[name]]);
  return Object.fromEntries(results.filter(([, file]) => file !== undefined));
}

/**
 * @param {{ before: string, after: string }} sides
 * @param {Command} command that has been parsed
 * @param {OptionReader} reader
 * @param {string} name for a shell
 * @returns {CompareOptions}
 * @throws {UsageError}
 */
function compareOptions({ before, after }, command, reader, name) {
  const { margin, force = false, json, report, assert, assertFile } = command.opts();
  const files = {
    ...{ '<before>': before, '<after>': after },
    ...{ '--json': json, '--report': report, '--assert-file': assertFile },
  };
  const problems = Object.entries(files).flatMap(([what, file]) =>
    file === '' ? [`${what}: expected a file, got nothing`] : [],
  );
  const share = reader.read(MARGIN, margin);
  const asserted = readAssertions(assert, null);
  problems.push(...sharedFiles({ json, report }), ...reader.problems, ...asserted.problems);
  if (problems.length > 0) {
    throw new UsageError(problems, helpHint(name));
  }
  return { before, after, margin: Number(share), force, json, report, thresholds: asserted.thresholds, assertFile };
}

/**
 * @param {Readonly<Record<string, string | undefined>>} files by option
 * @returns {string[]} a problem for each two options that name the same file
 */
function sharedFiles(files) {
  const given = Object.entries(files).filter(([, file]) => file !== undefined && file !== '');
  return given.flatMap(([one, file], index) =>
    given.slice(index + 1).flatMap(([other, otherFile]) => {
      const options = `--${one}, --${other}`;
      if (file === STANDARD_OUTPUT && otherFile === STANDARD_OUTPUT) {
        return [`${options}: only one of them can go to standard output`];
      }
      return path.resolve(String(file)) === path.resolve(String(otherFile))
        ? [`${options}: expected two files, got ${quote(String(file))} for both`]
        : [];
    }),
  );
}

/** @param {string} command for a shell */
function helpHint(command) {
  return `${command} --help shows the usage`;
}

/**
 * @param {string} name
 * @param {Outputs} outputs
 */
function newCommand(name, { stdout, stderr }) {
  return new Command(name)
    .version(VERSION, '--version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ helpWidth: HELP_WIDTH })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: writeCommanderError,
    });
}

/**
 * @param {Outputs} outputs
 * @param {Invocation} invocation
 * @param {OptionReader} reader
 */
function runCommand(outputs, invocation, reader) {
  const command = newCommand(invocation.benchmark, outputs)
    .usage(`<objects> <threads> [options]${usageOfCommands(invocation.benchmark)}`)
    .description(
      'Measures how many operations a second a Cloudflare R2 bucket, or any S3-compatible store, can do:\n' +
        'writes <objects> over <threads> concurrent requests, reads and checks them, stats and removes them.',
    )
    .argument('[objects]')
    .argument('[threads]')
    .configureHelp({ helpWidth: HELP_WIDTH, visibleArguments: () => [], visibleCommands: () => [] })
    .addHelpText('after', examples(invocation))
    // What follows the name of a command belongs to the command.
    .enablePositionalOptions()
    .helpCommand(false);
  Object.values(OPTIONS).forEach((row) => command.addOption(reader.option(row)));
  return command;
}

/**
 * @param {'cleanup' | 'calibrate' | 'ab'} name
 * @param {Outputs} outputs
 * @param {OptionReader} reader
 */
function subcommand(name, outputs, reader) {
  const { description, options, operands } = COMMANDS[name];
  const command = newCommand(name, outputs)
    .usage(`${operands} [options]`.trimStart())
    .description(description)
    .configureHelp({ helpWidth: HELP_WIDTH, visibleArguments: () => [] });
  const rows = name === 'ab' ? { ...OPTIONS, ...AB_OPTIONS } : OPTIONS;
  for (const [option, help] of Object.entries(options)) {
    command.addOption(reader.option(rows[option], help || rows[option].help));
  }
  return command;
}

/** @param {string} ab the command for a shell */
function afterHelpOfAb(ab) {
  const { threads, ...others } = SIDE_OPTIONS;
  const names = Object.values(others).map(({ flags }) => flags.split(' ')[0]);
  return `
Within --a and --b:
  ${names.slice(0, 8).join(' ')}
  ${names.slice(8).join(' ')}
  ${threads.flags.padEnd('--max-cost <dollars>'.length)}  ${threads.help}

Example:
  ${ab} 2000 50 --local --a '--client direct' --b '--client sdk'

Exit status: 0 compared, 1 incomplete or a failed check, 2 usage or credentials.`;
}

/**
 * @param {string} name
 * @param {Outputs} outputs
 * @param {Invocation} invocation
 * @param {string} merge the command for a shell
 */
function mergeCommand(name, outputs, { benchmark }, merge) {
  const command = newCommand(name, outputs)
    .description(COMMANDS.merge.description)
    .argument(
      '<files...>',
      'what r2-benchmark wrote to --log, --json or stdout, one file for each host; - is standard input',
    );
  RESULT_REPORTERS.forEach(({ option }) => command.option(`--${option.name} <file>`, option.help));
  Object.values(GUARD_OPTIONS).forEach(({ flags, help, repeats }) =>
    repeats ? command.option(flags, help, collected) : command.option(flags, help),
  );
  return command
    .option('--several-runs', 'add up runs of one host that were not at the same time, instead of refusing them')
    .addHelpText(
      'after',
      `
Example:
  on every host:           ${benchmark} 10000 1000 --log log-$(hostname).txt
  anywhere, afterwards:    ${merge} log*.txt

A report named - goes to standard output, and nothing else does then.
Exit status: 0 all well, 1 incomplete, 2 usage, 3 --assert missed, 141 the output was closed.`,
    )
    .showHelpAfterError(`(${helpHint(merge)})`);
}

/**
 * @param {string} text of an option that may be repeated
 * @param {readonly string[]} [before] it
 * @returns {string[]}
 */
function collected(text, before = []) {
  return [...before, text];
}

/**
 * @param {Outputs} outputs
 * @param {string} name for a shell
 */
function compareCommand(outputs, name) {
  return newCommand('compare', outputs)
    .description(COMMANDS.compare.description)
    .argument('<before>', 'the run to compare with')
    .argument('<after>', 'the run that may have changed')
    .option(MARGIN.flags, MARGIN.help, MARGIN.fallback)
    .option('--force', 'compare runs with other sizes, threads or operations all the same')
    .option('--json <file>', 'write the whole comparison to a file; - is stdout')
    .option('--report <file>', 'write a page with charts, in one file; - is stdout')
    .option(GUARD_OPTIONS.assert.flags, "exit with 3 unless this holds: 'read.rate > 0.95 * baseline'", collected)
    .option(GUARD_OPTIONS.assertFile.flags, GUARD_OPTIONS.assertFile.help)
    .addHelpText(
      'after',
      `
Example:
  ${name} monday.json tuesday.json

Exit status: 0 compared, whatever came of it, 1 something is missing, 2 usage, or runs that cannot
be compared, 3 --assert missed.`,
    )
    .showHelpAfterError(`(${helpHint(name)})`);
}

/**
 * @param {Outputs} outputs
 * @param {Invocation} invocation
 */
function reportCommand(outputs, { benchmark }) {
  const name = `${benchmark} report`;
  return newCommand('report', outputs)
    .description(COMMANDS.report.description)
    .argument('<files...>', 'what r2-benchmark wrote to --json, --log or stdout; - is standard input')
    .option('-o, --report <file>', 'the page; - is stdout', 'report.html')
    .option('--several-runs', 'add up runs of one host that were not at the same time, instead of refusing them')
    .addHelpText('after', `\nExample:\n  ${name} log*.txt -o report.html`)
    .showHelpAfterError(`(${helpHint(name)})`);
}

/**
 * The commands for the usage of the program, a line each.
 *
 * @param {string} benchmark for a shell
 */
function usageOfCommands(benchmark) {
  const lines = Object.entries(COMMANDS).map(([name, { operands, summary }]) => {
    const usage = `${name} ${operands}`.trimEnd();
    return `\n       ${benchmark} ${usage.padEnd(USAGE_WIDTH)}  ${summary}`;
  });
  return lines.join('');
}

/**
 * The first argument is a number, an option or the name of a command. Commander looks for the nearest name only where a
 * program has nothing but commands.
 *
 * @param {string} word
 * @param {string} benchmark for a shell
 * @throws {UsageError} where the word is nearly the name of a command
 */
function refuseMisspelledCommand(word, benchmark) {
  if (!/^[a-z]/i.test(word) || Object.hasOwn(COMMANDS, word)) {
    return;
  }
  const names = new Command()
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeErr() {} });
  Object.keys(COMMANDS).forEach((name) => names.command(name));
  try {
    names.parse([word], { from: 'user' });
  } catch (error) {
    const suggestion = /\(Did you mean .*\)/.exec(/** @type {Error} */ (error).message)?.[0];
    if (suggestion !== undefined) {
      throw new UsageError([`unknown command ${quote(word)} ${suggestion}`], helpHint(benchmark));
    }
  }
}

/**
 * @param {Record<string, any>} options given before the name of a command
 * @param {string} name
 * @param {string} benchmark for a shell
 * @throws {UsageError} where there are any: they would have no effect
 */
function refuseOptionsBefore(options, name, benchmark) {
  const problems = Object.keys(options).map((option) => {
    const [flag] = OPTIONS[option].flags.split(' ');
    return `${flag}: options of ${name} follow its name, expected ${benchmark} ${name} … ${flag}`;
  });
  if (problems.length > 0) {
    throw new UsageError(problems, helpHint(`${benchmark} ${name}`));
  }
}

/** Options that set the load or the time, which a search sets itself. */
const AGAINST_SEARCH = Object.freeze({
  duration: '--duration',
  startAt: '--start-at',
  shard: '--shard',
  rate: '--rate',
  warmup: '--warmup',
  untilStable: '--until-stable',
});

/** Likewise, which the steps of a ramp set. */
const AGAINST_RAMP = Object.freeze({
  findPeak: '--find-peak',
  duration: '--duration',
  rate: '--rate',
  warmup: '--warmup',
  untilStable: '--until-stable',
  maxCost: '--max-cost',
});

/**
 * Options that exclude or need each other.
 *
 * @typedef {object} Conflict
 * @property {(given: Record<string, any>, options: Record<string, any>) => unknown} isThere what was given by name, with
 *   `takesTurns` for a side of ab, and all values that were read
 * @property {string | ((options: Record<string, any>) => string)} problem
 */

/** Those that go with objects that were there before. */
const READING_STAGES = OPERATIONS.flatMap(({ name, attemptExisting }) => (attemptExisting === undefined ? [] : [name]));

const followsAccess = (/** @type {Operation} */ operation) => operation.followsAccess;

const FOLLOWING_ACCESS = OPERATIONS.filter(followsAccess).map(({ name }) => name);

const REMOVALS = OPERATIONS.flatMap(({ name, removes }) => (removes ? [name] : []));

/**
 * How what an operation refuses stands on the command line.
 *
 * @type {Readonly<Record<Refusal, Pick<Conflict, 'isThere'> & { flag: string, what: string }>>}
 */
const REFUSALS = {
  keptObjects: {
    flag: '--stages',
    what: 'objects of an earlier run',
    isThere: (_given, { stages, existing }) => existing === undefined && !writesObjects(stages),
  },
  shards: {
    flag: '--shard',
    what: 'the shards of several hosts',
    isThere: (_given, { shard }) => shard !== undefined && shard.count !== 1,
  },
  findPeak: { flag: '--find-peak', what: 'a search', isThere: (_given, { findPeak }) => findPeak },
  peakOfBuckets: {
    flag: '--peak-of buckets',
    what: 'a search over buckets',
    isThere: (_given, { findPeak, peakOf }) => findPeak && peakOf === 'buckets',
  },
  ramp: { flag: '--ramp, --ramp-hosts', what: 'a ramp', isThere: (_given, options) => isRamp(options) },
  multipart: {
    flag: '--multipart',
    what: 'objects in parts',
    isThere: (_given, options) => isMultipart(options),
  },
  mix: { flag: '--mix', what: 'a mix', isThere: (_given, { mix }) => mix !== undefined },
  turnsThatLeave: {
    flag: '--stages',
    what: `turns that leave objects, as those without ${REMOVALS.join(' or ')} do, and those with copy`,
    isThere: ({ takesTurns }, { stages }) => takesTurns && leavesObjects(stages),
  },
};

/** What does not go with objects that were there before, by the option. */
const AGAINST_EXISTING = Object.freeze({
  size: '--size: existing objects have the sizes that they have',
  keep: '--keep: nothing is written that could be kept',
  prefix: '--prefix: no keys are written that could begin with it',
  allowVersioned: '--allow-versioned: nothing is removed, whatever versions a bucket keeps',
  cleanup: '--cleanup: nothing is written that could be removed',
  calibrate: '--calibrate: it measures the client alone, without objects',
  local: '--local: its endpoint begins with an empty store',
});

/** A shorter stage is over before its rate can be known: see Stability. */
const MIN_UNTIL_STABLE_MS = 40_000;

/** What a stage that ends before its time does not go with, by the option. */
const AGAINST_UNTIL_STABLE = Object.freeze({
  rate: '--rate: an open loop has the rate that was asked for, whatever the store does',
  startAt:
    '--start-at: hosts that start together have to end their stages together, and each would end its own by itself',
  shard: '--shard: hosts that share a run have to end their stages together, and each would end its own by itself',
});

/** What the Worker's slices do not go with, by the option; --through has no slices. */
const AGAINST_SLICES = Object.freeze({
  rate: '--rate: a slice starts its operations one after the other, whatever the time',
  findPeak: '--find-peak: the steps of a search are too short for slices',
  ramp: '--ramp: the steps of a ramp are too short for slices',
  rampHosts: '--ramp-hosts: the steps of a ramp are too short for slices',
});

/** What nothing that goes to the Worker goes with. */
const AGAINST_EDGE = Object.freeze({
  local: '--local: its endpoint is no Worker; npm run edge:local starts one on this host',
  existing: '--existing: the Worker knows only what a run has written',
  multipart: '--multipart: the Worker writes each object by one request',
  endpointUrl: '--endpoint-url: the address of the Worker is EDGE_URL',
  addressing: '--addressing: the Worker is asked for a bucket in the path',
  calibrate: '--calibrate: it measures what a client does on this host alone',
});

/** @type {readonly Conflict[]} */
const CONFLICTS = [
  {
    isThere: (_given, { client, through }) => through && client !== 'edge',
    problem: '--through: it sends each operation through the Worker, expected --client edge as well',
  },
  ...Object.entries(AGAINST_EDGE).map(([name, reason]) => ({
    isThere: (/** @type {Record<string, any>} */ given, /** @type {Record<string, any>} */ { client }) =>
      client === 'edge' && given[name] !== undefined,
    problem: `${reason}: expected another --client`,
  })),
  {
    isThere: ({ checksum = 'none' }, { client }) => client === 'edge' && checksum !== 'none',
    problem: '--checksum: a binding is given no checksum, expected another --client',
  },
  ...OPERATIONS.filter(({ copies }) => copies).map(({ name }) => ({
    isThere: (/** @type {Record<string, any>} */ _given, /** @type {Record<string, any>} */ options) =>
      options.client === 'edge' && operationsIn(options).some((operation) => operation.name === name),
    problem: `--stages: a binding has no ${name}, expected another --client`,
  })),
  ...Object.entries(AGAINST_SLICES).map(([name, reason]) => ({
    isThere: (/** @type {Record<string, any>} */ given, /** @type {Record<string, any>} */ options) =>
      runsSlices(options) && given[name] !== undefined,
    problem: `${reason}: expected --through as well, or another --client`,
  })),
  {
    isThere: ({ cores }, options) => runsSlices(options) && typeof cores === 'number' && cores > 1,
    problem: '--cores: slices cost this host next to nothing, expected one, or --through as well',
  },
  {
    isThere: (_given, { client, size }) => client === 'edge' && size > MAX_OBJECT_BYTES,
    problem: `--size: the Worker has memory for objects of at most ${formatSize(MAX_OBJECT_BYTES)}, expected that or less, or another --client`,
  },
  ...OPERATIONS.filter(({ name }) => !READING_STAGES.includes(name)).map(({ name }) => ({
    isThere: (/** @type {Record<string, any>} */ { existing }, /** @type {Record<string, any>} */ { stages = [] }) =>
      existing !== undefined && stages.includes(name),
    problem: `--stages: ${name} would change what is in the buckets, expected some of ${READING_STAGES.join(',')} with --existing`,
  })),
  {
    isThere: ({ existing }, { findPeak, peakOf }) => existing !== undefined && findPeak && peakOf === 'buckets',
    problem: '--peak-of buckets: it spreads objects evenly over the buckets, expected no --existing',
  },
  ...Object.entries(AGAINST_EXISTING).map(([name, reason]) => ({
    isThere: (/** @type {Record<string, any>} */ given) => given.existing !== undefined && given[name] !== undefined,
    problem: `${reason}: expected no --existing`,
  })),
  {
    isThere: ({ untilStable, duration }, { findPeak, ...options }) =>
      untilStable !== undefined && duration === undefined && !findPeak && !isRamp(options),
    problem:
      '--until-stable: it ends a stage before its time, expected --duration, the longest that it may last, as well',
  },
  {
    isThere: ({ untilStable }, { duration, warmup }) =>
      untilStable !== undefined && duration !== undefined && duration - warmup < MIN_UNTIL_STABLE_MS,
    problem:
      '--until-stable: it takes its time to know a rate, expected --duration to be at least 40s without --warmup',
  },
  ...Object.entries(AGAINST_UNTIL_STABLE).map(([name, reason]) => ({
    isThere: (/** @type {Record<string, any>} */ given) => given.untilStable !== undefined && given[name] !== undefined,
    problem: `${reason}: expected no --until-stable`,
  })),
  ...OPERATIONS.flatMap(({ name, amount }) =>
    amount === null
      ? []
      : [
          {
            isThere: (/** @type {Record<string, any>} */ given, /** @type {Record<string, any>} */ options) =>
              given[amount] !== undefined && !operationsIn(options).some((operation) => operation.name === name),
            problem: `${OPTIONS[amount].flags.split(' ')[0]}: it is for the stage ${name}, expected ${name} among --stages as well`,
          },
        ],
  ),
  ...OPERATIONS.flatMap(({ name, refuses = {} }) =>
    Object.entries(refuses).map(([refusal, reason]) => {
      const { flag, what, isThere } = REFUSALS[/** @type {Refusal} */ (refusal)];
      return {
        isThere: (/** @type {Record<string, any>} */ given, /** @type {Record<string, any>} */ options) =>
          operationsIn(options).some((operation) => operation.name === name) &&
          !options.calibrate &&
          isThere(given, options),
        problem: `${flag}: ${name} does not go with ${what}, because ${reason}`,
      };
    }),
  ),
  {
    isThere: ({ stages }, { mix }) => mix !== undefined && stages !== undefined,
    problem: '--mix: it runs Write, Mixed and Remove, expected no --stages',
  },
  {
    isThere: ({ existing }, { mix }) => mix !== undefined && existing !== undefined,
    problem: '--mix: it writes objects of its own, expected no --existing',
  },
  {
    isThere: (_given, options) => options.mix !== undefined && isMultipart(options),
    problem: '--mix: it writes each object by one request, expected no --multipart, and objects of 4.9 GiB at most',
  },
  {
    isThere: ({ checksum }, { mix }) => mix !== undefined && checksum !== undefined && checksum !== 'none',
    problem: '--mix: its writes are verified by their versions alone, expected no --checksum',
  },
  {
    isThere: (_given, { mix, calibrate }) => mix !== undefined && calibrate,
    problem: `--calibrate: it measures ${DEFAULT_STAGES.join(', ')}, expected no --mix`,
  },
  {
    isThere: (_given, { mix, findPeak }) => mix !== undefined && findPeak,
    problem: '--mix: a search goes through its stages one operation at a time, expected no --find-peak',
  },
  {
    isThere: (_given, options) => options.mix !== undefined && isRamp(options),
    problem: '--mix: a ramp goes through its stages one operation at a time, expected no --ramp or --ramp-hosts',
  },
  {
    isThere: (_given, options) =>
      shareOf(options, ({ removes }) => removes) > shareOf(options, ({ creates }) => creates),
    problem: '--mix: what is removed has to be written again, expected a share of write as large as that of remove',
  },
  {
    isThere: (_given, options) => options.objects < objectsForRemoves(options),
    problem: ({ objects, ...options }) =>
      `--mix: so many may be removed before they are written again, expected ${objectsForRemoves(options)} <objects> or more for this mix, got ${objects}`,
  },
  {
    isThere: ({ keep }, options) => keep && shareOf(options, ({ removes }) => removes) > 0,
    problem: '--keep: a later run could not know which objects the mix has removed, expected a mix without remove',
  },
  {
    isThere: (_given, { mix, objects }) => mix !== undefined && objects > MAX_MIXED_OBJECTS,
    problem: `--mix: the versions of so many objects would take too much memory, expected at most ${MAX_MIXED_OBJECTS} <objects>`,
  },
  {
    isThere: (_given, options) => options.objects < objectsForRate(options),
    problem: ({ objects, ...options }) =>
      `--rate: no key is written more often than once a second, expected ${objectsForRate(options)} <objects> or more for this mix, or a lower rate, got ${objects}`,
  },
  {
    isThere: (_given, { stages = [] }) => operationsOf(stages).filter(({ removes }) => removes).length > 1,
    problem: `--stages: ${REMOVALS.join(' and ')} would each remove all objects, expected one of them`,
  },
  {
    isThere: ({ cleanup }, options) =>
      cleanup === undefined &&
      options.existing === undefined &&
      !options.calibrate &&
      takesParts(options) &&
      options.sizes === undefined &&
      options.rangeSize > options.size,
    problem: '--range-size: a range would be larger than the objects, expected at most --size',
  },
  {
    isThere: ({ cleanup }, options) =>
      cleanup === undefined &&
      !options.calibrate &&
      takesParts(options) &&
      options.sizes &&
      options.rangeSize > smallestSize(options.sizes),
    problem: '--range-size: a range would be larger than the smallest objects, expected at most the smallest of --size',
  },
  {
    isThere: ({ access }, options) =>
      access !== undefined &&
      options.stages !== undefined &&
      !options.calibrate &&
      !operationsIn(options).some(followsAccess),
    problem: `--access: it is the order of the stages ${FOLLOWING_ACCESS.join(', ')}, expected one of them among --stages`,
  },
  {
    isThere: ({ multipart }, { stages }) => multipart && stages !== undefined && !writesObjects(stages),
    problem: '--multipart: it is how write sends objects, expected write among --stages as well',
  },
  ...Object.entries({ partSize: '--part-size', partThreads: '--part-threads' }).map(([name, flag]) => ({
    isThere: (/** @type {Record<string, any>} */ given, /** @type {Record<string, any>} */ options) =>
      given[name] !== undefined && !isMultipart(options),
    problem: `${flag}: it is for objects that are written in parts, expected --multipart or a --size above 4.9GiB as well`,
  })),
  {
    isThere: ({ partSize: given }, { partSize, size }) => given !== undefined && partsOf(size, partSize) > MAX_PARTS,
    problem: `--part-size: an object would have more than ${MAX_PARTS} parts, expected a larger one, or none: it then is as large as it has to be`,
  },
  {
    isThere: ({ checksum = 'none' }, { stages }) =>
      checksum !== 'none' && stages !== undefined && !writesObjects(stages),
    problem: '--checksum: it is sent with what is written, expected write among --stages as well',
  },
  {
    isThere: ({ checksum = 'none' }, { calibrate }) => calibrate && checksum !== 'none',
    problem: '--calibrate: it measures requests without checksums, expected no --checksum',
  },
  {
    isThere: ({ multipart }, { calibrate, size }) => calibrate && (multipart || size > MAX_PUT_BYTES),
    problem:
      '--calibrate: it measures requests that each send an object, expected no --multipart and a --size up to 4.9GiB',
  },
  {
    isThere: (_given, { stages = [], calibrate }) =>
      calibrate && operationsOf(stages).some(({ isDefaultStage }) => !isDefaultStage),
    problem: `--calibrate: it measures ${DEFAULT_STAGES.join(', ')}, expected no other --stages`,
  },
  {
    isThere: ({ access }, { calibrate }) => calibrate && access !== undefined,
    problem: '--calibrate: it measures the client alone, whose objects have no order, expected no --access',
  },
  {
    isThere: ({ untilStable }, { calibrate }) => calibrate && untilStable !== undefined,
    problem: '--calibrate: its stages last as long as they have to, expected no --until-stable',
  },
  {
    isThere: ({ init, ...others }, { objects }) =>
      init !== undefined && (objects !== undefined || Object.keys(others).some((name) => name !== 'envFile')),
    problem: '--init: it only writes a file of variables, expected no other option or argument',
  },
  {
    isThere: ({ init, envFile }) => typeof init === 'string' && envFile !== undefined,
    problem: '--env-file: --init names the file already, expected one of the two',
  },
  {
    isThere: (given, { list }) => given.cleanup === true && !list,
    problem: '--cleanup: expected a run id, or --cleanup --list to see which runs there are',
  },
  {
    isThere: (given, { list }) => list && given.cleanup !== true,
    problem: '--list: expected --cleanup --list, without a run id',
  },
  {
    isThere: ({ shard }, { list }) => list && shard !== undefined,
    problem: '--shard: --cleanup --list shows the objects of all shards, expected --cleanup <run-id>',
  },
  {
    isThere: ({ cleanup }, { calibrate }) => calibrate && cleanup !== undefined,
    problem: '--calibrate: it measures the client alone, expected no --cleanup',
  },
  {
    isThere: ({ arrival, rate, peakOf }) => arrival !== undefined && rate === undefined && peakOf !== 'rate',
    problem: '--arrival: it sets when the operations of --rate start, expected --rate or --peak-of rate as well',
  },
  {
    isThere: ({ peakOf }, { findPeak }) => peakOf !== undefined && !findPeak,
    problem: '--peak-of: it says what --find-peak varies, expected --find-peak as well',
  },
  {
    isThere: ({ target }, { peakOf }) => target !== undefined && peakOf !== 'buckets',
    problem: '--target: it asks how many buckets a rate takes, expected --find-peak --peak-of buckets as well',
  },
  {
    isThere: ({ slo }, { peakOf }) => slo !== undefined && peakOf !== 'rate',
    problem: '--slo: it limits the latency of the highest rate, expected --find-peak --peak-of rate as well',
  },
  {
    isThere: ({ keep }, { peakOf }) => keep && peakOf === 'buckets',
    problem: '--keep: a later run could not find what --peak-of buckets leaves, expected one of the two',
  },
  {
    isThere: ({ gap, duration }, options) => gap !== undefined && duration === undefined && !isRamp(options),
    problem:
      '--gap: it is the pause between stages of a fixed length, expected --duration, --ramp or --ramp-hosts as well',
  },
  {
    isThere: ({ stepTime }, options) => stepTime !== undefined && !isRamp(options),
    problem: '--step-time: it is the length of a step of a ramp, expected --ramp or --ramp-hosts as well',
  },
  {
    isThere: ({ ramp, rampHosts }) => ramp !== undefined && rampHosts,
    problem: '--ramp-hosts: each step has either more threads or more hosts, expected no --ramp',
  },
  {
    isThere: (_given, { ramp, threads }) => ramp !== undefined && threads !== undefined && ramp.at(-1) > threads,
    problem: '--ramp: its last step has more threads than <threads>, expected as many or fewer',
  },
  {
    isThere: ({ shard }, { rampHosts }) => rampHosts && shard === undefined,
    problem: '--ramp-hosts: hosts join in the order of their shards, expected --shard and --run-id as well',
  },
  {
    isThere: ({ shard, startAt }, options) => isRamp(options) && shard !== undefined && startAt === undefined,
    problem: '--shard: the steps of a ramp are at the same time on all hosts, expected --start-at as well',
  },
  {
    isThere: (_given, { warmup, duration }) => duration !== undefined && warmup >= duration,
    problem: '--warmup: it would take all of --duration, expected a shorter time',
  },
  {
    isThere: (_given, { log, logAppend }) => logAppend && log === undefined,
    problem: '--log-append: it adds to the file of --log, expected --log as well',
  },
  {
    isThere: ({ assert, assertFile, baseline }, { cleanup, calibrate, list }) =>
      (assert ?? assertFile ?? baseline) !== undefined && (cleanup !== undefined || calibrate || list),
    problem: '--assert: it is about the result of a run, expected a run',
  },
  {
    isThere: ({ assert, assertFile, baseline }) => baseline !== undefined && (assert ?? assertFile) === undefined,
    problem: '--baseline: nothing is compared with it, expected --assert with a limit such as 0.95 * baseline',
  },
  {
    isThere: ({ otlp, otlpUrl, metricsPort }, { cleanup, calibrate, list }) =>
      (otlp ?? otlpUrl ?? metricsPort) !== undefined && (cleanup !== undefined || calibrate || list),
    problem: '--otlp, --metrics-port: they show a run while it goes on, expected a run',
  },
  {
    isThere: ({ metricsHold, metricsPort }) => metricsHold !== undefined && metricsPort === undefined,
    problem: '--metrics-hold: it waits for a scrape, expected --metrics-port as well',
  },
  {
    isThere: (_given, { faults, local }) => faults !== undefined && !local,
    problem: '--faults: only the endpoint of --local can inject faults',
  },
  ...Object.entries({ endpointUrl: '--endpoint-url', addressing: '--addressing', proxy: '--proxy' }).map(
    ([name, flag]) => ({
      isThere: (/** @type {Record<string, any>} */ given, /** @type {Record<string, any>} */ { local }) =>
        local && given[name] !== undefined,
      problem: `${flag}: the endpoint of --local has an address of its own, expected one of the two`,
    }),
  ),
  {
    isThere: (given, options) => lacksObjects(given, options) && options.local,
    problem: '--stages: a --local run begins with an empty store, expected write among them',
  },
  {
    isThere: (given, options) => lacksObjects(given, options) && !options.local && given.runId === undefined,
    problem:
      '--stages: without write, expected --run-id of a run made with --keep; --cleanup --list shows which runs there are',
  },
];

/**
 * @param {readonly string[]} stages
 * @returns {boolean} whether some of what they write is there after them: no stage removes copies
 */
function leavesObjects(stages) {
  const operations = operationsOf(stages);
  return operations.some(({ copies }) => copies) || !operations.some(({ removes }) => removes);
}

/**
 * @param {Record<string, any>} options all of them, read
 * @returns {boolean} whether objects are written in parts
 */
function isMultipart({ multipart, size, stages = [] }) {
  return writesObjects(stages) && (multipart || size > MAX_PUT_BYTES);
}

/**
 * @param {Record<string, any>} options
 * @returns {Operation[]} of all stages, mixed ones included
 */
function operationsIn({ stages = [], mix }) {
  return operationsOfRun({ stages, mix });
}

/**
 * @param {Record<string, any>} options
 * @returns {boolean} whether some operations read a part of each object
 */
function takesParts(options) {
  return operationsIn(options).some(({ part }) => part !== undefined);
}

/**
 * @param {Record<string, any>} options
 * @param {(operation: Operation) => boolean} isMeant
 * @returns {number} of a hundred operations of the mix
 */
function shareOf({ mix = [] }, isMeant) {
  const names = operationsOfRun({ stages: [], mix })
    .filter(isMeant)
    .map(({ name }) => name);
  return mix
    .filter((/** @type {MixedShare} */ { operation }) => names.includes(operation))
    .reduce((/** @type {number} */ sum, /** @type {MixedShare} */ { share }) => sum + share, 0);
}

/** That many keys find one that may be written in a few tries: no more than half of them wait for their second. */
const KEYS_FOR_A_WRITE = 2;

/**
 * @param {Record<string, any>} options
 * @returns {number} objects that it takes, so that no key of an open loop is written twice within a second
 */
function objectsForRate({ rate, ...options }) {
  const changes = shareOf(options, ({ creates, removes }) => creates || removes);
  const copies = shareOf(options, (operation) => operation.copies);
  return rate === undefined ? 0 : Math.ceil((KEYS_FOR_A_WRITE * rate * Math.max(changes, copies)) / 100);
}

/**
 * Of two decks, one may end with its removes and the next one begin with them, and each thread may have one more under way.
 *
 * @param {Record<string, any>} options
 * @returns {number} objects that it takes, so that some are there at any time
 */
function objectsForRemoves({ threads, ...options }) {
  const removes = shareOf(options, (operation) => operation.removes);
  return removes === 0 ? 0 : 2 * removes + threads + 1;
}

/**
 * @param {Record<string, any>} given
 * @param {Record<string, any>} options
 * @returns {boolean} whether a run would have to find objects that it does not write
 */
function lacksObjects({ cleanup }, { stages, calibrate, existing }) {
  return (
    existing === undefined && cleanup === undefined && !calibrate && stages !== undefined && !writesObjects(stages)
  );
}

/**
 * @param {Record<string, any>} given options, as they stand on the command line
 * @param {Record<string, any>} options all of them, read
 * @param {string} cleanup what the user wrote for a clean-up
 * @returns {string[]} problems
 */
function optionConflicts(given, options, cleanup) {
  const problems = CONFLICTS.filter(({ isThere }) => isThere(given, options)).map(({ problem }) =>
    (typeof problem === 'string' ? problem : problem(options)).replaceAll('--cleanup', cleanup),
  );
  return [
    ...problems,
    ...(options.findPeak ? againstSearch(given, options) : []),
    ...(isRamp(options) ? againstRamp(given, options) : []),
  ];
}

/** @param {Record<string, any>} options */
function isRamp({ ramp, rampHosts }) {
  return ramp !== undefined || rampHosts;
}

/**
 * @param {Record<string, any>} given
 * @param {Record<string, any>} options
 */
function againstRamp(given, { ramp, warmup }) {
  const flag = ramp === undefined ? '--ramp-hosts' : '--ramp';
  return Object.entries(AGAINST_RAMP)
    .filter(([name]) => given[name] !== undefined && !(name === 'warmup' && warmup === 0))
    .map(([, other]) => `${other}: ${flag} sets load and time itself, step by step, expected one of the two`);
}

/**
 * @param {Record<string, any>} given
 * @param {Record<string, any>} options
 */
function againstSearch(given, { warmup }) {
  return Object.entries(AGAINST_SEARCH)
    .filter(([name]) => given[name] !== undefined && !(name === 'warmup' && warmup === 0))
    .map(([, flag]) => `${flag}: --find-peak sets load and time itself, on one host, expected one of the two`);
}
