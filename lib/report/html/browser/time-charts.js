import { addChart, decimal, DECADES, FROM_ZERO, LOGARITHMIC, milliseconds, stageLine } from './chart.js';

/**
 * @import UPlot from 'uplot'
 * @import { SecondCount, SecondResult, StageSum } from '../../../result/result.js'
 * @import { LatencyMap } from '../sections.js'
 * @import { Colors } from './chart.js'
 */

/** Each value is plotted at the middle of its second. */
const MIDDLE = 0.5;

const MEGABYTE = 1024 ** 2;

/** Longer lines have points only where no line shows a value. */
const MAX_POINTS = 60;

/**
 * Draws rate, failures and latency over time, with a shared cursor.
 *
 * @param {readonly StageSum[]} stages
 * @param {LatencyMap | null} latencies
 */
export function drawTime(stages, latencies) {
  const table = timeTable(stages);
  const { seconds } = table;
  if (seconds.length === 0) {
    return;
  }
  const moments = seconds.map((second) => second + MIDDLE);
  const [from, until] = [seconds[0], seconds[seconds.length - 1] + 1];
  const common = {
    group: 'time',
    x: /** @type {UPlot.Scale} */ ({
      range: (_, least, most) => (least === null || most === null || least === most ? [from, until] : [least, most]),
      min: from,
      max: until,
    }),
    xAxis: /** @type {Partial<UPlot.Axis>} */ ({
      space: 80,
      incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400],
      values: (_, values) => values.map(timeOfDay),
    }),
  };
  const replayed = table.stages.filter((stage) => stage.some((second) => second?.due !== undefined));
  addChart('rate', (colors) => ({
    ...common,
    height: 220,
    data: [
      moments,
      ...table.rates.map((rates) => rates.map((rate) => rate?.operations ?? null)),
      ...replayed.map((stage) => stage.map((second) => second?.due ?? null)),
    ],
    series: [
      ...stages.map((_, index) => ({ ...stageLine(index, colors), dash: [], points: POINTS })),
      ...replayed.map(() => ({ stroke: colors.longest, width: 1.5, dash: [2, 3], points: POINTS })),
    ],
    y: FROM_ZERO,
    readout: { name: 'time', textAt: (index) => secondText(stages, table, index) },
  }));
  addChart('failures', ({ other, throttled }) => {
    const bars = { width: 1, paths: uPlot.paths.bars?.({ size: [0.7, 40] }), points: { show: false } };
    const sum = (/** @type {'failedAttempts' | 'throttled'} */ name) =>
      seconds.map((_, index) => table.stages.reduce((total, stage) => total + (stage[index]?.[name] ?? 0), 0));
    return {
      ...common,
      height: 120,
      // The bars of throttled attempts cover a part of those of all failures.
      data: [moments, sum('failedAttempts'), sum('throttled')],
      series: [other, throttled].map((color) => ({ ...bars, stroke: color, fill: color })),
      y: FROM_ZERO,
    };
  });
  addChart('latency', ({ longest, p99, p50 }) => {
    const lines = [
      { of: /** @type {const} */ ('maximum'), stroke: longest, width: 1, dash: [2, 3] },
      { of: /** @type {const} */ ('p99'), stroke: p99, width: 1.5, dash: [7, 3] },
      { of: /** @type {const} */ ('p50'), stroke: p50, width: 1.75, dash: [] },
    ].flatMap((line) => table.stages.map((of) => ({ line, of })));
    return {
      ...common,
      height: 220,
      // A logarithmic axis cannot show 0.
      data: [moments, ...lines.map(({ line, of }) => of.map((second) => second?.[line.of] || null))],
      series: lines.map(({ line: { stroke, width, dash } }) => ({ stroke, width, dash, points: POINTS })),
      y: LOGARITHMIC,
      yAxis: DECADES,
    };
  });
  if (latencies !== null) {
    const { edges } = latencies;
    addChart('latency-map', (colors) => ({
      ...common,
      height: 200,
      // No line, but moments for the cursor to snap to.
      data: [[...seconds], seconds.map(() => null)],
      series: [{}],
      y: { ...LOGARITHMIC, range: [edges[0], edges[edges.length - 1]] },
      yAxis: DECADES,
      draw: (plot) => drawCells(plot, latencies, colors),
    }));
  }
}

/** @type {UPlot.Series.Points} */
const POINTS = {
  size: 5,
  filter(plot, line) {
    const values = plot.data[line];
    const hasValue = (/** @type {number} */ at) => typeof values[at] === 'number';
    const isShown = (/** @type {number} */ at) =>
      values.length <= MAX_POINTS || (!hasValue(at - 1) && !hasValue(at + 1));
    return Array.from(values, (_, at) => at).filter((at) => hasValue(at) && isShown(at));
  },
};

/**
 * @param {readonly StageSum[]} stages
 * @param {TimeTable} table
 * @param {number} index of the second
 */
