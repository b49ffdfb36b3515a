import { addChart, decimal, DECADES, FROM_ZERO, LOGARITHMIC, milliseconds, short, stageLine } from './chart.js';

/**
 * @import UPlot from 'uplot'
 * @import { Curve, Percentiles } from '../sections.js'
 * @import { RateCurves } from '../sweep-page.js'
 * @import { Colors } from './chart.js'
 */

/** Position of p50 on the percentile axis. */
const MEDIAN = Math.log10(2);

/** The axis is logarithmic if the last value is at least this many times the first. */
const WIDE = 8;

/** @type {Partial<UPlot.Axis>} */
const DOUBLING = {
  splits: (_plot, _axis, least, most) =>
    Array.from({ length: 30 }, (_, power) => 2 ** power).filter((value) => value >= least && value <= most),
  filter: (_, splits) => splits,
};

/** @param {readonly Percentiles[]} stages */
export function drawPercentiles(stages) {
  const [longest] = stages.map(({ nines }) => nines).sort((one, other) => other.length - one.length);
  const textAt = (/** @type {number} */ at) => {
    const known = stages.filter(({ latencies }) => latencies[at] !== undefined);
    return `p${percent(longest[at])}: ${known.map(({ stage, latencies }) => `${stage} ${milliseconds(latencies[at])}`).join(', ')}`;
  };
  addChart('percentiles', (colors) => ({
    height: 300,
    data: [longest, ...stages.map(({ latencies }) => longest.map((_, at) => latencies[at] || null))],
    series: stages.map(({ index }) => ({ ...stageLine(index, colors), points: { show: false } })),
    x: { range: [0, longest[longest.length - 1] || 1] },
    y: LOGARITHMIC,
    xAxis: {
      splits: (plot) => [MEDIAN, ...Array.from({ length: Number(plot.scales.x.max) }, (_, nine) => nine + 1)],
      values: (_, values) => values.map((value) => `${percent(value)}%`),
    },
    yAxis: DECADES,
    readout: { name: 'latency', textAt },
  }));
}

/** Such as 99.9. @param {number} nines 1 is 90%, 2 is 99% */
function percent(nines) {
  return Number((100 * (1 - 10 ** -nines)).toFixed(Math.max(Math.ceil(nines), 2)));
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
  const values = steps.map(({ x }) => x);
  const [first, last] = [values[0], values[values.length - 1]];
  const margin = 0.05 * (last - first || 1);
  const group = `capacity-${number}`;
  /** @type {{ x: UPlot.Scale, xAxis?: Partial<UPlot.Axis> }} */
  const { x, xAxis } =
    first > 0 && last / first >= WIDE
      ? { x: { distr: 3, log: 2, range: [first / 1.1, last * 1.1] }, xAxis: DOUBLING }
      : { x: { range: [Math.max(first - margin, 0), last + margin] } };
  const held = steps.map(({ what, operationsPerSecond }) => (what.startsWith('hold') ? operationsPerSecond : null));
  const textAt = (/** @type {number} */ at) => {
    const { what, operationsPerSecond, p50, p99, errors } = steps[at];
    const failed = errors === 0 ? '' : `, ${decimal(errors, 0)} failed attempts`;
    return `${short(values[at])} ${curve.unit} (${what}): ${decimal(operationsPerSecond)} ops/s, p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}${failed}`;
  };
  addChart(`steps-rate-${number}`, (colors) => {
    const { stroke } = stageLine(curve.index, colors);
    return {
      ...{ group, x, xAxis, height: 260 },
      data: [values, steps.map((step, at) => (held[at] === null ? step.operationsPerSecond : null)), held],
      series: [
        { stroke, width: 2, spanGaps: true, points: { show: true, size: 7, fill: stroke } },
        { stroke: colors.mark, width: 0, points: { show: true, size: 12, width: 2, stroke: colors.mark } },
      ],
      y: { range: (_, _least, most) => [0, Math.max(most ?? 0, curve.capacity?.high ?? 0, 1e-9) * 1.12] },
      draw: (plot) => drawFindings(plot, curve, colors),
      readout: { name: group, textAt },
    };
  });
  addChart(`steps-latency-${number}`, ({ p50, p99, mark }) => ({
    ...{ group, x, xAxis, height: 200 },
    data: [values, steps.map((step) => step.p99 || null), steps.map((step) => step.p50 || null)],
    series: [
      { stroke: p99, width: 1.5, dash: [7, 3], spanGaps: true, points: { show: true, size: 6, fill: p99 } },
      { stroke: p50, width: 2, spanGaps: true, points: { show: true, size: 6, fill: p50 } },
    ],
    y: LOGARITHMIC,
    yAxis: DECADES,
    draw({ ctx, bbox, valToPos }) {
      if (curve.slo !== null) {
        ctx.fillStyle = mark;
        ctx.fillRect(bbox.left, valToPos(curve.slo, 'y', true), bbox.width, 1.5 * devicePixelRatio);
      }
    },
  }));
}

/**
 * Draws the interval of the capacity as a band, and the knee as a line.
 *
 * @param {UPlot} plot
 * @param {Curve} curve
 * @param {Colors} colors
 */
function drawFindings(plot, { steps, capacity, knee, hasPlateau }, { mark, text }) {
  const { ctx, bbox } = plot;
  const pixel = devicePixelRatio;
  ctx.save();
  ctx.font = `${12 * pixel}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  if (capacity !== null) {
    const { operationsPerSecond, low, high, threads } = capacity;
    const [bottom, top] = [low, high].map((value) => plot.valToPos(value, 'y', true));
    ctx.fillStyle = mark;
    ctx.globalAlpha = 0.2;
    ctx.fillRect(bbox.left, top, bbox.width, Math.max(bottom - top, 2 * pixel));
    ctx.globalAlpha = 1;
    ctx.fillStyle = text;
    // A ramp has no hold.
    const how = steps.some((step) => step.what.startsWith('hold')) ? 'hold at' : 'with';
    const held = threads === undefined ? 'highest rate' : `${how} ${short(threads)} threads`;
    const what = hasPlateau ? 'plateau' : held;
    const label = `${what}: ${decimal(operationsPerSecond)} ops/s (${decimal(low)} to ${decimal(high)})`;
    ctx.fillText(label, bbox.left + 8 * pixel, top - 6 * pixel);
  }
  if (knee !== null) {
    const x = plot.valToPos(knee, 'x', true);
    ctx.fillStyle = mark;
    ctx.fillRect(x, bbox.top, 1.5 * pixel, bbox.height);
    ctx.fillStyle = text;
    ctx.fillText(`knee ${short(knee)}`, x + 6 * pixel, bbox.top + bbox.height - 8 * pixel);
  }
  ctx.restore();
}

/** Draws the rates of a sweep over a variable. @param {RateCurves} curves */
export function drawRates({ name, numbers, labels, rates }) {
  addChart(name, (colors) => ({
    height: 260,
    data: [numbers, ...rates],
    series: rates.map((_, index) => ({ ...stageLine(index, colors), spanGaps: true })),
    x: { distr: 3, range: [numbers[0], numbers[numbers.length - 1]] },
    y: FROM_ZERO,
    xAxis: { splits: () => numbers, filter: (_, splits) => splits, values: () => labels },
  }));
}
