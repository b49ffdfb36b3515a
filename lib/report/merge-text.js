import { bucketFindings } from '../result/bottleneck/bucket-findings.js';
import { columnOf } from '../result/figures/catalogue.js';
import { latencyRows, latencyText } from '../result/figures/latency-table.js';
import { SHOWN } from '../result/figures/quantities.js';
import { shownStep } from '../result/figures/shown-step.js';
import { PLAIN, textTable } from '../result/figures/table.js';
import { hostsWithPercentiles } from '../result/completeness.js';
import { describeShortfall } from '../result/ramp.js';
import { andMore, counted, rounded, shortLimit } from '../text/figures.js';
import { placeOf, plainLine } from '../text/plain-text.js';
import { formatMegabytes, formatTimeOfDay } from '../text/units.js';
import { capacityText } from './headline.js';
import { coloLine, formatErrors, formatStageSummary, listed, shorten } from './stage-findings.js';

/**
 * @import { Look } from '../result/figures/drawing.js'
 * @import { Column } from '../result/figures/table.js'
 * @import { MergedResult, MergedStage } from '../result/merge/merge.js'
 * @import { ClockTrust, MergedRamp, Overlap, RampResult, StageMerge, StageShare } from '../result/result.js'
 */

/** @type {readonly Column<StageShare>[]} */
export const SHARE_COLUMNS = [
  { title: 'Host', value: ({ host }) => shorten(host, MAX_NAME_LENGTH) },
  { title: 'From', value: ({ startedAt }) => momentOf(startedAt) },
  { title: 'To', value: ({ endedAt }) => momentOf(endedAt) },
  { title: 'Operations', quantity: 'count', value: ({ operations }) => operations },
  { title: 'Own peak', quantity: 'rate', value: ({ peak }) => peak },
  {
    title: 'Limited by',
    value: ({ limitedBy, certainty }) => limitedBy && shortLimit({ cause: limitedBy, certainty }),
  },
];

const LABEL_WIDTH = 'Mean, whole seconds'.length + 2;

/** Hosts measured together if the last of them began within this share of the stage's time. */
const MAX_DELAY = 0.2;

const ADVICE = 'start them all with --start-at next:60s; --duration keeps them together';

/** Further hosts are only in the JSON result. */
const MAX_HOSTS = 20;

const MAX_NAME_LENGTH = 32;

/**
 * Everything after the peaks: the headlines, hosts and clocks, a block per stage, and the table of stages.
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
  const head = [row('Hosts', `${names.length}: ${listed(names)}`), ...clockLines(clocks), ...coloLines(stages)];
  const blocks = stages.map((stage) => [
    stage.stage,
    ...stageLines(stage, isDated).map(([label, text]) => `  ${row(label, text)}`),
    '',
    ...formatHostRows(stage.merge).map((line) => `  ${line}`),
    ...rampLines(stage).map((line) => `  ${line}`.trimEnd()),
  ]);
  const table = formatStageSummary(stages, look).slice(1);
  return [head, ...blocks, ...overlapAdvice(stages), table]
    .map((lines) => `\n${lines.map(plainLine).join('\n')}\n`)
    .join('');
}

/** Empty without a ramp. @param {MergedStage} stage */
function rampLines({ ramp, merge: { ramp: merged } }) {
  return ramp === undefined || merged === undefined ? [] : ['', ...formatRamp({ ramp, merged })];
}

/** @param {readonly MergedStage[]} stages */
function overlapAdvice(stages) {
  const apart = stages.filter(({ merge: { hosts, shares } }) => hosts > 1 && beganApart(shares));
  const names = apart.map(({ stage }) => stage).join(', ');
  return apart.length === 0 ? [] : [[`The hosts did not run ${names} at the same time: ${ADVICE}.`]];
}

/** A host that was killed, or has less to do, may end before others. @param {readonly StageShare[]} shares */
function beganApart(shares) {
  const times = shares.flatMap(({ startedAt, endedAt }) =>
    startedAt === null || endedAt === null ? [] : [{ startedAt, endedAt }],
  );
  const starts = times.map(({ startedAt }) => startedAt);
  const first = Math.min(...starts);
  const length = Math.max(...times.map(({ endedAt }) => endedAt)) - first;
  return length > 0 && Math.max(...starts) - first > MAX_DELAY * length;
}

/** @param {ClockTrust} clocks */
function clockLines({ worst, trusted, withoutMachineLines }) {
  const lines = [];
  if (worst !== null) {
    lines.push(`seconds follow the store's clock, within ±${worst.uncertainty.toFixed(1)} ms at worst (${worst.host})`);
  }
  if (trusted.length > 0) {
    lines.push(`offset from the store's clock not measured, so the host's own clock is trusted: ${listed(trusted)}`);
  }
  if (withoutMachineLines.length > 0) {
    const assumption =
      "each line counts as the rate over about one second, placed by its time of day; the date is assumed, and the host's clock is trusted";
    lines.push(`no machine lines in the log of ${listed(withoutMachineLines)}: ${assumption}`);
  }
  return lines.map((line, index) => row(index === 0 ? 'Clocks' : '', line));
}

/** @param {readonly MergedStage[]} stages */
function coloLines(stages) {
  const colos = coloLine(stages);
  return colos === null ? [] : [row('Colos', colos)];
}

/**
 * @param {string} label
 * @param {string} text
 */
function row(label, text) {
  return `${label.padEnd(LABEL_WIDTH)}${text}`;
}

