import { DEFAULT_PART_BYTES, DEFAULT_PART_THREADS, MAX_PARTS, partsOf } from '../load/operations/multipart.js';
import { DEFAULT_AMOUNTS, DEFAULT_STAGES, operationsOfRun, writesObjects } from '../load/operations/registry.js';
import { parseStartTime } from '../measure/clock/start-time.js';
import { CLIENTS, CLIENT_NAMES } from '../store/object-store.js';
import { shellWords } from '../text/shell-words.js';
import { formatSize, formatTime } from '../text/units.js';
import { formatAccess, parseAccess } from '../load/workload/access.js';
import { isRunId } from '../load/workload/keyspace.js';
import * as conditions from './conditions.js';
import * as values from './values.js';
import { oneOf, someText } from './values.js';

/** @import { Context, Problem, Values } from './conditions.js' */

/**
 * An option. Parsing, defaults, help, conflicts, the recorded options of a result, the reproduced command and the
 * reference page are all derived from its row.
 *
 * @typedef {object} OptionRow
 * @property {string} flag with the name of its value, as the help shows it
 * @property {string} help one line
 * @property {string} [detail] Markdown that the reference page adds to the help
 * @property {GroupName} group
 * @property {true} [main] whether the short help shows it
 * @property {(text: string) => any} [read] for an option with a value; throws a RangeError with what was expected
 * @property {(recorded: any) => string} [write] the inverse of `read`, for a recorded value; String by default
 * @property {(value: any) => unknown} [record] how a result records a value that is not plain; undefined to omit it
 * @property {string} [default] as the user would write it
 * @property {true} [repeats] whether it can be given several times
 * @property {Requirement | readonly Requirement[]} [needs] what it requires: any one, if there are several
 * @property {Readonly<Record<string, unknown>>} [excludes] options it cannot be combined with (true: any value)
 * @property {Check | readonly Check[]} [check] further problems
 * @property {Role} [role] in results; an option without a role is not recorded
 * @property {readonly CommandName[]} [of] the commands that accept it besides a run
 * @property {readonly CommandName[]} [only] the commands that accept it, if a run does not
 * @property {Readonly<Partial<Record<CommandName, string>>>} [helpOf] help that differs for a command
 *
 * @typedef {Readonly<Record<string, unknown>> | { met: (values: Values) => unknown, says: string }} Requirement values
 *   of other options (true: any), or a condition and the words for it
 * @typedef {'load' | 'repeat' | 'record'} Role all are recorded. `load`: figures with different values are not
 *   comparable, and the command that repeats a run contains it; `repeat`: that command contains it; `record`: neither
 * @typedef {'run' | 'quick' | 'replay' | 'merge' | 'report' | 'compare' | 'ab' | 'side' | 'sweep' | 'cleanup' |
 *   'init' | 'completion'} CommandName `side`: within --a and --b
 * @typedef {(values: Values, context: Context) => Problem | readonly Problem[]} Check
 * @typedef {Readonly<Record<string, Omit<OptionRow, 'group'>>>} Rows
 * @typedef {keyof typeof GROUPS} GroupName
 */

/** The groups of options, in the order of the help. */
export const GROUPS = Object.freeze({
  workload: 'Objects and operations',
  load: 'Load',
  capacity: 'Capacity',
  client: 'Client',
  store: 'Store',
  hosts: 'Several hosts',
  output: 'Output',
  checks: 'Checks',
  metrics: 'Live metrics',
  comparison: 'Comparison',
});

/** @type {readonly CommandName[]} */
const STORE_COMMANDS = ['ab', 'side', 'cleanup'];

/** A sweep accepts the options of a run in these groups, which set its load and its store. */
const GROUPS_OF_SWEEP = Object.freeze(['workload', 'load', 'capacity', 'client', 'store']);

/**
 * Except these: each run of a sweep removes its objects, the steps of a ramp are runs of a sweep, and each run would
 * overwrite the access log.
 */
const NOT_IN_SWEEPS = Object.freeze(['keep', 'ramp', 'stepTime', 'accessLog']);

/**
 * @param {string} stage
 * @returns {Requirement}
 */
function stageOfRun(stage) {
  return {
    met: (options) => conditions.operationsIn(options).some(({ name }) => name === stage),
    says: `${stage} in --stages`,
  };
}

/** @type {Requirement} */
const inParts = { met: conditions.isMultipart, says: '--multipart, or a --size above 4.9GiB' };

/** The largest request body that Cloudflare accepts on its Free and Pro plans. */
const MAX_WORKER_BODY_BYTES = 100e6;

