import { counted } from '../text/figures.js';
import { withBucketAccess } from '../cleanup/bucket-access.js';
import { cleanUpRun } from '../cleanup/clean-up-run.js';
import { findPrefix } from '../cleanup/find-prefix.js';
import { runsSlices } from '../edge/slice.js';
import { isClean } from '../model/completeness.js';
import { lateWritesOf } from '../run/late-writes.js';
import { openRun } from '../run/open-run.js';
import { optionWords } from '../options/recorded-options.js';
import { ROWS, STORE_OPTIONS } from '../options/table.js';
import { preflight } from '../preflight/preflight.js';
import { requestVersioning, describeUnknown } from '../preflight/versioning.js';
import { isOfShard } from '../workload/shard.js';
import { sizeText } from '../workload/size-distribution.js';
import { EXIT } from './exit-status.js';
import { shellWord } from '../text/shell-words.js';
import { FROM_CLONE } from './invocation.js';
import { ProgressLine, formatCleanupProgress } from '../report/progress.js';

/**
 * @import { Terminal } from './terminal.js'
 * @import { StopRequest } from './stop-request.js'
 * @import { Clock } from '../clock/clock.js'
 * @import { LiveCredentials } from '../s3/live-credentials.js'
 * @import { CommandLine } from './command-line.js'
 * @import { CleanupResult } from '../model/result.js'
 * @import { OpenRun } from '../run/open-run.js'
 * @import { RunConfig, SizeDistribution } from '../model/run-config.js'
 * @import { OwnKey } from '../workload/keyspace.js'
 */

/** A store that does not answer at all is given up after four attempts. */
const MAX_PREFLIGHT_TIMEOUT_MS = 15_000;

/**
 * @typedef {object} CommandContext
 * @property {Clock} clock
 * @property {() => number} random uniform in [0, 1)
 * @property {AbortSignal} signal
 * @property {Terminal} terminal
 * @property {boolean} quiet no progress
 * @property {LiveCredentials} [credentials] that may be replaced; without, those of the store
 */

/**
 * What a later command needs to find the same store.
 *
 * @typedef {Partial<Pick<CommandLine, (typeof STORE_OPTIONS)[number]>> & OfLater} Later
 *
 * @typedef {object} OfLater
 * @property {Record<string, string>} [variables] that have to be set
 * @property {string} [command] that calls the program, for a shell
 *
 * @typedef {Pick<RunConfig, 'runId' | 'prefix' | 'shard'> & { client?: RunConfig['client'], later?: Later }} RunPlace what a
 *   later command needs to find the objects of a run again
 */

/**
 * `--cleanup <run-id>`: removes what a run, or a shard of it, left behind, from any host.
 *
 * @param {RunConfig} config of a run with that id
 * @param {CommandContext} context
 * @param {StopRequest} stopRequest
 * @returns {Promise<number>} the exit status
 */
export function cleanUpByCommand(config, context, stopRequest) {
  const { terminal, clock, quiet } = context;
  const line = new ProgressLine(terminal, clock.now);
  return withCheckedRun(config, context, async (access, run) => {
    stopRequest.onRequest = (reason) => quiet || terminal.err(`The clean-up continues to its end (${reason})`);
    stopRequest.onEndAtOnce = () => terminal.err(`Objects may be left; remove them with: ${cleanupCommand(config)}`);
    const versioned = await findVersioned(config, access, terminal);
    const owns = (/** @type {OwnKey} */ { index }) => isOfShard(config.shard, index);
    const result = await cleanUpRun({
      ...access,
      keyspace: run.keyspace,
      owns,
      ownsUpload: owns,
      unlisted: null,
      outcomeUnknown: runsSlices(config),
      ...lateWritesOf(config),
      versioned,
      onProgress: (progress) => quiet || line.show(formatCleanupProgress(progress), progress.silence),
    });
    stopRequest.onRequest = () => {};
    if (result.removed + result.versions + (result.uploads ?? 0) === 0 && isClean(result)) {
      const { runId, store } = config;
      const prefix = await withBucketAccess(access, (means) =>
        findPrefix({ access: means, runId, buckets: store.buckets }),
      );
      return prefix === null ? reportAbsence(result, config, terminal) : reportOtherPrefix(prefix, config, terminal);
    }
    terminal.out(describeCleanup(result, config));
    cleanupProblems(result, config).forEach((problem) => terminal.err(`error: clean-up: ${problem}`));
    if (mayHelpAgain(result)) {
      terminal.err(`error: objects may be left; try again with: ${cleanupCommand(config)}`);
    }
    return isClean(result) ? EXIT.complete : EXIT.incomplete;
  });
}

