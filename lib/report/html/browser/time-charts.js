import { addChart, DECADES, FROM_ZERO, LOGARITHMIC, isolatedPoints, readout, TIME_AXIS, timeScale } from './chart.js';
import { hostMapChart, latencyMapChart } from './maps.js';
import { hostMap, timeTable } from './seconds.js';
import { stageLine } from './theme.js';
import { decimal, MEGABYTE, milliseconds, timeOfDay } from './units.js';

/**
 * @import UPlot from 'uplot'
 * @import { Result, SecondResult, StageSum } from '../../../model/result.js'
 * @import { LatencyMap } from '../seconds-summary.js'
 * @import { ChartParts } from './chart.js'
 * @import { Cell } from './maps.js'
 * @import { TimeTable } from './seconds.js'
 * @import { Colors } from './theme.js'
 */

/** Each value is plotted at the middle of its second. */
const MIDDLE = 0.5;

/** Columns of the host map. */
const MAX_COLUMNS = 600;

const MINUTE = 60;

/**
 * Draws rate, throughput, failures and latency over time, with a shared cursor.
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
  const x = timeScale(seconds[0], seconds[seconds.length - 1] + 1);
  const show = readout('time');
  const common = { x, xAxis: TIME_AXIS, group: 'time' };
  const byStage = (/** @type {(second: SecondResult) => number | null | undefined} */ figure) =>
    chartData(moments, table.stages, figure);
  const stageSeries = (/** @type {Colors} */ colors) =>
    stages.map((_, index) => ({
      stroke: stageLine(index, colors).stroke,
      width: 1.75,
      points: { size: 5, filter: isolatedPoints },
    }));

  addChart('rate', (colors) => ({
    ...common,
    height: 220,
    data: chartData(moments, table.rates, ({ operations }) => operations),
    series: stageSeries(colors),
    y: FROM_ZERO,
    draw: [drawFailureMarks(table, colors)],
    onCursor: (index) => show(index === null ? null : secondText(stages, table, index)),
  }));
  addChart('throughput', (colors) => ({
    ...common,
    height: 150,
    data: chartData(moments, table.rates, ({ bytes }, index) => (stages[index].bytes ? bytes / MEGABYTE : null)),
    series: stageSeries(colors),
    y: FROM_ZERO,
  }));
  addChart('failures', (colors) => failuresChart(table, moments, common, colors));
  addChart('latency', (colors) => latencyChart(byStage, stages.length, common, colors));
  if (latencies !== null) {
    addChart('latency-map', (colors) => ({ ...latencyMapChart(latencies, seconds, colors), yAxis: DECADES }));
  }
}

/**
 * @template Row
 * @param {readonly number[]} moments
 * @param {readonly (readonly (Row | null)[])[]} stages
 * @param {(row: Row, stage: number) => number | null | undefined} figure
 * @returns {UPlot.AlignedData} one line per stage
 */
function chartData(moments, stages, figure) {
  const lines = stages.map((rows, stage) => rows.map((row) => (row === null ? null : (figure(row, stage) ?? null))));
  return [[...moments], ...lines];
}

/**
 * @param {TimeTable} table
 * @param {readonly number[]} moments
 * @param {Pick<ChartParts, 'x' | 'xAxis' | 'group'>} common
 * @param {Colors} colors
 * @returns {ChartParts} bars for all failures, overlaid by bars for throttling
 */
function failuresChart({ seconds, stages }, moments, common, colors) {
  const sum = (/** @type {'failedAttempts' | 'throttled'} */ name) =>
    seconds.map((_, index) => stages.reduce((total, stage) => total + (stage[index]?.[name] ?? 0), 0));
  const bars = { width: 1, paths: uPlot.paths.bars?.({ size: [0.7, 40] }), points: { show: false } };
  const { other, throttled } = colors.lines;
  return {
    ...common,
    height: 120,
    data: [[...moments], sum('failedAttempts'), sum('throttled')],
    series: [
      { ...bars, stroke: other, fill: other },
      { ...bars, stroke: throttled, fill: throttled },
    ],
    y: FROM_ZERO,
  };
}

/**
 * @param {(figure: (second: SecondResult) => number | null | undefined) => UPlot.AlignedData} byStage
 * @param {number} stages
 * @param {Pick<ChartParts, 'x' | 'xAxis' | 'group'>} common
 * @param {Colors} colors
 * @returns {ChartParts}
 */
function latencyChart(byStage, stages, common, { lines: { longest, p99, p50 } }) {
  // A logarithmic axis cannot show 0.
  const positive = (/** @type {number | null | undefined} */ ms) => (ms ? ms : null);
  const parts = [
    { data: byStage((second) => positive(second.maximum)), stroke: longest, width: 1, dash: [2, 3] },
    { data: byStage((second) => positive(second.p99)), stroke: p99, width: 1.5, dash: [7, 3] },
    { data: byStage((second) => positive(second.p50)), stroke: p50, width: 1.75, dash: [] },
  ];
  return {
    ...common,
    height: 220,
    data: /** @type {UPlot.AlignedData} */ ([parts[0].data[0], ...parts.flatMap(({ data }) => data.slice(1))]),
    series: parts.flatMap(({ stroke, width, dash }) =>
      Array.from({ length: stages }, () => ({ stroke, width, dash, points: { size: 4, filter: isolatedPoints } })),
    ),
    y: LOGARITHMIC,
    yAxis: DECADES,
  };
}

/**
 * @param {TimeTable} table
 * @param {Colors} colors
 * @returns {(plot: UPlot) => void}
 */
