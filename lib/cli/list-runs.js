import { formatDuration, formatMegabytes } from '../log/units.js';
import { withBucketAccess } from '../run/bucket-access.js';
import { listRuns } from '../run/list-runs.js';
import { cleanupCommand, withCheckedRun } from './cleanup.js';
import { EXIT } from './exit-status.js';

/** @typedef {import('../run/run-tally.js').RunCounts} RunCounts */
/** @typedef {import('../run/run-config.js').RunConfig} RunConfig */

/**
 * `--cleanup --list`: shows which runs have left objects.
 *
 * @param {RunConfig} config
 * @param {import('./cleanup.js').CommandWorld} world
 * @returns {Promise<number>} the exit status
 */
export function listRunsByCommand(config, world) {
  const { terminal, clock } = world;
  return withCheckedRun(config, world, async (access) => {
    const { prefix, store } = config;
    const listing = await withBucketAccess(access, (means) => listRuns({ access: means, prefix, store, clock }));
    if (listing.problem !== null) {
      terminal.err(`error: ${listing.problem}`);
      return listing.mayPass ? EXIT.incomplete : EXIT.usage;
    }
    describeListing(listing, config, clock.epochNow()).forEach((line) => terminal.out(line));
    return EXIT.complete;
  });
}

/**
 * @param {RunCounts} listing
 * @param {Pick<RunConfig, 'prefix' | 'store'> & import('./cleanup.js').Later} config
 * @param {number} now epoch ms
 * @returns {string[]} lines
 */
export function describeListing({ runs, foreign }, config, now) {
  const { prefix, store } = config;
  const where = `under ${prefix}/ in ${store.buckets.join(', ')}`;
  const lines = runs.length === 0 ? [`No run has left anything ${where}`] : [`Left ${where}:`, ...tableOf(runs, now)];
  if (foreign.objects > 0) {
    const more = foreign.objects > foreign.examples.length ? ', …' : '';
    lines.push(
      `${foreign.objects} objects there (${formatMegabytes(foreign.bytes)}MB) are of no run over these buckets, and no clean-up touches them: ${foreign.examples.map(printable).join(', ')}${more}`,
    );
  }
  if (runs.length > 0) {
    lines.push(`Remove what one left with: ${cleanupCommand({ ...config, runId: runs[0].runId })}`);
  }
  return lines;
}

/**
 * @param {RunCounts['runs']} runs
 * @param {number} now epoch ms
 * @returns {string[]} lines
 */
function tableOf(runs, now) {
  const rows = [
    ['Run', 'Objects', 'Size', 'Oldest', 'Newest'],
    ...runs.map(({ runId, objects, bytes, oldest, newest }) => [
      runId,
      String(objects),
      `${formatMegabytes(bytes)}MB`,
      `${formatDuration(now - oldest)} ago`,
      `${formatDuration(now - newest)} ago`,
    ]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '),
  );
}

/**
 * @param {string} key of anybody's
 * @returns {string} without what would disturb a terminal
 */
function printable(key) {
  return key.replace(/\p{C}/gu, '?');
}
