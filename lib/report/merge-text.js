import { bucketFindings } from '../result/bottleneck/bucket-findings.js';
import { columnOf } from '../result/figures/catalogue.js';
import { shownStep } from '../result/figures/shown-step.js';
import { PLAIN, textTable } from '../result/figures/table.js';
import { shortcomingsOf } from '../result/completeness.js';
import { describeShortfall } from '../result/ramp.js';
import { andMore, counted, decimal, rounded, shortLimit } from '../text/figures.js';
import { placeOf, plainLine } from '../text/plain-text.js';
import { wrapAtWords } from '../text/text-width.js';
import { formatTimeOfDay } from '../text/units.js';
import { capacityText } from './headline.js';
import { coloLine, formatErrors, formatStageSummary, listed, shorten, stageFindings } from './stage-findings.js';

/**
 * @import { Look } from '../result/figures/drawing.js'
 * @import { Column } from '../result/figures/table.js'
 * @import { MergedResult, MergedStage } from '../result/merge/merge.js'
 * @import { ClockTrust, MergedRamp, Overlap, RampResult, StageMerge, StageShare } from '../result/result.js'
 */

/** @type {readonly Column<StageShare>[]} */
export const SHARE_COLUMNS = [
  { title: 'Host', value: ({ host }) => shorten(host, MAX_NAME_LENGTH) },
  { title: 'From', value: ({ startedAt }) => momentOf(startedAt), rank: 1 },
  { title: 'To', value: ({ endedAt }) => momentOf(endedAt), rank: 2 },
  { title: 'Operations', quantity: 'count', value: ({ operations }) => operations },
  { title: 'Own peak', quantity: 'rate', value: ({ peak }) => peak },
  {
    title: 'Limited by',
    value: ({ limitedBy, certainty }) => limitedBy && shortLimit({ cause: limitedBy, certainty }),
  },
];

const INDENT = '  ';

const LABEL_WIDTH = 'Operations'.length + 2;

/** Further hosts are only in the JSON result. */
const MAX_HOSTS = 20;

const MAX_NAME_LENGTH = 32;

/**
 * Everything after the peaks: the hosts, a block per stage, and the table of stages.
 *
 * @param {MergedResult} result
 * @param {Look} [look]
 */
export function formatMergeBlocks(result, look = PLAIN) {
  const {
    hosts,
    stages,
    merge: { clocks, isDated },
  } = result;
  const names = [...new Set(hosts.map(({ merge }) => merge?.name ?? ''))];
  const inner = { ...look, columns: look.columns - INDENT.length };
  const head = rowsOf(
    [
      ['Hosts', `${rounded(names.length)}: ${listed(names)}`],
      ['Clocks', clocksText(clocks)],
      ['Colos', coloLine(stages)],
    ],
    look,
  );
  const blocks = stages.map((stage) => [
    plainLine(stage.stage),
    ...[
      ...textTable({ columns: STRETCH_COLUMNS, rows: stretchesOf(stage, isDated) }, inner),
      '',
      ...rowsOf(factsOf(stage), inner),
      '',
      ...hostRows(stage.merge, inner),
      ...rampLines(stage, inner),
    ].map((line) => `${INDENT}${line}`.trimEnd()),
  ]);
  const table = formatStageSummary(stages, look).slice(1);
  return [head, ...blocks, table].map((lines) => `\n${lines.join('\n')}\n`).join('');
}

/**
 * @param {MergedStage} stage
 * @param {Look} look
 * @returns {string[]} empty without a ramp
 */
function rampLines({ ramp, merge: { ramp: merged } }, look) {
  return ramp === undefined || merged === undefined ? [] : ['', ...formatRamp({ ramp, merged }, look)];
}

/** The times that are not known to follow the store's clock; null if there are none. @param {ClockTrust} clocks */
function clocksText({ trusted, withoutMachineLines }) {
  const own = trusted.length === 0 ? [] : [`the hosts' own on ${listed(trusted)}: no offset was measured`];
  const dated =
    withoutMachineLines.length === 0
      ? []
      : [`without machine lines in ${listed(withoutMachineLines)}: to the second, and the date is assumed`];
  return [...own, ...dated].join('; ') || null;
}