/** Excluded by options that set the load or its duration: searches and ramps set both themselves. */
const SET_BY_STEPS = Object.freeze({ findPeak: true, ramp: true });

/** @satisfies {Rows} */
const WORKLOAD = {
  existing: {
    flag: '--existing <prefix>',
    help: "read existing objects under this prefix ('*': all); write nothing",
    detail: 'up to `<objects>` of them; see [existing data](../measure/loads.md#existing-data)',
    read: values.existingPrefix,
    record: values.formatExisting,
    excludes: {
      client: 'edge',
      keep: true,
      prefix: true,
      allowVersioned: true,
    },
    role: 'load',
  },
  size: {
    flag: '--size <size>',
    help: 'object size, e.g. 64kB, or several sizes, e.g. 4KiB..1MiB',
    detail: 'up to 5TiB; see [sizes](../measure/loads.md#objects-of-several-sizes)',
    main: true,
    read: values.objectSizes,
    write: formatSize,
    default: '16KiB',
    excludes: { existing: true },
    check: ({ client, size }) =>
      client === 'edge' &&
      size > MAX_WORKER_BODY_BYTES &&
      '--client edge requires a --size of at most 100MB: Cloudflare accepts no larger request on its Free and Pro plans',
    role: 'load',
    of: ['ab', 'side', 'quick'],
  },
  access: {
    flag: '--access <pattern>',
    help: 'order of reads: sequential, uniform, or e.g. zipf:0.99',
    detail: 'see [the order of reads](../measure/loads.md#the-order-of-reads)',
    read: parseAccess,
    record: formatAccess,
    default: 'sequential',
    check: ({ stages, mix }, { given }) =>
      given.access !== undefined &&
      stages !== undefined &&
      !operationsOfRun({ stages, mix }).some(conditions.followsAccess) &&
      `--access requires one of ${conditions.FOLLOWING_ACCESS.join(', ')} in --stages`,
    role: 'load',
    of: ['ab', 'side'],
  },
  stages: {
    flag: '--stages <names>',
    help: 'stages to run, comma-separated',
    detail:
      'any of `write,read,range,stat,list,copy,create,swap,batch-remove,remove`; see [the stages](../use/first-run.md#other-stages); without `write`, a run reads the objects of an earlier run with `--keep`, and requires its `--run-id`',
    main: true,
    read: values.stageNames,
    default: DEFAULT_STAGES.join(','),
    excludes: { mix: true },
    check: conditions.stageProblems,
    role: 'repeat',
    of: ['ab'],
  },
  mix: {
    flag: '--mix <shares>',
    help: 'one stage of mixed operations, e.g. read=70,write=20,stat=5,remove=5',
    detail: 'between Write and Remove, or on `--existing` objects; see [mixed loads](../measure/loads.md#mixed-loads)',
    main: true,
    read: values.mix,
    record: values.formatMix,
    excludes: SET_BY_STEPS,
    check: conditions.mixProblems,
    role: 'load',
  },
  rangeSize: {
    flag: '--range-size <size>',
    help: 'bytes that Range reads from each object',
    read: values.rangeSize,
    write: formatSize,
    default: formatSize(DEFAULT_AMOUNTS.rangeSize),
    needs: stageOfRun('range'),
    check: conditions.rangeProblem,
    role: 'load',
  },
  pageSize: {
    flag: '--page-size <keys>',
    help: 'keys per list page',
    detail: '1 to 1000',
    read: values.keyCount,
    default: String(DEFAULT_AMOUNTS.pageSize),
    needs: stageOfRun('list'),
    role: 'load',
  },
  listWalk: {
    flag: '--list-walk',
    help: 'list all pages one after the other, each with the token of the one before',
    needs: stageOfRun('list'),
    excludes: SET_BY_STEPS,
    role: 'load',
  },
  delimiter: {
    flag: '--delimiter <character>',
    help: 'list with this delimiter: /',
    read: oneOf('/'),
    needs: stageOfRun('list'),
    excludes: { existing: true },
    role: 'load',
  },
  batch: {
    flag: '--batch <objects>',
    help: 'objects per batch-remove request',
    detail: '1 to 1000',
    read: values.keyCount,
    default: String(DEFAULT_AMOUNTS.batch),
    needs: stageOfRun('batch-remove'),
    role: 'load',
  },
  contenders: {
    flag: '--contenders <n>',
    help: 'concurrent writes per race of create and swap',
    detail: '2 to 64; see [conditional writes](../measure/conditional-writes.md)',
    read: values.contenderCount,
    default: String(DEFAULT_AMOUNTS.contenders),
    needs: [stageOfRun('create'), stageOfRun('swap')],
    check: conditions.raceProblems,
    role: 'load',
  },
  multipart: {
    flag: '--multipart',
    help: 'write objects in parts; objects above 4.9 GiB always are',
    detail: 'see [large objects](../measure/loads.md#large-objects)',
    excludes: { client: 'edge' },
    check: ({ multipart, stages }) =>
      multipart && stages !== undefined && !writesObjects(stages) && '--multipart requires write in --stages',
    role: 'load',
    of: ['ab', 'side'],
  },
  partSize: {
    flag: '--part-size <size>',
    help: 'part size, 5MiB or more',
    detail: 'the default grows if an object would have more than 10,000 parts',
    read: values.partSize,
    write: formatSize,
    default: formatSize(DEFAULT_PART_BYTES),
    needs: inParts,
    check: ({ partSize, size }, { has }) =>
      has('partSize') &&
      partsOf(size, partSize) > MAX_PARTS &&
      `--part-size: an object would have more than ${MAX_PARTS} parts: use a larger size, or omit --part-size`,
    role: 'load',
    of: ['ab', 'side'],
  },
  partThreads: {
    flag: '--part-threads <n>',
    help: 'parts of each object sent at once, each on its own connection',
    read: values.partThreads,
    default: String(DEFAULT_PART_THREADS),
    needs: inParts,
    role: 'load',
    of: ['ab', 'side'],
  },
  keep: {
    flag: '--keep',
    help: 'keep the objects that the run wrote',
    detail: 'skips Remove; see [kept objects](../use/cleanup.md#kept-objects)',
    role: 'repeat',
  },
  runId: {
    flag: '--run-id <id>',
    help: 'name of the run (default: date, time, random)',
    detail: '1 to 64 of `A-Z a-z 0-9 . _ -`',
    read: values.runId,
    check: ({ runId }, { command }) =>
      command === 'ab' &&
      runId !== undefined &&
      !isRunId(`${runId}-a10`) &&
      '--run-id must leave room for suffixes such as -a10',
    of: ['ab', 'quick'],
    helpOf: {
      sweep: 'run whose kept objects to read, with --stages that neither write nor remove',
    },
  },
  prefix: {
    flag: '--prefix <prefix>',
    help: 'prefix of every key',
    read: values.prefix,
    default: 'benchmark',
    role: 'record',
    of: ['ab', 'cleanup', 'quick'],
  },
  allowVersioned: {
    flag: '--allow-versioned',
    help: 'accept versioned buckets; clean-up also removes the versions that the run created',
    of: ['ab', 'quick'],
  },
};

