import { testRatio } from '../compare/log-ratio.js';
import { estimateOfRuns } from '../compare/rate.js';
import { meanOf } from '../statistics/moments.js';
import { studentT } from '../statistics/student-t.js';
import { SHOWN } from '../figures/quantities.js';
import { rateOf, rowOfStage } from '../figures/stage-table.js';
import { counted, decimal, listOf, rounded } from '../text/figures.js';
import { throughputText } from '../text/units.js';

/**
 * @import { StageSum } from '../model/result.js'
 * @import { Sweep, SweepCell, SweepTurn, SweepVariable } from '../series/sweep-plan.js'
 *
 * @typedef {object} SweptStage a stage in each cell
 * @property {string} stage
 * @property {(CellFigures | null)[]} cells null for a cell without a successful run
 *
 * @typedef {object} CellFigures geometric means over the runs of a cell; null if unknown
 * @property {number} runs
 * @property {number} rate ops/s; the capacity, if a search found one
 * @property {Interval | null} interval of the rate, from two runs on
 * @property {number | null} bytesPerSecond
 * @property {number | null} p99 ms
 * @property {number | null} ratio of the rate to that of the reference
 * @property {Interval | null} ratioInterval
 *
 * @typedef {{ low: number, high: number }} Interval with 95% confidence
 */

/**
 * @type {readonly { title: string, value: (figures: CellFigures) => number | null, format: (value: number) => string,
 *   interval?: (figures: CellFigures) => Interval | null }[]}
 */
export const SWEPT_FIGURES = [
  { title: 'ops/s', value: ({ rate }) => rate, format: decimal, interval: ({ interval }) => interval },
  { title: 'MiB/s', value: ({ bytesPerSecond }) => bytesPerSecond, format: throughputText },
  { title: 'p99', value: ({ p99 }) => p99, format: (ms) => `${SHOWN.time.textOf(ms)}ms` },
  {
    title: 'ratio',
    value: ({ ratio }) => ratio,
    format: (ratio) => decimal(ratio, 2),
    interval: ({ ratioInterval }) => ratioInterval,
  },
];

/**
 * @param {number | null} value
 * @param {Interval | null} [interval]
 * @returns {string} such as ` ±2.0%`: the distance of the farther end; empty without an interval
 */
export function spreadText(value, interval) {
  if (!value || !interval) {
    return '';
  }
  const farther = Math.max(interval.high / value, value / interval.low) - 1;
  return farther < 1 ? ` ±${decimal(100 * farther, farther < 0.1 ? 1 : 0)}%` : ' ±>100%';
}

/** Variables in proportion to which a store's rate may grow. */
const SCALES = ['threads', 'buckets'];

/** A growth of at least this share of the variable's counts as proportional. */
const PROPORTIONAL = 0.9;

/** A rate that is lower than this many times that of the smallest value does not grow. */
const MIN_GROWTH = 1.1;

/** The rate of a shorter stage is imprecise, in ms. */
const MIN_DURATION = 2000;

/** @param {Sweep} sweep */
export function sweepFigures({ cells, turns, reference }) {
  const names = new Set(turns.flatMap((turn) => stagesOf(turn).map(({ stage }) => stage)));
  return [...names].map((stage) => {
    const runs = cells.map((_, index) =>
      turns
        .filter(({ cell }) => cell === index)
        .flatMap((turn) => stagesOf(turn).filter((each) => each.stage === stage)),
    );
    const rates = runs.map((stages) => stages.map((each) => rateOf(each) ?? 0).filter((rate) => rate > 0));
    return { stage, cells: runs.map((stages, index) => figuresOf(stages, rates[index], rates[reference])) };
  });
}

/** Those of a run that succeeded. @param {SweepTurn} turn */
function stagesOf({ problem, result }) {
  return problem === null && result !== null ? result.stages : [];
}

/**
 * @param {readonly StageSum[]} stages one per run
 * @param {readonly number[]} rates of the runs, in ops/s
 * @param {readonly number[]} reference rates of the reference cell
 * @returns {CellFigures | null}
 */
function figuresOf(stages, rates, reference) {
  const rate = geometricMean(rates);
  if (rate === null) {
    return null;
  }
  const base = geometricMean(reference);
  const estimate = rates.length > 1 ? estimateOfRuns(rates) : null;
  const reach = estimate === null ? 1 : Math.exp(estimate.below(studentT(estimate.freedom)));
  const isCompared = estimate !== null && reference.length > 1 && rates !== reference;
  const shown = stages.map(rowOfStage);
  return {
    runs: rates.length,
    rate,
    interval: estimate && { low: rate / reach, high: rate * reach },
    bytesPerSecond: geometricMean(shown.map(({ averageBytes }) => averageBytes ?? 0)),
    p99: geometricMean(shown.map(({ latency }) => latency.operations?.p99 ?? 0)),
    ratio: base && rate / base,
    ratioInterval: isCompared ? testRatio(estimateOfRuns(reference), estimate) : null,
  };
}

/**
 * @param {readonly number[]} values
 * @returns {number | null} null if there are none, or one is 0
 */
function geometricMean(values) {
  if (values.length < 2) {
    return values[0] || null;
  }
  return values.includes(0) ? null : Math.exp(meanOf(values.map(Math.log)));
}

