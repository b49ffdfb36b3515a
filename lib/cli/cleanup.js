import { withBucketAccess } from '../run/cleanup/bucket-access.js';
import { cleanUpRun } from '../run/cleanup/cleanup.js';
import { RunTally, listRuns } from '../run/cleanup/list-runs.js';
import { isClean } from '../result/completeness.js';
import { preflight } from '../run/preflight/preflight.js';
import { describeUnknown, requestVersioning } from '../run/preflight/write-checks.js';
import { formatCleanupProgress, taskProgress } from '../report/progress.js';
import { openRun } from '../run/open-run.js';
import { counted, rounded } from '../text/figures.js';
import { formatDuration, formatMegabytes } from '../text/units.js';
import { isOfShard } from '../load/workload/keyspace.js';
import { EXIT } from './exit-status.js';
import { cleanupCommand, whatMayRemain } from './later-commands.js';

/**
 * @import { RunCounts } from '../run/cleanup/list-runs.js'
 * @import { Clock } from '../measure/clock/clock.js'
 * @import { Config } from '../result/config.js'
 * @import { CleanupResult } from '../result/result.js'
 * @import { OpenRun } from '../run/open-run.js'
 * @import { LiveCredentials } from '../store/live-credentials.js'
 * @import { OwnKey } from '../load/workload/keyspace.js'
 * @import { Later } from './later-commands.js'
 * @import { StopRequest } from './stop-request.js'
 * @import { Terminal } from './terminal.js'
 */

/**
 * @typedef {object} CommandContext
 * @property {Clock} clock
 * @property {() => number} random uniform in [0, 1)
 * @property {AbortSignal} signal
 * @property {Terminal} terminal
 * @property {boolean} quiet hides progress
 * @property {LiveCredentials} [credentials] that are renewed; by default, those in the config are used
 */

/**
 * `cleanup <run-id>`: removes the remaining objects of a run, or of one of its shards. It works from any host.
 *
 * @param {Config} config of a run with that id
 * @param {Later} later
 * @param {CommandContext} context
 * @param {StopRequest} stopRequest
 * @returns {Promise<number>} the exit status
 */
export function cleanUpByCommand(config, later, context, stopRequest) {
  const { terminal, clock, quiet } = context;
  const { objects } = config;
  const show = taskProgress(terminal, clock.now);
  return withCheckedRun(config, context, async (access) => {
    stopRequest.onRequest = (reason) => quiet || terminal.err(`Not stopping (${reason}): clean-up continues`);
    stopRequest.onEndAtOnce = () => whatMayRemain(config, later).forEach((each) => terminal.err(each));
    const versioned = await findVersioned(config, access, terminal);
    const owns = (/** @type {OwnKey} */ { index }) => isOfShard(objects.shard, index);
    const result = await cleanUpRun({
      ...access,
      keyspace: access.run.keyspace,
      owns,
      ownsUpload: owns,
      reconciliation: null,
      outcomeUnknown: false,
      versioned,
      onProgress: (progress) => quiet || show(formatCleanupProgress(progress), progress.silence),
    });
    stopRequest.onRequest = () => {};
    if (result.removed + result.versions + (result.uploads ?? 0) === 0 && isClean(result)) {
      return reportAbsence(config, terminal);
    }
    terminal.out(describeCleanup(result, config));
    cleanupProblems(result).forEach((problem) => terminal.err(`error: clean-up: ${problem}`));
    if (mayHelpAgain(result)) {
      terminal.err(`error: objects may remain; try again with: ${cleanupCommand(config, later)}`);
    }
    return isClean(result) ? EXIT.complete : EXIT.incomplete;
  });
}

/**
 * @param {Config} config
 * @param {Parameters<typeof withBucketAccess>[0]} access
 * @param {Terminal} terminal
 * @returns {Promise<ReadonlySet<string>>} versioned buckets
 */
async function findVersioned({ store }, access, terminal) {
  const { versioned, unknown } = await withBucketAccess(access, (means) => requestVersioning(store.buckets, means));
  describeUnknown(unknown).forEach((line) => terminal.err(line));
  return versioned;
}

/**
 * @param {Config} config
 * @param {Terminal} terminal
 * @returns {number} the exit status
 */
function reportAbsence({ store, objects: { runId, prefix } }, terminal) {
  terminal.out(
    `found no objects of run ${runId} under ${prefix}/${runId}/ in ${store.buckets.join(', ')}; nothing removed`,
  );
  return EXIT.complete;
}

/**
 * Connects a command to its buckets and checks that each bucket exists.
 *
 * @param {Config} config
 * @param {CommandContext} context
 * @param {(access: { run: OpenRun, timeout: number }) => Promise<number>} work
 * @returns {Promise<number>} the exit status
 */
async function withCheckedRun(config, { clock, random, signal, terminal, credentials }, work) {
  // The command runs no stages, so preflight needs no trial requests.
  const { load } = config;
  const checking = { ...config, load: { ...load, stages: [] } };
  const notice = (/** @type {string} */ message) => terminal.err(message);
  const run = await openRun(checking, { clock, random, notice, credentials });
  try {
    const { problems, isTransient } = await preflight(run, checking, signal);
    if (problems.length > 0) {
      problems.forEach((problem) => terminal.err(`error: ${problem}`));
      return isTransient ? EXIT.incomplete : EXIT.usage;
    }
    if (signal.aborted) {
      return EXIT.incomplete;
    }
    return await work({ run, timeout: load.timeout });
  } finally {
    await run.close();
  }
}

/**
 * @param {CleanupResult} result
 * @param {Config} config
 */