/**
 * @param {RunConfig} config
 * @param {Parameters<typeof withBucketAccess>[0]} access
 * @param {Terminal} terminal
 * @returns {Promise<ReadonlySet<string>>} buckets that keep versions
 */
export async function findVersioned({ store }, access, terminal) {
  const { versioned, unknown } = await withBucketAccess(access, (means) => requestVersioning(store.buckets, means));
  describeUnknown(unknown).forEach((line) => terminal.err(line));
  return versioned;
}

/**
 * @param {CleanupResult} result
 * @param {RunConfig} config
 * @param {Terminal} terminal
 * @returns {number} the exit status
 */
function reportAbsence(result, config, terminal) {
  terminal.out(describeCleanup(result, config));
  terminal.err(
    'Nothing was removed: are S3_BUCKET and --prefix those of the run? --cleanup --list shows which runs have left something',
  );
  return EXIT.complete;
}

/**
 * @param {string} prefix under which the run's objects are
 * @param {RunConfig} config with another one
 * @param {Terminal} terminal
 * @returns {number} the exit status
 */
function reportOtherPrefix(prefix, config, terminal) {
  const { runId, store } = config;
  terminal.out(`Clean-up of run ${runId}: nothing is under ${config.prefix}/${runId}/ in ${store.buckets.join(', ')}`);
  const command = cleanupCommand({ ...config, prefix });
  terminal.err(`error: objects of the run are under ${prefix}/${runId}/; remove them with: ${command}`);
  return EXIT.incomplete;
}

/**
 * Opens what a command on buckets needs, and checks that each bucket exists.
 *
 * @param {RunConfig} config
 * @param {CommandContext} context
 * @param {(access: Omit<Parameters<typeof withBucketAccess>[0], 'onLook'>,
 *   run: OpenRun) => Promise<number>} work
 * @returns {Promise<number>} the exit status
 */
export async function withCheckedRun(config, { clock, random, signal, terminal, credentials }, work) {
  // Nothing is written, read or removed that preflight would have to try.
  const checking = { ...config, stages: [], timeout: Math.min(config.timeout, MAX_PREFLIGHT_TIMEOUT_MS) };
  const notice = (/** @type {string} */ message) => terminal.err(message);
  const run = await openRun(checking, { clock, random, notice, credentials });
  try {
    const { problems, mayPass } = await preflight(run, checking, signal);
    if (problems.length > 0) {
      problems.forEach((problem) => terminal.err(`error: ${problem}`));
      return mayPass ? EXIT.incomplete : EXIT.usage;
    }
    if (signal.aborted) {
      return EXIT.incomplete;
    }
    const { controlOptions: storeOptions, requests } = run;
    return await work({ storeOptions, clock, random, timeout: config.timeout, requests }, run);
  } finally {
    await run.close();
  }
}

/**
 * @param {CleanupResult} result
 * @param {RunConfig} config
 * @returns {string} one line
 */
export function describeCleanup(result, { runId, prefix, store, shard }) {
  const { removed, versions, uploads = 0, left, misplaced, foreign, otherBuckets } = result;
  const whose = shard.count === 1 ? runId : `${runId}, shard ${shard.index}/${shard.count}`;
  const objects = `${removed} ${removed === 1 ? 'object' : 'objects'}`;
  const ofThem = versions === 0 ? '' : ` and ${versions} older versions and delete markers`;
  const count = left < 0 ? 'how many are left could not be counted' : `${left} left`;
  const aborted = uploads === 0 ? '' : `, ${counted(uploads, 'upload')} aborted`;
  const elsewhere = misplaced === 0 ? '' : `, ${misplaced} of them in other buckets than this list gives them`;
  const unseen = otherBuckets?.includes(null) ? ' in these buckets, which are not all buckets of the run' : '';
  const others = foreign === 0 ? '' : `, and ${foreign} that the run did not write were not touched`;
  return `Clean-up of run ${whose}: ${objects}${ofThem} removed under ${prefix}/${runId}/ in ${store.buckets.join(', ')}, ${count}${unseen}${elsewhere}${others}${aborted}${uploadsLeftText(result)}`;
}