/**
 * @param {SweepCell} cell
 * @param {readonly SweepVariable[]} variables
 * @param {SweepVariable} variable
 * @returns {string} such as `size=4KiB`: the settings of the other variables
 */
export function othersOf({ settings }, variables, variable) {
  const others = variables.filter((each) => each !== variable);
  return others.map(({ name, label }) => `${label}=${settings[name]}`).join(' ');
}

/**
 * Divides the cells into lines within which only one variable differs.
 *
 * @param {Sweep} sweep
 * @param {SweptStage} stage
 * @param {SweepVariable} variable
 */
export function linesOf({ cells, variables, turns }, { cells: figures }, variable) {
  const points = cells.map((cell, index) => ({
    cell,
    hasFailed: figures[index] === null && turns.some((turn) => turn.cell === index),
    others: othersOf(cell, variables, variable),
    value: cell.settings[variable.name],
    number: variable.numbers?.[variable.values.indexOf(cell.settings[variable.name])] ?? NaN,
    found: figures[index],
  }));
  return [...new Set(points.map(({ others }) => others))].map((others) => ({
    others,
    points: points.filter((point) => point.others === others),
  }));
}

/**
 * @param {Sweep} sweep
 * @param {readonly SweptStage[]} stages
 * @returns {string[]} sentences
 */
export function sweepSentences(sweep, stages) {
  const { cells, turns, variables, reference, request } = sweep;
  const missing = cells.filter((_, index) => !turns.some(({ cell }) => cell === index));
  return [
    ...bestCells(sweep, stages),
    ...variables
      .filter(({ name }) => SCALES.includes(name))
      .flatMap((variable) => stages.flatMap((stage) => growth(sweep, stage, variable))),
    ...shortStages(sweep),
    ...(stages.some((stage) => stage.cells[reference] !== null) ? [`Ratios are to ${cells[reference].label}.`] : []),
    ...(request.repeat === 1 && stages.length > 0
      ? ['Each cell ran once, so small differences may be chance: --repeat 5 adds intervals.']
      : []),
    ...turns.flatMap(({ cell, problem }) => (problem === null ? [] : [`Failed: ${cells[cell].label}: ${problem}`])),
    ...(missing.length === 0 ? [] : [`Not measured: ${counted(missing.length, 'cell')} of ${cells.length}.`]),
  ];
}

/**
 * @param {Sweep} sweep
 * @param {readonly SweptStage[]} stages
 */
function bestCells({ cells, reference }, stages) {
  const best = stages.map(({ stage, cells: figures }) => {
    const index = bestOf(figures);
    const { rate = 0, ratio = null } = figures[index] ?? {};
    const compared = ratio === null || index === reference ? '' : `, ${decimal(ratio, 2)} × the reference`;
    return { index, text: `${stage} (${decimal(rate)} ops/s${compared})` };
  });
  return [...new Set(best.map(({ index }) => index))].map((index) => {
    const texts = best.filter((each) => each.index === index).map(({ text }) => text);
    return `Best cell, ${cells[index].label}: ${listOf(texts)}.`;
  });
}

/** @param {SweptStage['cells']} figures at least one that is known */
function bestOf(figures) {
  const rates = figures.map((each) => each?.rate ?? 0);
  return rates.indexOf(Math.max(...rates));
}

/**
 * Whether the rate of a stage grows in proportion to a variable, in the line with the best cell.
 *
 * @param {Sweep} sweep
 * @param {SweptStage} stage
 * @param {SweepVariable} variable with numbers
 */
function growth(sweep, stage, variable) {
  const best = othersOf(sweep.cells[bestOf(stage.cells)], sweep.variables, variable);
  const line = linesOf(sweep, stage, variable).find(({ others }) => others === best);
  const [first, ...others] = (line?.points ?? [])
    .flatMap(({ number, found }) => (found === null ? [] : [{ number, rate: found.rate }]))
    .toSorted((one, other) => one.number - other.number);
  const last = others.at(-1);
  if (last === undefined) {
    return [];
  }
  const short = others.findIndex(({ number, rate }) => rate / first.rate < (PROPORTIONAL * number) / first.number);
  const times = last.rate / first.rate;
  const fallsShort = times < MIN_GROWTH ? ', so it does not grow' : ', less than in proportion';
  const extent = short < 0 ? ', in proportion' : fallsShort;
  const end = short < 1 ? '' : ` from ${rounded(others[short - 1].number)} on`;
  const where = best === '' ? '' : ` with ${best}`;
  return [
    `${stage.stage}${where}: from ${rounded(first.number)} to ${rounded(last.number)} ${variable.label}, the rate is ${decimal(times)} times as high${extent}${end}.`,
  ];
}

/** @param {Sweep} sweep */
function shortStages({ turns }) {
  const short = turns
    .flatMap(stagesOf)
    .filter(({ duration, objectsNeeded }) => objectsNeeded && Number(duration) < MIN_DURATION);
  const needed = Math.max(...short.map(({ objectsNeeded }) => Number(objectsNeeded)));
  const names = [...new Set(short.map(({ stage }) => stage))];
  return short.length === 0
    ? []
    : [
        `${listOf(names)} ended within ${MIN_DURATION / 1000} s in ${counted(short.length, 'case')}, so these rates are imprecise: about ${rounded(needed)} <objects> would fill --duration.`,
      ];
}