/** @satisfies {Rows} */
const LOAD = {
  rate: {
    flag: '--rate <ops/s>',
    help: 'open loop: start this many operations per second',
    detail: 'in every stage, or in the mix; 0.1 to 1,000,000; see [open loop](../measure/loads.md#open-loop)',
    read: values.rate,
    excludes: SET_BY_STEPS,
    check: conditions.rateProblem,
    role: 'load',
    of: ['ab', 'side'],
  },
  arrival: {
    flag: '--arrival <name>',
    help: 'spacing of operations in an open loop: constant or poisson',
    read: oneOf('constant', 'poisson'),
    default: 'constant',
    needs: [{ rate: true }, { peakOf: 'rate' }],
    role: 'load',
    of: ['ab', 'side'],
  },
  duration: {
    flag: '--duration <time>',
    help: 'length of each stage; writes stop after <objects>',
    detail: 'at least `1s`',
    main: true,
    read: values.stageDuration,
    write: formatTime,
    excludes: SET_BY_STEPS,
    role: 'repeat',
    of: ['ab'],
    helpOf: { sweep: 'length of each stage (10s); writes stop after <objects>' },
  },
  maxOperations: {
    flag: '--max-operations <n>',
    help: 'with --duration: end a stage early after this many operations',
    detail: 'Remove always removes all objects',
    read: values.objectCount,
    needs: { duration: true },
    role: 'repeat',
  },
  warmup: {
    flag: '--warmup <time>',
    help: 'initial time of each stage to exclude from rates and percentiles',
    read: values.anyTime,
    write: formatTime,
    record: (time) => time || undefined,
    default: '0s',
    excludes: SET_BY_STEPS,
    check: ({ warmup, duration }) =>
      duration !== undefined && warmup >= duration && '--warmup must be shorter than --duration',
    role: 'repeat',
    of: ['ab'],
  },
  gap: {
    flag: '--gap <time>',
    help: 'pause between timed stages (5s if hosts start together)',
    detail: 'see [timed stages](../use/first-run.md#timed-stages)',
    read: values.anyTime,
    write: formatTime,
    needs: [{ duration: true }, { ramp: true }],
    role: 'repeat',
    of: ['ab'],
  },
};

