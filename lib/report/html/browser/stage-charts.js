import { addChart, DECADES, LOGARITHMIC, readout } from './chart.js';
import { stageLine } from './theme.js';
import { decimal, milliseconds, percentile, short } from './units.js';

/**
 * @import UPlot from 'uplot'
 * @import { ShownStep } from '../../../figures/shown-step.js'
 * @import { Curve } from '../search-section.js'
 * @import { Colors } from './theme.js'
 */

/** Position of p50 on the percentile axis. */
const MEDIAN = Math.log10(2);

/** Width that a label below a chart needs, in pixels. */
const LABEL_WIDTH = 40;

/** The axis is logarithmic if the last value is at least this many times the first. */
const WIDE = 8;

/** @param {readonly { stage: string, index: number, nines: number[], latencies: number[] }[]} stages */
export function drawPercentiles(stages) {
  const longest = stages.reduce(
    (most, each) => (each.nines.length > most.length ? each.nines : most),
    /** @type {number[]} */ ([]),
  );
  const show = readout('latency');
  addChart('percentiles', (colors) => ({
    height: 300,
    data: [longest, ...stages.map(({ latencies }) => longest.map((_, at) => latencies[at] || null))],
    series: stages.map(({ index }) => ({ ...stageLine(index, colors), width: 2, points: { show: false } })),
    x: { time: false, range: [0, longest[longest.length - 1] || 1] },
    y: LOGARITHMIC,
    xAxis: {
      splits: (plot) => [
        0,
        MEDIAN,
        ...Array.from({ length: Math.floor(Number(plot.scales.x.max)) }, (_, nine) => nine + 1),
      ],
      values: (plot, values) =>
        values.map((value, index) => {
          const next = values[index + 1] ?? Infinity;
          return plot.valToPos(next, 'x') - plot.valToPos(value, 'x') < LABEL_WIDTH ? '' : percentile(value);
        }),
    },
    yAxis: DECADES,
    onCursor: (at) =>
      show(
        at === null
          ? null
          : `p${percentile(longest[at]).replace('%', '')}: ${stages.flatMap(({ stage, latencies }) => (latencies[at] === undefined ? [] : [`${stage} ${milliseconds(latencies[at])}`])).join(', ')}`,
      ),
  }));
}

/**
 * Draws rate and latency at each step of a search or a ramp.
 *
 * @param {Curve} curve
 * @param {number} number of the curve on the page
 */
export function drawCurve(curve, number) {
  const steps = curve.steps
    .flatMap((step) => (step.counts && step.x !== null ? [{ ...step, x: step.x }] : []))
    .sort((one, other) => one.x - other.x);
  if (steps.length === 0) {
    return;
  }
  const values = steps.map(({ x }) => x);
  const [first, last] = [values[0], values[values.length - 1]];
  const isWide = first > 0 && last / first >= WIDE;
  const group = `capacity-${number}`;
  const show = readout(group);
  const common = {
    group,
    x: isWide
      ? /** @type {UPlot.Scale} */ ({ time: false, distr: 3, log: 2, range: [first / 1.1, last * 1.1] })
      : /** @type {UPlot.Scale} */ ({
          time: false,
          range: [Math.max(first - 0.05 * (last - first || 1), 0), last + 0.05 * (last - first || 1)],
        }),
    xAxis: {
      ...(isWide ? { splits: () => spread(values) } : {}),
      filter: (/** @type {UPlot} */ _, /** @type {number[]} */ splits) => splits,
    },
  };
  const isHeld = (/** @type {ShownStep} */ { what }) => what.startsWith('hold');
  addChart(`steps-rate-${number}`, (colors) => {
    const { stroke } = stageLine(curve.index, colors);
    return {
      ...common,
      height: 260,
      data: [
        values,
        steps.map((step) => (isHeld(step) ? null : step.operationsPerSecond)),
        steps.map((step) => (isHeld(step) ? step.operationsPerSecond : null)),
      ],
      series: [
        { stroke, width: 2, spanGaps: true, points: { show: true, size: 7, fill: stroke } },
        { stroke: colors.mark, width: 0, points: { show: true, size: 12, width: 2, stroke: colors.mark } },
      ],
      y: { range: (_, _least, most) => [0, Math.max(most ?? 0, curve.capacity?.high ?? 0, 1e-9) * 1.12] },
      draw: [drawFindings(curve, colors)],
      onCursor: (at) => show(at === null ? null : stepText(steps[at], curve.unit)),
    };
  });
  addChart(`steps-latency-${number}`, (colors) => {
    const { p50, p99 } = colors.lines;
    return {
      ...common,
      height: 200,
      data: [values, steps.map((step) => step.p99 || null), steps.map((step) => step.p50 || null)],
      series: [
        { stroke: p99, width: 1.5, dash: [7, 3], spanGaps: true, points: { show: true, size: 6, fill: p99 } },
        { stroke: p50, width: 2, spanGaps: true, points: { show: true, size: 6, fill: p50 } },
      ],
      y: LOGARITHMIC,
      yAxis: DECADES,
      draw: [drawLimit(curve.slo, colors)],
    };
  });
}