/**
 * @param {MergedStage} stage
 * @param {boolean} isDated
 * @returns {[label: string, text: string][]}
 */
function stageLines(stage, isDated) {
  const { peak, sustained, together, hosts } = stage.merge;
  const when =
    peak.secondStart === null
      ? 'the mean of the stage, which is higher than any whole second'
      : `${formatStretch(peak.secondStart, 1, isDated)}, ${peak.hosts} of ${counted(hosts, 'host')}`;
  const all = hosts > 1 ? 'all hosts in' : 'whole seconds';
  return [
    ['Peak second', `${rates(peak)}  ${when}`],
    ...(sustained === null
      ? []
      : /** @type {[string, string][]} */ ([
          [
            'Best 10 seconds',
            `${rates(sustained)}  ${formatStretch(sustained.secondStart, sustained.seconds, isDated)}`,
          ],
        ])),
    [
      `Mean, ${all}`,
      together === null
        ? `none: the stage has no whole second${hosts > 1 ? ' that includes all hosts' : ''}`
        : `${rates(together)}  over ${counted(together.seconds, 'whole second')}`,
    ],
    ...(hosts === 1 ? [] : /** @type {[string, string][]} */ ([['Overlap', overlapText(stage.merge.overlap, hosts)]])),
    ['Operations', operationsText(stage)],
    ['Errors', formatErrors(stage.errors)],
    ...bucketFindings(stage.buckets ?? []).map((finding) => /** @type {[string, string]} */ (['Buckets', finding])),
    ...latencyLines(stage),
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
    return `none: the ${hosts} hosts were never all in the stage at once`;
  }
  const [together, any] = [overlap.together, overlap.any].map((ms) => Math.round(ms / 10));
  // Uses the rounded figures, so that 3.04 s of 3.04 s is not shown as 99%.
  const percentage = any === 0 ? 100 : Math.floor((100 * together) / any);
  return `all ${hosts} hosts for ${hundredthsOfSeconds(together)} of ${hundredthsOfSeconds(any)} (${percentage}%)`;
}

/** Counts beside those of operations and attempts, and what they count. */
const COUNTS = /** @type {const} */ ({
  throttled: 'throttled',
  failed: 'given up',
  integrityErrors: 'with wrong content',
  vanished: 'vanished',
  changed: 'changed',
  archived: 'archived',
  skipped: 'skipped',
  abandoned: 'abandoned',
});

/** @param {MergedStage} stage */
function operationsText(stage) {
  const { operations, attempts, bytes, merge } = stage;
  const size = bytes ? `, ${formatMegabytes(bytes)} MiB` : '';
  const others = Object.entries(COUNTS).flatMap(([name, what]) => {
    const count = stage[/** @type {keyof typeof COUNTS} */ (name)] ?? 0;
    return count === 0 ? [] : [`, ${rounded(count)} ${what}`];
  });
  return `${merge.isAtLeast ? 'at least ' : ''}${rounded(operations)}${size}, in ${counted(attempts, 'attempt')}${others.join('')}`;
}

/**
 * @param {MergedStage} stage
 * @returns {[label: string, text: string][]}
 */
function latencyLines({ stage, latency, merge }) {
  const [missing] = merge.missingLatency;
  const hosts = hostsWithPercentiles({ latency, merge });
  const known = latencyRows(stage, latency)
    .filter(({ of }) => of === 'operations')
    .map((each) => latencyText(each) + (hosts === null ? '' : ` on ${hosts}`));
  const gaps =
    missing === undefined
      ? []
      : [`missing: ${placeOf(missing)}: ${missing.reason}${andMore(merge.missingLatency.length)}`];
  return [...known, ...gaps].map((text, index) => [index === 0 ? 'Latency' : '', text]);
}

/** @param {{ operationsPerSecond: number, bytesPerSecond: number | null }} rate */
function rates({ operationsPerSecond, bytesPerSecond }) {
  const megabytes = bytesPerSecond ? `${formatMegabytes(bytesPerSecond)} MiB/s` : '';
  return `${SHOWN.rate.textOf(operationsPerSecond).padStart(9)} ops/s ${megabytes.padStart(13)}`;
}

/** @param {number} hundredths of a second */
function hundredthsOfSeconds(hundredths) {
  return `${(hundredths / 100).toFixed(2)} s`;
}

/** @param {StageMerge} merge */
function formatHostRows({ shares }) {
  const rows = shares.slice(0, MAX_HOSTS);
  const lines = textTable({ columns: SHARE_COLUMNS, rows }, PLAIN);
  return rows.length === shares.length ? lines : [...lines, `and ${shares.length - rows.length} more (see --json)`];
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
  { title: 'Hosts', quantity: 'count', value: ({ hosts }) => hosts },
  columnOf('rate', ({ operationsPerSecond }) => operationsPerSecond),
  columnOf('p50', ({ p50 }) => p50),
  columnOf('p99', ({ p99 }) => p99),
  columnOf('errors', ({ errors }) => errors),
  { title: 'Does not count', value: ({ note }) => note },
];

/** One line per slot, over all hosts, then the conclusion. @param {ShownRamp} ramp */
export function formatRamp({ ramp, merged }) {
  const rows = merged.slots.map((slot, index) => ({
    ...shownStep(ramp.steps[index]),
    ...slot,
    note: slot.counts ? null : whyNot(slot.slotStart, merged),
  }));
  return [...textTable({ columns: COLUMNS, rows }, PLAIN), conclusionOf(merged)];
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
