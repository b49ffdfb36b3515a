import { counted } from '../text/figures.js';
import { plainText } from '../text/plain-text.js';
import { formatDuration, formatMegabytes } from '../text/units.js';
import { ProgressLine } from '../report/progress.js';
import { withBucketAccess } from '../cleanup/bucket-access.js';
import { listRuns } from '../cleanup/list-runs.js';
import { RunTally } from '../cleanup/list-runs.js';
import { findVersioned, withCheckedRun } from './cleanup.js';
import { EXIT } from './exit-status.js';
import { cleanupCommand } from './later-commands.js';

/**
 * @import { Config } from '../model/config.js'
 * @import { RunCounts } from '../cleanup/list-runs.js'
 * @import { CommandContext } from './cleanup.js'
 * @import { Later } from './later-commands.js'
 */

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
    const progress = new ProgressLine(terminal, clock.now);
    const tally = new RunTally(prefix);
    const onCheck = (/** @type {number} */ silence) =>
      quiet || progress.show(`Listing: ${tally.objects} objects`, silence);
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
        `Bucket "${bucket}" keeps versions: runs that are not listed may have left some; --cleanup <run-id> removes them`,
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
  if (foreign.objects > 0) {
    const more = foreign.objects > foreign.examples.length ? ', …' : '';
    lines.push(
      `Clean-up leaves alone ${counted(foreign.objects, 'object')} under ${prefix}/ (${sizeText(foreign.bytes)}) that no run on these buckets wrote: ${foreign.examples.map((key) => plainText(key)).join(', ')}${more}`,
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