/** What a replay takes from its log. */
export const SET_BY_LOG = Object.freeze(
  Object.fromEntries(
    [
      ...['existing', 'size', 'access', 'stages', 'mix', 'rangeSize', 'pageSize', 'batch', 'multipart', 'partSize'],
      ...['partThreads', 'keep', 'rate', 'arrival', 'duration', 'warmup', 'gap', 'ramp'],
      'stepTime',
    ].map((name) => [name, true]),
  ),
);

/** @satisfies {Rows} */
const REPLAY = {
  replay: {
    flag: '--replay <files>',
    help: 'request logs to replay, instead of objects',
    detail: 'see [replays](../measure/replay.md)',
    read: values.listOf,
    record: (files) => files.join(','),
    excludes: SET_BY_LOG,
    only: [],
    role: 'load',
  },
  speed: {
    flag: '--speed <factor>',
    help: 'replay this many times as fast as recorded, e.g. 2x or 0.5x',
    read: values.speed,
    write: values.formatSpeed,
    default: '1x',
    needs: { replay: true },
    excludes: { findPeak: true },
    only: ['replay'],
    role: 'load',
  },
  from: {
    flag: '--from <time>',
    help: 'skip the requests of this time after the first one',
    read: values.anyTime,
    write: formatTime,
    default: '0s',
    needs: { replay: true },
    record: (from) => from || undefined,
    only: ['replay'],
    role: 'load',
  },
  for: {
    flag: '--for <time>',
    help: 'replay only the requests of this time',
    read: values.anyTime,
    write: formatTime,
    needs: { replay: true },
    only: ['replay'],
    role: 'load',
  },
  limit: {
    flag: '--limit <requests>',
    help: 'replay only this many requests',
    read: values.objectCount,
    needs: { replay: true },
    excludes: { shard: true },
    only: ['replay'],
    role: 'load',
  },
  prepareOnly: {
    flag: '--prepare-only',
    help: 'write and keep only the objects that the logs read and never change',
    excludes: { local: true, findPeak: true },
    only: ['replay'],
  },
  prepared: {
    flag: '--prepared',
    help: 'use the objects of --prepare-only with this --run-id, and keep all',
    needs: { runId: true },
    excludes: { local: true, prepareOnly: true },
    only: ['replay'],
  },
  format: {
    flag: '--format <name>',
    help: 'format of the logs: r2, s3 or csv (default: recognised)',
    read: oneOf('r2', 's3', 'csv'),
    only: ['replay'],
  },
};

/** @satisfies {Rows} */
const CAPACITY = {
  findPeak: {
    flag: '--find-peak',
    help: 'find the capacity: add threads, up to <threads>',
    detail: 'see [capacity](../measure/capacity.md)',
    main: true,
    role: 'repeat',
  },
  peakOf: {
    flag: '--peak-of <name>',
    help: 'what --find-peak varies: threads, rate, or speed (of a replay)',
    read: oneOf('threads', 'rate', 'speed'),
    record: (dimension) => (dimension === 'threads' ? undefined : dimension),
    default: 'threads',
    needs: { findPeak: true },
    check: ({ findPeak, peakOf, replay }) =>
      findPeak &&
      (peakOf === 'speed') !== (replay !== undefined) &&
      (replay ? 'replay requires --peak-of speed with --find-peak' : '--peak-of speed requires replay'),
    role: 'repeat',
  },
  slo: {
    flag: '--slo <time>',
    help: 'p99 limit',
    read: values.timeout,
    write: formatTime,
    default: '50ms',
    needs: [{ peakOf: 'rate' }, { peakOf: 'speed' }],
    role: 'repeat',
  },
  ramp: {
    flag: '--ramp <threads>',
    help: 'add threads in steps, at the same time on all hosts, e.g. 8,16,32,64',
    detail: 'see [ramps](../measure/many-hosts.md#one-ramp)',
    read: values.rampThreads,
    excludes: { findPeak: true, maxCost: true },
    check: [
      ({ ramp, threads }) =>
        ramp !== undefined && threads !== undefined && ramp.at(-1) > threads && '--ramp cannot exceed <threads>',
    ],
    role: 'repeat',
  },
  stepTime: {
    flag: '--step-time <time>',
    help: 'length of each ramp step',
    detail: '4s to 60s',
    read: values.stepTime,
    write: formatTime,
    default: '10s',
    needs: { ramp: true },
    role: 'repeat',
  },
  maxCost: {
    flag: '--max-cost <dollars>',
    help: "cost limit, at R2's list prices; of all runs of ab and sweep together",
    detail: 'see [what it costs](../use/first-run.md#what-it-costs)',
    read: values.dollars,
    of: ['ab'],
  },
};

