import { bottleneckSentence } from '../result/bottleneck/sentence.js';
import { sumsByName } from '../result/counters.js';
import { stageTable } from '../result/figures/stage-table.js';
import { textTable } from '../result/figures/table.js';
import { counted, decimal, formatEvidence, rounded, shortLimit } from '../text/figures.js';
import { plainLine } from '../text/plain-text.js';
import { wrapAtWords } from '../text/text-width.js';

/**
 * @import { Look } from '../result/figures/drawing.js'
 * @import { StageMerge, StageSum } from '../result/result.js'
 * @import { WritableStage } from '../result/write-result.js'
 */

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
    ...(contenders?.length
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
    : `${first}), ${others.map(([colo, count]) => `${colo} (${rounded(count)})`).join(', ')}`;
}

const MAX_NAME_LENGTH = 32;

/**
 * The evidence of the first host that has some, for a stage whose hosts had different bottlenecks.
 *
 * @param {Pick<StageMerge, 'shares' | 'hosts'>} merge
 * @returns {string | null} with the host's name if there are several hosts; untrusted text, not escaped for any format
 */
function reasonOf({ shares, hosts }) {
  const share = shares.find(({ limitedBy, evidence = null }) => limitedBy !== null && evidence !== null);
  if (share === undefined) {
    return null;
  }
  const { host, evidence = null, advice = null } = share;
  // Advice about hosts, such as a second one, is for a run of one host.
  const isMeant = hosts === 1 || !advice?.includes('host');
  // The sentence before it has the certainty of all hosts.
  const reason = formatEvidence({ certainty: null, evidence, advice: isMeant ? advice : null });
  return hosts === 1 ? reason : `${shorten(host, MAX_NAME_LENGTH)}: ${reason.replaceAll('this host', 'the host')}`;
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
  return shown.join(separator) + (more > 0 ? ` and ${rounded(more)} more` : '');
}

/**
 * Descriptions of those kinds of failed attempts whose names in the log look alike.
 *
 * @type {Readonly<Record<string, string>>}
 */
const LABELS = {
  abandoned: 'abandoned at the end',
  changed: 'object or list changed',
  'client-error': 'request rejected (4xx)',
  connect: 'could not connect',
  connection: 'connection lost',
  denied: 'access denied',
  full: 'bucket or account full',
  integrity: 'wrong content',
  name: 'host name not resolved',
  'not-found': 'object missing',
  other: 'other error',
  others: 'rarer errors',
  'server-error': 'server error (5xx)',
  'start-after': 'start of a list page ignored',
  'stale-connection': 'idle connection closed by the store',
  throttled: 'throttled (503, 429)',
  tls: 'TLS failed',
  truncated: 'response cut short',
};

/** Such as `timeout 281, connection lost 10`. @param {Readonly<Record<string, number>>} errors attempts by kind */
export function formatErrors(errors) {
  const kinds = Object.entries(errors).map(([kind, count]) => `${labelOf(kind)} ${rounded(count)}`);
  return kinds.length === 0 ? 'none' : kinds.join(', ');
}

/** @param {string} kind external text, possibly from a later version or forged */
function labelOf(kind) {
  return Object.hasOwn(LABELS, kind) ? LABELS[kind] : kind.replaceAll('-', ' ');
}

/** Maximum width of a sentence, in columns: longer lines are hard to read. */
const MAX_LINE = 100;

/**
 * Summarizes a run, or a merge, on a terminal: a row with a bar for each stage and each of its parts, then the
 * bottlenecks.
 *
 * @param {readonly WritableStage[]} stages at least one
 * @param {Look} look
 * @returns {string[]} lines
 */
export function formatStageSummary(stages, look) {
  const width = Math.min(look.columns - 1, MAX_LINE);
  const sentences = limitSentences(stages).flatMap((sentence) => wrapAtWords(plainLine(sentence), width, '  '));
  return ['', ...textTable(stageTable(stages), look), '', ...sentences];
}

/**
 * One sentence per bottleneck, with the evidence for its first stage. Each reason for an unknown bottleneck has its own.
 *
 * @param {readonly WritableStage[]} stages
 */
export function limitSentences(stages) {
  /** @type {Map<string, { stage: string, cause: string, evidence: string | null, advice: string | null }[]>} */
  const byLimit = new Map();
  for (const { stage, bottleneck, merge } of stages) {
    const { cause, advice, ...rest } = bottleneck ?? { cause: 'inconclusive', advice: null, evidence: null };
    const evidence = rest.evidence ?? (merge === undefined ? null : reasonOf(merge));
    const key = [shortLimit({ cause, ...rest }), advice, cause === 'inconclusive' ? evidence : ''].join();
    byLimit.set(key, [...(byLimit.get(key) ?? []), { ...rest, stage, cause, evidence, advice }]);
  }
  return [...byLimit.values()].map((same) => {
    const [first] = same;
    const names = same.map(({ stage }) => stage);
    const of = same.every(({ evidence }) => evidence === first.evidence) ? '' : `in ${names[0]}, `;
    const evidence = first.evidence && `${of}${first.evidence}`;
    return bottleneckSentence(names, { ...first, evidence });
  });
}