export function describeCleanup(result, { store, objects: { runId, prefix, shard } }) {
  const { removed, versions, uploads = 0, left, foreign, otherBuckets } = result;
  const whose = shard.count === 1 ? runId : `${runId}, shard ${shard.index}/${shard.count}`;
  const ofThem = versions === 0 ? '' : ` and ${rounded(versions)} older versions and delete markers`;
  const count = left < 0 ? 'the rest could not be counted' : `${rounded(left)} left`;
  const aborted = uploads === 0 ? '' : `, ${counted(uploads, 'upload')} aborted`;
  const unseen = otherBuckets === null ? '' : ' in these buckets, but the run also used others';
  const others = foreign === 0 ? '' : `, kept ${rounded(foreign)} not written by this run`;
  return `Clean-up of run ${whose}: ${counted(removed, 'object')}${ofThem} removed under ${prefix}/${runId}/ in ${store.buckets.join(', ')}, ${count}${unseen}${others}${aborted}${uploadsLeftText(result)}`;
}

/** @param {CleanupResult} result */
function uploadsLeftText({ uploadsLeft = 0 }) {
  if (uploadsLeft < 0) {
    return ', the remaining uploads could not be counted';
  }
  return uploadsLeft === 0 ? '' : `, ${counted(uploadsLeft, 'upload')} left`;
}

/** Whether another attempt might remove more. @param {CleanupResult} result */
export function mayHelpAgain({ left, uploadsLeft = 0 }) {
  // Another attempt would not remove uploads that the store does not list.
  return left !== 0 || uploadsLeft > 0;
}

/** @param {CleanupResult} result @returns {string[]} a line per problem, then advice */
export function cleanupProblems({ problems, furtherProblems, otherBuckets }) {
  return [
    ...problems,
    ...(furtherProblems > 0 ? [`${furtherProblems} more errors are not shown`] : []),
    ...(otherBuckets === null ? [] : [bucketsAdvice(otherBuckets)]),
  ];
}

/** @param {readonly (string | null)[]} buckets of a run in order, with null for an unknown bucket */
function bucketsAdvice(buckets) {
  const known = buckets.map((bucket) => bucket ?? '<another>').join(',');
  return `the run used ${buckets.length} buckets, and some of them are missing here: pass them in the order S3_BUCKET=${known}`;
}

/**
 * @param {Config} config
 * @param {Later} later
 * @param {CommandContext} context
 * @returns {Promise<number>} the exit status
 */
export function listRunsByCommand(config, later, context) {
  const { terminal, clock, quiet } = context;
  return withCheckedRun(config, context, async (access) => {
    const { store, objects } = config;
    const { prefix } = objects;
    const show = taskProgress(terminal, clock.now);
    const tally = new RunTally(prefix);
    const onCheck = (/** @type {number} */ silence) =>
      quiet || show(`Listing: ${counted(tally.objects, 'object')}`, silence);
    const listing = await withBucketAccess({ ...access, onCheck }, (means) =>
      listRuns({ access: means, prefix, store, clock, tally }),
    );
    if (listing.problem !== null) {
      terminal.err(`error: ${listing.problem}`);
      return listing.isTransient ? EXIT.incomplete : EXIT.usage;
    }
    formatListing(listing, config, later, clock.epochNow()).forEach((line) => terminal.out(line));
    for (const bucket of await findVersioned(config, access, terminal)) {
      terminal.err(
        `Bucket "${bucket}" keeps versions: runs that are not listed may have left some; cleanup <run-id> removes them`,
      );
    }
    if (listing.uploadsProblem !== null) {
      terminal.err(`error: the uploads of runs could not be listed: ${listing.uploadsProblem}`);
      return EXIT.incomplete;
    }
    return EXIT.complete;
  });
}

/**
 * @param {RunCounts} listing
 * @param {Pick<Config, 'store' | 'objects' | 'load'>} config
 * @param {Later} later
 * @param {number} now epoch ms
 */
export function formatListing({ runs, foreign }, config, later, now) {
  const { store, objects } = config;
  const { prefix } = objects;
  const ofRun = (/** @type {string} */ runId) => ({ ...config, objects: { ...objects, runId } });
  const where = `under ${prefix}/ in ${store.buckets.join(', ')}`;
  const lines = runs.length === 0 ? [`No run left objects ${where}`] : [`Left ${where}:`, ...tableOf(runs, now)];
  if (foreign > 0) {
    lines.push(
      `Clean-up leaves alone ${counted(foreign, 'object')} under ${prefix}/ that no run on these buckets wrote`,
    );
  }
  if (runs.length > 0) {
    lines.push(`Remove the objects of a run with: ${cleanupCommand(ofRun(runs[0].runId), later)}`);
  }
  return lines;
}

/**
 * @param {RunCounts['runs']} runs
 * @param {number} now epoch ms
 */
function tableOf(runs, now) {
  const haveUploads = runs.some(({ uploads }) => uploads > 0);
  const rows = [
    ['Run', 'Objects', 'Size', ...(haveUploads ? ['Uploads'] : []), 'Oldest', 'Newest'],
    ...runs.map(({ runId, objects, bytes, uploads, oldest, newest }) => [
      runId,
      String(objects),
      sizeText(bytes),
      ...(haveUploads ? [String(uploads)] : []),
      `${formatDuration(now - oldest)} ago`,
      `${formatDuration(now - newest)} ago`,
    ]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '),
  );
}

/** @param {number} bytes NaN if the store reported an invalid size */
function sizeText(bytes) {
  return Number.isNaN(bytes) ? 'size unknown' : `${formatMegabytes(bytes)} MiB`;
}