/** @param {(typeof CLIENT_NAMES)[number]} client */
function described(client) {
  const { about } = CLIENTS[client];
  return about === '' ? client : `${client} (${about})`;
}

/** @satisfies {Rows} */
const CLIENT = {
  client: {
    flag: '--client <name>',
    help: CLIENT_NAMES.map(described)
      .join(', ')
      .replace(/, (?=[^,]+$)/, ' or '),
    detail:
      'see [the clients](../develop/performance.md#the-clients), [at the edge](../measure/clients.md#at-the-edge) and [public reads](../measure/clients.md#public-reads)',
    main: true,
    read: oneOf(...CLIENT_NAMES),
    default: 'direct',
    check: [
      ({ client, ...options }) =>
        client === 'edge' &&
        conditions
          .operationsIn(options)
          .map(
            ({ copies, race, name }) =>
              copies && race === undefined && `--client edge cannot run ${name}: R2 bindings do not support it`,
          ),
      ({ client }, { command }) =>
        client === 'public' &&
        command === 'cleanup' &&
        '--client public cannot be combined with cleanup: it differs from direct only in how a run reads objects',
    ],
    role: 'load',
    of: STORE_COMMANDS,
  },
  sdkDefaults: {
    flag: '--sdk-defaults',
    help: "with --client sdk: the SDK's own sockets, retries and checksums, as applications have them",
    detail: 'see [the SDK as applications have it](../measure/clients.md#the-sdk-as-applications-have-it)',
    needs: { client: 'sdk' },
    excludes: { retries: true, keepAlive: true },
    check: ({ sdkDefaults, proxy = values.NO_PROXY }) =>
      sdkDefaults && proxy !== values.NO_PROXY && '--sdk-defaults cannot be combined with a --proxy other than none',
    role: 'load',
    of: ['ab', 'side'],
  },
  presigned: {
    flag: '--presigned',
    help: 'read with presigned URLs; each is signed when it is used, as part of its latency',
    detail: 'see [presigned URLs](../measure/loads.md#presigned-urls)',
    needs: { client: 'direct' },
    excludes: { verboseRequest: true },
    role: 'load',
    of: ['ab', 'side'],
  },
  publicUrl: {
    flag: '--public-url <url>',
    help: 'with --client public: address to read from, instead of PUBLIC_URL',
    detail: '`{bucket}` in it stands for the bucket; see [public reads](../measure/clients.md#public-reads)',
    read: values.publicUrl,
    record: values.formatPublicUrl,
    needs: { client: 'public' },
    role: 'repeat',
    of: ['ab', 'side'],
  },
  cores: {
    flag: '--cores <n>',
    help: 'cores of this host to use, or auto',
    detail: 'see [cores](../develop/performance.md#cores)',
    read: values.coreCount,
    default: 'auto',
    role: 'record',
    of: ['ab', 'side'],
  },
  timeout: {
    flag: '--timeout <time>',
    help: 'time limit of each attempt',
    detail: '`1ms` to `1h`; outside the stages, at most 30 s',
    read: values.timeout,
    write: formatTime,
    default: '10s',
    role: 'repeat',
    of: ['ab', 'side', 'cleanup'],
  },
  retries: {
    flag: '--retries <n>',
    help: 'retries of an operation after transient errors',
    detail: '0 to 1000',
    read: values.retryCount,
    default: '19',
    role: 'repeat',
    of: ['ab', 'side'],
  },
  keepAlive: {
    flag: '--no-keep-alive',
    help: 'open a connection for each request',
    role: 'load',
    of: STORE_COMMANDS,
  },
  verboseRequest: {
    flag: '--verbose-request',
    help: 'show one request of each operation in full, without secrets',
    detail: 'the request with which preflight tries the operation',
    excludes: { preflight: true, sdkDefaults: true },
  },
  preflight: {
    flag: '--no-preflight',
    help: 'skip the check that the store allows what the run does',
    detail: 'see [preflight](../use/first-run.md#before-the-first-stage)',
    of: ['ab', 'cleanup'],
  },
};