/** @param {CleanupResult} result */
function uploadsLeftText({ uploadsLeft = 0 }) {
  if (uploadsLeft < 0) {
    return ', how many uploads are left could not be counted';
  }
  return uploadsLeft === 0 ? '' : `, ${counted(uploadsLeft, 'upload')} left`;
}

/**
 * @param {CleanupResult} result
 * @returns {boolean} whether the same clean-up may remove more when it is tried again
 */
export function mayHelpAgain({ left, misplaced, unlisted, uploadsLeft = 0, uploadsMisplaced = 0 }) {
  // What is in another bucket, and uploads that the store does not show, would be there every time.
  return left < 0 || left > misplaced || unlisted > 0 || uploadsLeft > uploadsMisplaced;
}

/** @typedef {Parameters<typeof cleanupCommand>[0] & Pick<RunConfig, 'store'>} CommandConfig */

/**
 * @param {CleanupResult} result
 * @param {CommandConfig} config
 * @returns {string[]} what went wrong and what to do about it, a line each
 */
export function cleanupProblems({ misplaced, uploadsMisplaced = 0, otherBuckets, problems, furtherProblems }, config) {
  const further = furtherProblems > 0 ? [`${furtherProblems} further errors are counted, but not shown`] : [];
  const advice = misplaced + uploadsMisplaced > 0 || otherBuckets !== null ? [bucketsAdvice(otherBuckets, config)] : [];
  return [...problems, ...further, ...advice];
}

/**
 * @param {readonly (string | null)[] | null} buckets of the run in their order, as far as they are known
 * @param {CommandConfig} config
 * @returns {string} which buckets to pass
 */
export function bucketsAdvice(buckets, config) {
  const given = config.store.buckets.join(',');
  if (buckets === null) {
    return `the names of the run's objects do not fit the buckets ${given}: pass all buckets of the run, in the order in which it was given them (S3_BUCKET)`;
  }
  if (buckets.includes(null)) {
    const known = buckets.map((bucket) => bucket ?? '<another>').join(',');
    return `the run wrote over ${buckets.length} buckets, and not all of them were given: pass them in the order S3_BUCKET=${known}`;
  }
  // An option goes before the variable.
  const { later = {} } = config;
  const named =
    later.bucket === undefined
      ? { variables: { ...later.variables, S3_BUCKET: buckets.join(',') } }
      : { bucket: /** @type {string[]} */ (buckets) };
  return `the run wrote over the buckets ${buckets.join(',')}, in this order, and not over ${given}: clean up with: ${cleanupCommand({ ...config, later: { ...later, ...named } })}`;
}

/**
 * @param {RunPlace} place
 * @returns {string} the command that removes what a run, or its shard, left behind, for a shell
 */
export function cleanupCommand(place) {
  // An id that begins with a hyphen would be taken for an option.
  return commandFor(place.runId.startsWith('-') ? [`--cleanup=${place.runId}`] : ['--cleanup', place.runId], place);
}

/**
 * @param {RunPlace & Pick<RunConfig, 'threads'>} place
 * @param {{ objects: number, size: number, sizes?: SizeDistribution }} kept the shard's first objects
 * @returns {string} the command that reads them again, for a shell
 */
export function readAgainCommand(place, { objects, size, sizes }) {
  const load = [objects, Math.min(place.threads, objects)].map(String);
  const what = ['--size', sizeText({ size, sizes }), '--stages', 'read,stat', '--run-id', place.runId];
  return commandFor([...load, ...what], place);
}

/**
 * @param {string[]} args
 * @param {RunPlace} place
 * @returns {string} for a shell
 */
function commandFor(args, place) {
  const { shard, prefix, later = {} } = place;
  const { variables = {}, command = FROM_CLONE.benchmark } = later;
  const words = [...args];
  if (shard.count > 1) {
    words.push('--shard', `${shard.index}/${shard.count}`);
  }
  if (place.client === 'edge') {
    words.push('--client', 'edge');
  }
  words.push(
    ...optionWords(ROWS.prefix, prefix),
    ...STORE_OPTIONS.flatMap((name) => optionWords(ROWS[name], later[name])),
  );
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  return [...settings, command, ...words.map(shellWord)].join(' ');
}
