import { sumsByName } from '../result/counters.js';
import { counted, decimal, formatEvidence, rounded } from '../text/figures.js';

/** @import { StageMerge, StageSum } from '../result/result.js' */

/** Fewer repeated reads would be shown as 1.0 times. */
const LEAST_SHOWN = 1.05;

/**
 * How often objects were read, and what was found of objects that something else keeps or changes.
 *
 * @param {Partial<Pick<StageSum, 'vanished' | 'changed' | 'archived' | 'staleByCache' | 'reads' | 'bytes' | 'contenders' |
 *   'integrityErrors' | 'undecidedRaces'>>} stage
 * @returns {string[]} phrases
 */
export function stageFindings({ vanished, changed, archived, staleByCache, reads, bytes, contenders, ...races }) {
  const { first, repeated } = reads ?? {};
  const times = first && repeated?.operations ? 1 + repeated.operations / first.operations : 1;
  return [
    ...(times >= LEAST_SHOWN ? [`each object was ${bytes === 0 ? 'requested' : 'read'} ${decimal(times)} times`] : []),
    ...(staleByCache ? [`the cache served old versions in ${counted(staleByCache, 'read')}`] : []),
    ...(contenders
      ? [`${counted(races.integrityErrors ?? 0, 'violation')}, ${counted(races.undecidedRaces ?? 0, 'undecided race')}`]
      : []),
    ...(vanished ? [`${counted(vanished, 'operation')} found no object: removed, or listed under another name`] : []),
    ...(changed
      ? [
          `${counted(changed, 'operation')} found a different object from the one listed: something else writes to the bucket`,
        ]
      : []),
    ...(archived ? [`${counted(archived, 'operation')} found an archived object, which must be restored first`] : []),
  ];
}

/**
 * The Cloudflare data centres ("colos") that responded, and the number of connections to each.
 *
 * @param {readonly Pick<StageSum, 'connections'>[]} stages
 * @returns {string | null} one line; null if the store is not behind Cloudflare or the data centres are unknown
 */
export function coloLine(stages) {
  const [[busiest, connections] = [], ...others] = Object.entries(
    sumsByName(stages.map((stage) => stage.connections?.colos ?? {})),
  );
  if (busiest === undefined) {
    return null;
  }
  const first = `${busiest} (${counted(Number(connections), 'connection')}`;
  return others.length === 0
    ? `${first})`
    : `${first}), ${others.map(([colo, count]) => `${colo} (${rounded(count)})`).join(', ')}: ` +
        'several data centres responded, so routes differ in length';
}

const MAX_NAME_LENGTH = 32;

/** A result from another version, or a forged one, might contain any number of causes. */
const MAX_REASONS = 10;

/**
 * The evidence for each bottleneck, from the first host that has it: other hosts differ only in figures.
 *
 * @param {Pick<StageMerge, 'shares' | 'hosts'>} merge
 * @returns {string[]} each with its host's name if there are several hosts; untrusted text, not escaped for any format
 */
export function limitReasons({ shares, hosts }) {
  /** @type {Map<string, string>} */
  const byCause = new Map();
  for (const { host, limitedBy, certainty, evidence = null, advice = null } of shares) {
    if (limitedBy !== null && evidence !== null && !byCause.has(limitedBy)) {
      // Advice about hosts, such as a second one, is for a run of one host.
      const isMeant = hosts === 1 || !advice?.includes('host');
      const reason = formatEvidence({ certainty, evidence, advice: isMeant ? advice : null });
      byCause.set(
        limitedBy,
        hosts === 1 ? reason : `${shorten(host, MAX_NAME_LENGTH)}: ${reason.replaceAll('this host', 'the host')}`,
      );
    }
  }
  return [...byCause.values()].slice(0, MAX_REASONS);
}

const MAX_LISTED = 8;

/**
 * Shortens a name in its middle, because names of hosts differ at either end.
 *
 * @param {string} name
 * @param {number} longest characters
 */
export function shorten(name, longest) {
  const half = Math.floor((longest - 1) / 2);
  return name.length > longest ? `${name.slice(0, longest - 1 - half)}…${name.slice(-half)}` : name;
}

/**
 * @param {readonly string[]} names
 * @param {string} [separator]
 * @returns {string} the first names, then the number of further names
 */
export function listed(names, separator = ', ') {
  const shown = names.slice(0, MAX_LISTED);
  const more = names.length - shown.length;
  return shown.join(separator) + (more > 0 ? ` and ${more} more` : '');
}

/**
 * Descriptions of the kinds of failed attempts, because some of their names in the log look alike.
 *
 * @type {Readonly<Record<string, string>>}
 */
const LABELS = {
  abandoned: 'abandoned at the end',
  certificate: 'certificate rejected',
  changed: 'object or list changed',
  'client-error': 'request rejected (4xx)',
  'clock-skew': 'client clock wrong',
  connect: 'could not connect',
  connection: 'connection lost',
  denied: 'access denied',
  full: 'bucket or account full',
  'incomplete-request': 'request arrived incomplete',
  integrity: 'wrong content',
  name: 'host name not resolved',
  'no-bucket': 'bucket missing',
  'no-port': 'no free local port',
  'no-upload': 'upload missing',
  'no-winner': 'race without a winner',
  'not-deleted': 'keys not deleted',
  'not-found': 'object missing',
  other: 'other error',
  others: 'rarer errors',
  protocol: 'invalid response',
  redirect: 'redirected (3xx)',
  'rewritten-too-soon': 'key rewritten within a second',
  'retried-by-sdk': 'retried by the SDK',
  'server-error': 'server error (5xx)',
  'short-page': 'list page incomplete',
  'start-after': 'start of a list page ignored',
  'stale-connection': 'idle connection closed by the store',
  throttled: 'throttled (503, 429)',
  timeout: 'timeout',
  tls: 'TLS failed',
  truncated: 'response cut short',
};

/** Such as `timeout 281, connection lost 10`. @param {Readonly<Record<string, number>>} errors attempts by kind */
export function formatErrors(errors) {
  const kinds = Object.entries(errors).map(([kind, count]) => `${labelOf(kind)} ${count}`);
  return kinds.length === 0 ? 'none' : kinds.join(', ');
}

/** @param {string} kind external text, possibly from a later version or forged */
function labelOf(kind) {
  return Object.hasOwn(LABELS, kind) ? LABELS[kind] : kind;
}