/** @satisfies {Rows} */
const STORE = {
  local: {
    flag: '--local',
    help: 'run against an in-memory endpoint: no account, no .env',
    main: true,
    excludes: { client: 'edge', existing: true },
    check: ({ client }, { has }) =>
      has('local') &&
      client === 'public' &&
      '--local cannot be combined with --client public: the local endpoint has no public address',
    role: 'repeat',
    of: ['ab'],
  },
  faults: {
    flag: '--faults <script>',
    help: 'with --local: faults to inject',
    detail: 'see [the local endpoint](local-endpoint.md)',
    read: values.faultScript,
    needs: { local: true },
    role: 'repeat',
    of: ['ab', 'side'],
  },
  accessLog: {
    flag: '--access-log <file>',
    help: 'with --local: write a log of all requests, like R2 (.ndjson) or S3 (any other name)',
    detail: 'see [the local endpoint](local-endpoint.md#access-logs)',
    read: someText,
    needs: { local: true },
  },
  envFile: {
    flag: '--env-file <file>',
    help: 'file with the S3_… variables',
    read: someText,
    default: '.env',
    of: STORE_COMMANDS,
  },
  bucket: {
    flag: '--bucket <names>',
    help: 'buckets, comma-separated, instead of S3_BUCKET',
    read: values.bucketNames,
    of: STORE_COMMANDS,
  },
  endpointUrl: {
    flag: '--endpoint-url <url>',
    help: 'address of the store, instead of S3_HOSTNAME',
    detail: 'with or without a path; see [addresses](credentials.md#addresses)',
    read: values.endpointUrl,
    write: values.urlOf,
    excludes: { local: true, client: 'edge' },
    of: STORE_COMMANDS,
  },
  region: {
    flag: '--region <name>',
    help: 'region to sign requests for, instead of S3_REGION',
    detail: 'see [regions](credentials.md#regions)',
    read: values.region,
    excludes: { local: true, client: 'edge' },
    of: STORE_COMMANDS,
  },
  profile: {
    flag: '--profile <name>',
    help: "AWS CLI profile with credentials and settings, instead of .env's keys",
    detail: 'see [credentials](credentials.md)',
    read: someText,
    excludes: { local: true, client: 'edge' },
    of: STORE_COMMANDS,
  },
  addressing: {
    flag: '--addressing <style>',
    help: 'whether the bucket is in the path or in the host name: path or virtual',
    read: oneOf('path', 'virtual'),
    excludes: { local: true, client: 'edge' },
    of: STORE_COMMANDS,
  },
  ipv4: {
    flag: '--ipv4',
    help: "use only the store's IPv4 addresses",
    excludes: { ipv6: true },
    of: STORE_COMMANDS,
  },
  ipv6: { flag: '--ipv6', help: "use only the store's IPv6 addresses", of: STORE_COMMANDS },
  proxy: {
    flag: '--proxy <url>',
    help: 'connect through a proxy: its URL, env or none',
    detail: 'see [proxies](credentials.md#proxies)',
    read: values.proxyChoice,
    write: values.formatProxy,
    excludes: { local: true },
    of: STORE_COMMANDS,
  },
};

/** @satisfies {Rows} */
const HOSTS = {
  startAt: {
    flag: '--start-at <time>',
    help: "start at this time, by the store's clock: ISO time, epoch seconds, next:60s or +30s",
    detail: 'see [one start](../measure/many-hosts.md#one-start)',
    read: parseStartTime,
    excludes: { findPeak: true },
  },
  shard: {
    flag: '--shard <i/N>',
    help: "this host's share: shard i of N, counted from 0, or auto",
    detail: '`auto` or `auto/N` for Slurm and Kubernetes; see [one run](../measure/many-hosts.md#one-run)',
    read: values.shard,
    excludes: { findPeak: true },
    check: [
      (options, { has }) =>
        has('shard') &&
        options.ramp !== undefined &&
        options.startAt === undefined &&
        '--shard requires --start-at with --ramp',
      ({ runId }, { command, has }) =>
        command === 'cleanup' && has('shard') && runId === undefined && '--shard cannot be combined with cleanup list',
    ],
    of: ['cleanup'],
  },
};