function drawFailureMarks({ seconds, stages }, { lines }) {
  const marks = seconds.flatMap((second, index) => {
    const failed = stages.reduce((sum, stage) => sum + (stage[index]?.failedAttempts ?? 0), 0);
    const throttled = stages.reduce((sum, stage) => sum + (stage[index]?.throttled ?? 0), 0);
    return failed === 0 ? [] : [{ second, color: throttled > 0 ? lines.throttled : lines.other }];
  });
  return (plot) => {
    const { ctx, bbox } = plot;
    const size = 4 * devicePixelRatio;
    for (const { second, color } of marks) {
      const middle = plot.valToPos(second + MIDDLE, 'x', true);
      if (middle >= bbox.left && middle <= bbox.left + bbox.width) {
        ctx.fillStyle = color;
        ctx.beginPath();
        ctx.moveTo(middle - size, bbox.top + bbox.height);
        ctx.lineTo(middle, bbox.top + bbox.height - 2 * size);
        ctx.lineTo(middle + size, bbox.top + bbox.height);
        ctx.fill();
      }
    }
  };
}

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
    const throughput = rate !== null && bytes ? `, ${decimal(rate.bytes / MEGABYTE)} MiB/s` : '';
    const done =
      rate === null
        ? `${decimal(operations, 0)} operations in part of a second`
        : `${decimal(rate.operations, 0)} ops/s`;
    const latency =
      typeof p50 === 'number'
        ? `, p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}, longest ${milliseconds(maximum)}`
        : '';
    const failed = failedAttempts === 0 ? '' : `, ${decimal(failedAttempts, 0)} failed attempts`;
    return [`${stage} ${done}${throughput}${latency}${failed}`];
  });
  return `${timeOfDay(table.seconds[index])} UTC: ${parts.length === 0 ? 'nothing was measured' : parts.join('; ')}`;
}

/**
 * @param {Result} result
 * @param {object} rows
 * @param {readonly string[]} rows.hosts names in the result
 * @param {readonly string[]} rows.labels names to show
 */
export function drawHosts({ stages }, { hosts, labels }) {
  const map = hostMap(stages, hosts, MAX_COLUMNS);
  if (map === null) {
    return;
  }
  const { from, columnSeconds } = map;
  const columns = map.hosts[0].length;
  const starts = Array.from({ length: columns }, (_, column) => from + column * columnSeconds);
  const extent = /** @type {const} */ ([from, from + columns * columnSeconds]);
  const highest = map.hosts.flat().reduce((/** @type {number} */ largest, rate) => Math.max(largest, rate ?? 0), 1);
  const show = readout('hosts');
  const cells = map.hosts.flatMap((rates, row) =>
    rates.flatMap((rate, column) =>
      rate === null
        ? []
        : [
            {
              from: starts[column],
              until: starts[column] + columnSeconds,
              low: row,
              high: row + 0.92,
              share: rate / highest,
            },
          ],
    ),
  );
  addChart('host-map', (colors) =>
    hostMapChart(
      {
        hosts: labels,
        cells,
        moments: starts.map((start) => start + columnSeconds / 2),
        extent,
        onCursor: (column) => show(column === null ? null : hostsText(map.hosts, starts[column])(column, labels)),
      },
      colors,
    ),
  );
  addChart('host-latency-map', (colors) =>
    hostMapChart({ hosts: labels, ...minuteCells(stages, hosts), extent }, colors),
  );
}

/**
 * @param {readonly (readonly (number | null)[])[]} rates by host and column
 * @param {number} start epoch s
 * @returns {(column: number, hosts: readonly string[]) => string} describes all hosts and names the slowest and fastest
 */
function hostsText(rates, start) {
  return (column, hosts) => {
    const known = rates.flatMap((row, index) => {
      const rate = row[column];
      return rate === null ? [] : [{ rate, host: hosts[index] }];
    });
    const sorted = known.sort((one, other) => one.rate - other.rate);
    const ends = [sorted[0], sorted[sorted.length - 1]].map(
      (each) => each && `${each.host} ${decimal(each.rate)} ops/s`,
    );
    const total = known.reduce((sum, { rate }) => sum + rate, 0);
    const extremes = known.length < 2 ? '' : `, from ${ends[0]} to ${ends[1]}`;
    return `${timeOfDay(start)} UTC: ${known.length} hosts, ${decimal(total)} ops/s together${extremes}`;
  };
}

/**
 * @param {readonly StageSum[]} stages
 * @param {readonly string[]} hosts
 * @returns {{ cells: Cell[], moments: number[] }}
 */
function minuteCells(stages, hosts) {
  const minutes = stages.flatMap(({ merge }) =>
    (merge?.shares ?? []).flatMap(({ host, startedAt, endedAt, series }) =>
      (hosts.includes(host) ? (series?.minutes ?? []) : []).map(({ minuteStart, p99 }) => ({
        row: hosts.indexOf(host),
        p99,
        minuteStart,
        // A minute can contain several stages, so keep only the part inside this stage.
        from: Math.max(minuteStart, (startedAt ?? 0) / 1000),
        until: Math.min(minuteStart + MINUTE, (endedAt ?? Infinity) / 1000),
      })),
    ),
  );
  const [lowest, highest] = minutes.reduce(
    ([low, high], { p99 }) => [Math.min(low, p99), Math.max(high, p99)],
    [Infinity, 0],
  );
  const shareOf = (/** @type {number} */ p99) =>
    highest > lowest ? Math.log(p99 / lowest) / Math.log(highest / lowest) : 0.5;
  return {
    cells: minutes.map(({ from, until, p99, row }) => ({
      from,
      until,
      low: row,
      high: row + 0.92,
      share: 0.08 + 0.92 * shareOf(p99),
    })),
    moments: [...new Set(minutes.map(({ minuteStart }) => minuteStart + MINUTE / 2))].sort((one, other) => one - other),
  };
}
