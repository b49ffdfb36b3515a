import { addChart, DECADES, FROM_ZERO, LOGARITHMIC, isolatedPoints, readout, TIME_AXIS, timeScale } from './chart.js';
import { timeTable } from './seconds.js';
import { colorAt, stageLine } from './theme.js';
import { decimal, MEGABYTE, milliseconds, timeOfDay } from './units.js';

/**
 * @import UPlot from 'uplot'
 * @import { SecondResult, StageSum } from '../../../model/result.js'
 * @import { LatencyMap } from '../seconds-summary.js'
 * @import { ChartParts } from './chart.js'
 * @import { TimeTable } from './seconds.js'
 * @import { Colors } from './theme.js'
 */

/** Each value is plotted at the middle of its second. */
const MIDDLE = 0.5;

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
    addChart('latency-map', (colors) => latencyMapChart(latencies, seconds, colors));
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
 * @param {LatencyMap} map
 * @param {readonly number[]} seconds of the charts above it
 * @param {Colors} colors
 * @returns {ChartParts}
 */
function latencyMapChart(map, seconds, colors) {
  const { edges } = map;
  return {
    height: 200,
    // No line, but moments for the cursor to snap to.
    data: [[...seconds], seconds.map(() => null)],
    series: [{}],
    x: timeScale(seconds[0], seconds[seconds.length - 1] + 1),
    y: { ...LOGARITHMIC, range: [edges[0], edges[edges.length - 1]] },
    xAxis: TIME_AXIS,
    yAxis: DECADES,
    draw: [drawCells(map, colors)],
    group: 'time',
  };
}

/**
 * @param {LatencyMap} map
 * @param {Colors} colors
 * @returns {(plot: UPlot) => void}
 */
function drawCells({ from, columnSeconds, edges, cells }, { ramp }) {
  const largest = cells.reduce((max, [, , count]) => Math.max(max, count), 1);
  return (plot) => {
    const { ctx, bbox } = plot;
    const x = (/** @type {number} */ column) => Math.round(plot.valToPos(from + column * columnSeconds, 'x', true));
    const y = (/** @type {number} */ edge) => Math.round(plot.valToPos(edges[edge], 'y', true));
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const [column, row, count] of cells) {
      const [left, top] = [x(column), y(row + 1)];
      ctx.fillStyle = colorAt(ramp, 0.08 + (0.92 * Math.log1p(count)) / Math.log1p(largest));
      ctx.fillRect(left, top, Math.max(x(column + 1) - left, 1), Math.max(y(row) - top, 1));
    }
    ctx.restore();
  };
}