/** Labels that fit below a chart. */
const MAX_LABELS = 12;

/**
 * @param {readonly number[]} values of a logarithmic axis, ascending, at least two different ones
 * @returns {number[]} values that are far enough apart for their labels
 */
function spread(values) {
  const minRatio = (values[values.length - 1] / values[0]) ** (1 / MAX_LABELS);
  return values.reduce(
    (shown, value) => (shown.length === 0 || value >= shown[shown.length - 1] * minRatio ? [...shown, value] : shown),
    /** @type {number[]} */ ([]),
  );
}

/**
 * Draws the interval of the capacity as a band, and the knee as a line.
 *
 * @param {Curve} curve
 * @param {Colors} colors
 * @returns {(plot: UPlot) => void}
 */
function drawFindings({ capacity, knee, hasPlateau }, colors) {
  return (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'alphabetic';
    if (capacity !== null) {
      const [low, high, middle] = [capacity.low, capacity.high, capacity.operationsPerSecond].map((value) =>
        plot.valToPos(value, 'y', true),
      );
      ctx.fillStyle = colors.mark;
      ctx.globalAlpha = 0.16;
      ctx.fillRect(bbox.left, high, bbox.width, Math.max(low - high, 2 * devicePixelRatio));
      ctx.globalAlpha = 1;
      ctx.fillRect(bbox.left, middle, bbox.width, devicePixelRatio);
      ctx.fillStyle = colors.text;
      const { operationsPerSecond, low: least, high: most, threads } = capacity;
      const what = hasPlateau ? 'plateau' : `hold at ${threads} threads`;
      const label = `${what}: ${decimal(operationsPerSecond)} ops/s (${decimal(least)} to ${decimal(most)})`;
      const margin = 8 * devicePixelRatio;
      const right = bbox.left + bbox.width - margin - ctx.measureText(label).width;
      const isBeforeKnee = knee === null || plot.valToPos(knee, 'x', true) > bbox.left + bbox.width / 2;
      ctx.fillText(label, isBeforeKnee ? bbox.left + margin : right, high - 6 * devicePixelRatio);
    }
    if (knee !== null) {
      const x = plot.valToPos(knee, 'x', true);
      ctx.strokeStyle = colors.mark;
      ctx.lineWidth = 1.5 * devicePixelRatio;
      ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.fillStyle = colors.text;
      ctx.fillText(`knee ${short(knee)}`, x + 6 * devicePixelRatio, bbox.top + bbox.height - 8 * devicePixelRatio);
    }
    ctx.restore();
  };
}

/**
 * @param {number | null} limit ms
 * @param {Colors} colors
 * @returns {(plot: UPlot) => void}
 */
function drawLimit(limit, colors) {
  return ({ ctx, bbox, valToPos }) => {
    if (limit !== null) {
      const y = valToPos(limit, 'y', true);
      ctx.fillStyle = colors.mark;
      ctx.fillRect(bbox.left, y, bbox.width, 1.5 * devicePixelRatio);
    }
  };
}

/**
 * @param {ShownStep & { x: number }} step
 * @param {string} unit
 */
function stepText({ what, x, operationsPerSecond, p50, p99, errors }, unit) {
  const failed = errors === 0 ? '' : `, ${decimal(errors, 0)} failed attempts`;
  return `${short(x)} ${unit} (${what}): ${decimal(operationsPerSecond)} ops/s, p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}${failed}`;
}