/** @satisfies {Rows} */
const OUTPUT = {
  log: {
    flag: '--log <file>',
    help: 'write the log to a file; the terminal keeps the live view',
    main: true,
    read: values.logFile,
  },
  json: {
    flag: '--json <file>',
    help: 'write the whole result to a file; - is stdout',
    detail: 'see [the result](result-schema.md)',
    main: true,
    read: someText,
    of: ['merge', 'compare', 'ab', 'sweep'],
  },
  csv: {
    flag: '--csv <file>',
    help: 'write the time series to a file; - is stdout',
    detail: 'see [the time series](result-schema.md#the-time-series-as-csv)',
    read: someText,
    of: ['merge', 'sweep'],
    helpOf: { sweep: 'write a row per run and stage to a file; - is stdout' },
  },
  report: {
    flag: '--report <file>',
    help: 'write a page with charts, in one file; - is stdout',
    detail: 'see [the report](../use/results.md#the-report)',
    main: true,
    read: someText,
    of: ['merge', 'compare', 'ab', 'sweep'],
  },
  summary: {
    flag: '--summary <file>',
    help: 'write a Markdown summary to a file, for a CI job; - is stdout',
    read: someText,
    of: ['merge'],
  },
  junit: {
    flag: '--junit <file>',
    help: 'write JUnit XML to a file, with a test case for each threshold; - is stdout',
    read: someText,
    of: ['merge'],
  },
  fit: { flag: '--fit', help: 'print the command of a run that resembles the logs, and exit', only: ['replay'] },
  quiet: {
    flag: '--quiet',
    help: 'no progress, cost or notices on stderr',
    of: ['ab', 'sweep', 'cleanup'],
  },
  dryRun: {
    flag: '--dry-run',
    help: 'send nothing to the store: print the requests, cost and least time of the run',
    detail: 'see [dry runs](../use/first-run.md#dry-runs)',
    of: ['sweep'],
    helpOf: {
      replay: 'send nothing: print what the logs contain and what a replay would cost',
    },
  },
  latency: {
    flag: '--latency <time>',
    help: 'with --dry-run: least latency of a request',
    read: values.timeout,
    write: formatTime,
    default: '10ms',
    needs: { dryRun: true },
    of: ['sweep'],
  },
};

/** @satisfies {Rows} */
const CHECKS = {
  assert: {
    flag: '--assert <limit>',
    help: "exit with 3 unless this holds, e.g. 'read.p99 < 50ms'; can be repeated",
    detail: 'see [thresholds](../use/ci.md#thresholds)',
    read: (text) => text,
    repeats: true,
    of: ['merge', 'compare'],
  },
  baseline: {
    flag: '--baseline <file>',
    help: "earlier --json result, for thresholds such as 'read.rate > 0.95 * baseline'",
    read: someText,
    needs: { assert: true },
    of: ['merge'],
  },
};

/** @satisfies {Rows} */
const METRICS = {
  otlp: {
    flag: '--otlp',
    help: 'send metrics to an OpenTelemetry collector on this host, or OTEL_EXPORTER_OTLP_ENDPOINT',
    detail: '`OTEL_…` variables configure it, see [metrics](metrics.md#opentelemetry)',
  },
  metricsPort: {
    flag: '--metrics-port <port>',
    help: 'serve metrics to Prometheus on this port, e.g. 9464 or 0.0.0.0:9464',
    detail: 'see [Prometheus](metrics.md#prometheus)',
    read: values.listenAddress,
  },
  metricsHold: {
    flag: '--metrics-hold <time>',
    help: 'keep serving metrics this long after the run',
    read: values.anyTime,
    default: '0s',
    needs: { metricsPort: true },
  },
};