/**
 * @param {readonly (readonly [label: string, text: string | null])[]} facts those without a text are left out
 * @param {Look} look
 */
function rowsOf(facts, { columns }) {
  return facts.flatMap(([label, text]) =>
    text === null ? [] : wrapAtWords(label.padEnd(LABEL_WIDTH) + plainLine(text), columns - 1, ' '.repeat(LABEL_WIDTH)),
  );
}

/** @typedef {{ name: string, operationsPerSecond: number | null, bytesPerSecond?: number | null, when: string }} Stretch */

/** @type {readonly Column<Stretch>[]} */
const STRETCH_COLUMNS = [
  { title: '', value: ({ name }) => name },
  columnOf('rate', ({ operationsPerSecond }) => operationsPerSecond),
  { ...columnOf('throughput', ({ bytesPerSecond }) => bytesPerSecond), rank: 1 },
  { title: 'When', value: ({ when }) => when },
];

/**
 * @param {MergedStage} stage
 * @param {boolean} isDated
 * @returns {Stretch[]}
 */
function stretchesOf({ average, merge: { peak, sustained, together, hosts } }, isDated) {
  const ofPeak =
    peak.secondStart === null
      ? peak.operationsPerSecond === average
        ? 'the mean, which is higher than any second'
        : 'from the summary of the log'
      : `${formatStretch(peak.secondStart, 1, isDated)}, ${rounded(peak.hosts)} of ${counted(hosts, 'host')}`;
  const all = hosts > 1 ? 'all hosts in' : 'whole seconds';
  return [
    { name: 'Peak second', ...peak, when: ofPeak },
    ...(sustained === null
      ? []
      : [
          {
            ...{ name: 'Best 10 seconds', ...sustained },
            when: formatStretch(sustained.secondStart, sustained.seconds, isDated),
          },
        ]),
    together === null
      ? {
          ...{ name: `Mean, ${all}`, operationsPerSecond: null },
          when: `no whole second${hosts > 1 ? ' includes all hosts' : ''}`,
        }
      : { name: `Mean, ${all}`, ...together, when: `over ${counted(together.seconds, 'whole second')}` },
  ];
}

/**
 * @param {MergedStage} stage
 * @returns {[label: string, text: string | null][]}
 */
function factsOf(stage) {
  const { operations, attempts, errors, buckets = [], merge } = stage;
  const [missing] = merge.missingLatency;
  return [
    ['Overlap', merge.hosts === 1 ? null : overlapText(merge.overlap, merge.hosts)],
    ['Operations', `${merge.isAtLeast ? 'at least ' : ''}${rounded(operations)} in ${counted(attempts, 'attempt')}`],
    ['Errors', formatErrors(errors)],
    ['Problems', shortcomingsOf(stage).join('; ') || null],
    ['Found', stageFindings(stage).join('; ') || null],
    ['Missing', missing ? `${placeOf(missing)}: ${missing.reason}${andMore(merge.missingLatency.length)}` : null],
    ...bucketFindings(buckets).map((finding) => /** @type {[string, string]} */ (['Buckets', finding])),
  ];
}

/**
 * @param {Overlap | null} overlap
 * @param {number} hosts
 */
function overlapText(overlap, hosts) {
  if (overlap === null) {
    return 'unknown: a log does not contain the times of the stage';
  }
  if (overlap.together === 0) {
    return `none: the ${counted(hosts, 'host')} were never all in the stage at once: start them all with --start-at next:60s`;
  }
  const [together, any] = [overlap.together, overlap.any].map((ms) => Math.round(ms / 10));
  // Uses the rounded figures, so that 3.04 s of 3.04 s is not shown as 99%.
  const percentage = any === 0 ? 100 : Math.floor((100 * together) / any);
  return `all ${counted(hosts, 'host')} for ${decimal(together / 100, 2)} s of ${decimal(any / 100, 2)} s (${percentage}%)`;
}

/**
 * @param {StageMerge} merge
 * @param {Look} look
 */
function hostRows({ shares }, look) {
  const rows = shares.slice(0, MAX_HOSTS);
  const lines = textTable({ columns: SHARE_COLUMNS, rows }, look);
  return rows.length === shares.length
    ? lines
    : [...lines, `and ${rounded(shares.length - rows.length)} more (see --json)`];
}