function secondText(stages, table, index) {
  const parts = stages.flatMap(({ stage, bytes }, at) => {
    const second = table.stages[at][index];
    if (second === null) {
      return [];
    }
    const { operations, p50, p99, maximum, failedAttempts = 0 } = second;
    const rate = table.rates[at][index];
    const done = [
      rate === null
        ? `${decimal(operations, 0)} operations in part of a second`
        : `${decimal(rate.operations, 0)} ops/s`,
      ...(rate !== null && bytes ? [`${decimal(rate.bytes / MEGABYTE)} MiB/s`] : []),
      ...(typeof p50 === 'number'
        ? [`p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}, longest ${milliseconds(maximum)}`]
        : []),
      ...(failedAttempts === 0 ? [] : [`${decimal(failedAttempts, 0)} failed attempts`]),
    ];
    return [`${stage} ${done.join(', ')}`];
  });
  return `${timeOfDay(table.seconds[index])} UTC: ${parts.join('; ') || 'nothing was measured'}`;
}

/**
 * @param {UPlot} plot
 * @param {LatencyMap} map
 * @param {Colors} colors
 */
function drawCells(plot, { from, columnSeconds, edges, cells }, { ramp }) {
  const largest = cells.reduce((max, [, , count]) => Math.max(max, count), 1);
  const { ctx, bbox } = plot;
  const x = (/** @type {number} */ column) => Math.round(plot.valToPos(from + column * columnSeconds, 'x', true));
  const y = (/** @type {number} */ edge) => Math.round(plot.valToPos(edges[edge], 'y', true));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const [column, row, count] of cells) {
    const [left, top] = [x(column), y(row + 1)];
    ctx.fillStyle = ramp[Math.ceil(((ramp.length - 1) * Math.log1p(count)) / Math.log1p(largest))];
    ctx.fillRect(left, top, Math.max(x(column + 1) - left, 1), Math.max(y(row) - top, 1));
  }
  ctx.restore();
}

/** UTC, such as `12:00:06`. @param {number} second epoch second */
function timeOfDay(second) {
  return new Date(1000 * second).toISOString().slice('2026-01-31T'.length, -'.000Z'.length);
}

const SECOND = 1000;

/** A second with this many measured ms counts as whole: hosts that start together can be a few ms late. */
const MIN_WHOLE = 990;

/**
 * @typedef {{ operations: number, bytes: number }} Rate per second
 * @typedef {{ from: number, until: number }} Time epoch ms
 */

/**
 * Rates to draw, by epoch second. Drops incomplete seconds, because their low counts would look like drops in the rate.
 * A stage without whole seconds has its mean rate in its most complete second.
 *
 * @param {StageSum} stage
 * @returns {Map<number, Rate>}
 */
export function ratesOfStage(stage) {
  const { seconds, average = null, averageBytes } = stage;
  const times = measuredTimes(stage);
  const parts = seconds.map((second) => ({ second, part: partOf(second, times) }));
  const whole = parts.filter(({ part }) => part >= MIN_WHOLE);
  if (whole.length > 0) {
    return new Map(whole.map(({ second }) => [second.secondStart, second]));
  }
  const largest = parts.reduce((most, { part }) => Math.max(most, part), 0);
  const main = largest === 0 ? undefined : parts.find(({ part }) => part === largest);
  return main === undefined || average === null
    ? new Map()
    : new Map([[main.second.secondStart, { operations: average, bytes: averageBytes ?? 0 }]]);
}

/**
 * @param {SecondCount} second
 * @param {readonly Time[]} times
 * @returns {number} ms of the second that are within the times
 */
function partOf({ secondStart }, times) {
  const [start, end] = [secondStart * SECOND, (secondStart + 1) * SECOND];
  return times.reduce((sum, { from, until }) => sum + Math.max(Math.min(end, until) - Math.max(start, from), 0), 0);
}

/** The times at which any host was in the stage, without the final drain. @param {StageSum} stage */
function measuredTimes({ startedAt = null, endedAt = null, drain, merge }) {
  const measuredUntil = (endedAt ?? Infinity) - (drain ?? 0);
  const shares = (merge?.shares ?? [{ startedAt, endedAt }]).map((share) => ({
    from: share.startedAt ?? -Infinity,
    until: Math.min(share.endedAt ?? Infinity, measuredUntil),
  }));
  /** @type {Time[]} */
  const times = [];
  for (const { from, until } of shares.sort((one, other) => one.from - other.from)) {
    const last = times.at(-1);
    if (last !== undefined && from <= last.until) {
      last.until = Math.max(last.until, until);
    } else {
      times.push({ from, until });
    }
  }
  return times;
}

/**
 * The seconds of all stages on one time axis. Each gap gets one second without values, so that no line crosses it.
 *
 * @typedef {object} TimeTable
 * @property {number[]} seconds epoch seconds, ascending
 * @property {(SecondResult | null)[][]} stages by stage, then by index in `seconds`
 * @property {(Rate | null)[][]} rates likewise; null for a second that is not drawn
 *
 * @param {readonly StageSum[]} stages
 * @returns {TimeTable}
 */
export function timeTable(stages) {
  const starts = stages.flatMap((stage) =>
    stage.seconds.flatMap(({ secondStart }, index) => {
      const next = stage.seconds[index + 1]?.secondStart ?? secondStart + 1;
      return next > secondStart + 1 ? [secondStart, secondStart + 1] : [secondStart];
    }),
  );
  const seconds = [...new Set(starts)].sort((one, other) => one - other);
  return {
    seconds,
    stages: stages.map((stage) => {
      const bySecond = new Map(stage.seconds.map((second) => [second.secondStart, second]));
      return seconds.map((second) => bySecond.get(second) ?? null);
    }),
    rates: stages.map((stage) => {
      const rates = ratesOfStage(stage);
      return seconds.map((second) => rates.get(second) ?? null);
    }),
  };
}