/** @satisfies {Rows} */
const COMPARISON = {
  margin: {
    flag: '--margin <share>',
    help: 'a change up to this share counts as no change',
    read: values.margin,
    default: '3%',
    only: ['compare', 'ab'],
  },
  a: {
    flag: '--a <options>',
    help: "options of A, in quotes, e.g. '--client direct'",
    read: shellWords,
    only: ['ab'],
  },
  b: { flag: '--b <options>', help: 'options of B', read: shellWords, only: ['ab'] },
  quads: {
    flag: '--quads <n>',
    help: 'quads of turns (ABBA or BAAB), 6 to 40',
    read: values.quadCount,
    default: '6',
    only: ['ab'],
  },
  threads: {
    flag: '--threads <n>',
    help: 'threads of this side, instead of <threads>',
    read: values.threadCount,
    only: ['side', 'replay'],
    helpOf: { replay: 'concurrent requests (64)' },
  },
  vary: {
    flag: '--vary <name=values>',
    help: 'option to vary and its values, e.g. size=4KiB,1MiB; also objects, threads, buckets; can be repeated',
    detail: 'see [what can vary](../measure/sweep.md#what-can-vary)',
    read: (text) => text,
    repeats: true,
    only: ['sweep'],
  },
  repeat: {
    flag: '--repeat <n>',
    help: 'runs per cell; from 2 on, figures have intervals',
    read: values.repeatCount,
    default: '1',
    only: ['sweep'],
  },
  seed: {
    flag: '--seed <n>',
    help: 'number that determines the order of the cells (default: random)',
    read: values.seed,
    only: ['sweep'],
  },
  resume: {
    flag: '--resume <file>',
    help: 'continue the interrupted sweep of this --json file',
    read: someText,
    only: ['sweep'],
  },
  force: {
    flag: '--force',
    help: 'compare runs even if sizes, threads or operations differ',
    only: ['compare'],
  },
  reference: {
    flag: '--reference <which>',
    help: 'file of the result to compare the others with (default: the first)',
    read: someText,
    only: ['compare', 'report', 'sweep'],
    helpOf: { sweep: 'cell to divide by, e.g. size=4KiB,threads=1 (default: the first)' },
  },
  severalRuns: {
    flag: '--several-runs',
    help: 'merge runs that one host made at different times',
    only: ['merge', 'report'],
  },
};

export const OPTIONS = Object.freeze({
  ...WORKLOAD,
  ...LOAD,
  ...REPLAY,
  ...CAPACITY,
  ...CLIENT,
  ...STORE,
  ...HOSTS,
  ...OUTPUT,
  ...CHECKS,
  ...METRICS,
  ...COMPARISON,
});

/** The options by group. @type {Readonly<Record<GroupName, Rows>>} */
const BY_GROUP = {
  workload: WORKLOAD,
  load: { ...LOAD, ...REPLAY },
  capacity: CAPACITY,
  client: CLIENT,
  store: STORE,
  hosts: HOSTS,
  output: OUTPUT,
  checks: CHECKS,
  metrics: METRICS,
  comparison: COMPARISON,
};

/** All options by name, typed for lookup by any string. @type {Readonly<Record<string, OptionRow>>} */
export const ROWS = Object.fromEntries(
  /** @type {[GroupName, Rows][]} */ (Object.entries(BY_GROUP)).flatMap(([group, rows]) =>
    Object.entries(rows).map(([name, row]) => [name, { ...row, group }]),
  ),
);

/** Options that name a file for a result. */
export const RESULT_OPTIONS = /** @type {const} */ (['json', 'csv', 'report', 'summary', 'junit']);

/**
 * The arguments of a run.
 *
 * @type {readonly { name: 'objects' | 'threads', flag: string, read: (text: string) => number }[]}
 */
export const OPERANDS = Object.freeze([
  { name: 'objects', flag: '<objects>', read: values.objectCount },
  { name: 'threads', flag: '<threads>', read: values.threadCount },
]);

/** @param {Pick<OptionRow, 'flag'>} row */
export function flagOf({ flag }) {
  return flag.split(' ')[0];
}

/** `quick` chooses the load itself. @type {readonly GroupName[]} */
const QUICK_GROUPS = ['client', 'store', 'output', 'checks', 'metrics'];

/**
 * @param {CommandName} command
 * @returns {[name: string, row: OptionRow][]} the options that it accepts
 */
export function optionsOf(command) {
  return Object.entries(ROWS).filter(([name, { of = [], only, group }]) => {
    const isOfQuick = command === 'quick' && QUICK_GROUPS.includes(group);
    const isOfSweep = command === 'sweep' && GROUPS_OF_SWEEP.includes(group) && !NOT_IN_SWEEPS.includes(name);
    return only === undefined
      ? isRun(name, command) || of.includes(command) || isOfQuick || isOfSweep
      : only.includes(command);
  });
}

/**
 * @param {string} option
 * @param {CommandName} command
 * @returns {boolean} whether it is a command that accepts this option of a run
 */
function isRun(option, command) {
  return command === 'run' || (command === 'replay' && !(option in SET_BY_LOG));
}

/** Options that select the store: a later command needs them to find the same store. */
export const STORE_OPTIONS = /** @type {const} */ ([
  'envFile',
  'bucket',
  'endpointUrl',
  'region',
  'profile',
  'addressing',
  'ipv4',
  'ipv6',
  'proxy',
]);