/** Such as `12:00:06.123`. @param {number | null} ms since 1970, or since midnight */
function momentOf(ms) {
  if (ms === null) {
    return null;
  }
  const whole = Math.round(ms);
  const second = Math.floor(whole / 1000);
  return `${formatTimeOfDay(second)}.${String(whole - second * 1000).padStart(3, '0')}`;
}

/** Such as `2026-01-31 `. @param {number} second epoch second */
function dateOf(second) {
  return `${new Date(second * 1000).toISOString().slice(0, '2026-01-31'.length)} `;
}

/**
 * Formats a range of whole seconds, with the date if it is known: `2026-01-31 12:00:06 to 12:00:07 UTC`.
 *
 * @param {number} from the first second
 * @param {number} seconds
 * @param {boolean} isDated
 */
function formatStretch(from, seconds, isDated) {
  return `${isDated ? dateOf(from) : ''}${formatTimeOfDay(from)} to ${formatTimeOfDay(from + seconds)} UTC`;
}

/**
 * Formats the peaks as JavaScript prints an object, like the original tool, rounded to one decimal.
 *
 * @param {Readonly<Record<string, number>>} peaks ops/s
 */
export function formatMergeSummary(peaks) {
  const lines = Object.entries(peaks).map(([stage, peak]) => `  ${propertyName(stage)}: ${Number(peak.toFixed(1))}`);
  return `Peak Performance: {\n${lines.join(',\n')}\n}\n`;
}

/** @param {string} stage */
function propertyName(stage) {
  return stage.includes('-') ? `'${stage}'` : stage;
}

/**
 * @typedef {{ ramp: RampResult, merged: MergedRamp }} ShownRamp
 */

/** @typedef {ReturnType<typeof shownStep> & MergedRamp['slots'][number] & { note: string | null }} Row */

/** @type {readonly Column<Row>[]} */
const COLUMNS = [
  { title: 'Slot', value: ({ slotStart }) => formatTimeOfDay(slotStart) },
  columnOf('threads', ({ threads }) => threads),
  { title: 'Hosts', quantity: 'count', value: ({ hosts }) => hosts, rank: 2 },
  columnOf('rate', ({ operationsPerSecond }) => operationsPerSecond),
  { ...columnOf('p50', ({ p50 }) => p50), rank: 1 },
  columnOf('p99', ({ p99 }) => p99),
  columnOf('errors', ({ errors }) => errors),
  { title: 'Does not count', value: ({ note }) => note },
];

/**
 * One line per slot, over all hosts, then the conclusion.
 *
 * @param {ShownRamp} ramp
 * @param {Look} [look]
 */
export function formatRamp({ ramp, merged }, look = PLAIN) {
  const rows = merged.slots.map((slot, index) => ({
    ...shownStep(ramp.steps[index]),
    ...slot,
    note: slot.counts ? null : whyNot(slot.slotStart, merged),
  }));
  return [...textTable({ columns: COLUMNS, rows }, look), ...wrapAtWords(conclusionOf(merged), look.columns - 1)];
}

/**
 * @param {number} slotStart
 * @param {MergedRamp} merged
 */
function whyNot(slotStart, { missing, shardIsMissing }) {
  const absent = missing.flatMap(({ host, slots, shortfalls }) => {
    const index = slots.indexOf(slotStart);
    return index < 0 ? [] : [`${host} ${describeShortfall(shortfalls[index])}`];
  });
  return listed(shardIsMissing ? [...absent, 'a shard has no log'] : absent);
}

/** @param {MergedRamp} merged */
function conclusionOf(merged) {
  if (merged.shardIsMissing || merged.capacity === null) {
    const reason = merged.shardIsMissing
      ? 'a shard has no log, so the sums do not include its operations'
      : 'no slot has figures from all hosts';
    return `Ramp: capacity unknown: ${reason}.`;
  }
  const counting = merged.slots.filter(({ counts }) => counts);
  const advice = merged.hasPlateau ? '' : ': use more threads or more hosts';
  return `Ramp: ${capacityText({ merge: { ramp: merged } }, merged.capacity)}${advice}; ${counting.length} of ${counted(merged.slots.length, 'slot')} count.`;
}
