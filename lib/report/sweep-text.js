import { testRatio } from '../result/compare/log-ratio.js';
import { estimateOfLogs } from '../result/compare/estimates.js';
import { figuresOf } from '../result/figures/catalogue.js';
import { SHOWN } from '../result/figures/quantities.js';
import { rowOfStage } from '../result/figures/stage-table.js';
import { PLAIN, csvTable, textTable } from '../result/figures/table.js';
import { meanOf } from '../measure/statistics/moments.js';
import { studentT } from '../measure/statistics/student-t.js';
import { counted, decimal, listOf, rounded } from '../text/figures.js';
import { plainLine } from '../text/plain-text.js';
import { textWidth, wrapAtWords } from '../text/text-width.js';

/**
 * @import { StageSum } from '../result/result.js'
 * @import { Sweep, SweepCell, SweepTurn, SweepVariable } from '../series/sweep-plan.js'
 * @import { Column, Table } from '../result/figures/table.js'
 *
 * @typedef {object} SweptStage a stage in each cell
 * @property {string} stage
 * @property {(CellFigures | null)[]} cells null for a cell without a successful run
 *
 * @typedef {object} CellFigures
 * @property {number} runs
 * @property {number} rate ops/s; the capacity, if a search found one
 * @property {Interval | null} interval of the rate, from two runs on
 * @property {Readonly<Record<string, number | null>>} means geometric means of the figures over the runs; null if unknown
 * @property {number | null} ratio of the rate to that of the reference
 * @property {Interval | null} ratioInterval
 *
 * @typedef {{ low: number, high: number }} Interval with 95% confidence
 *
 * @typedef {ReturnType<typeof linesOf>[number]['points'][number]} Point a cell with its figures
 */

const FIGURES = figuresOf('sweep');

/** @type {readonly Column<Point>[]} */
const COLUMNS = [
  ...FIGURES.map(({ name, title, heading = title, quantity }) => ({
    title: heading,
    quantity,
    value(/** @type {Point} */ { found, hasFailed }) {
      const interval = name === 'rate' ? found?.interval : null;
      return found === null ? (hasFailed ? 'failed' : null) : shownMean(found.means[name], quantity, interval);
    },
  })),
  {
    title: 'Ratio',
    quantity: 'ratio',
    value: ({ found }) => found && shownMean(found.ratio, 'ratio', found.ratioInterval),
  },
];

/**
 * @param {number | null} value
 * @param {keyof typeof SHOWN} quantity
 * @param {Interval | null} [interval]
 * @returns {string | null} such as `202.0 ±2.5%`, with the distance of the farther end
 */
function shownMean(value, quantity, interval) {
  if (!value) {
    return null;
  }
  const text = `${SHOWN[quantity].textOf(value)}${quantity === 'time' ? 'ms' : ''}`;
  if (!interval) {
    return text;
  }
  const farther = Math.max(interval.high / value, value / interval.low) - 1;
  return `${text} ${farther < 1 ? `±${decimal(100 * farther, farther < 0.1 ? 1 : 0)}%` : '±>100%'}`;
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
        .flatMap((turn) => stagesOf(turn).filter((each) => each.stage === stage))
        .map(rowOfStage),
    );
    const rates = runs.map((rows) => rows.map(({ average }) => Number(average) || 0).filter((rate) => rate > 0));
    return { stage, cells: runs.map((rows, index) => figuresOfCell(rows, rates[index], rates[reference])) };
  });
}

/** Those of a run that succeeded. @param {SweepTurn} turn */
function stagesOf({ problem, result }) {
  return problem === null && result !== null ? result.stages : [];
}

/**
 * @param {readonly ReturnType<typeof rowOfStage>[]} rows one per run
 * @param {readonly number[]} rates of the runs, in ops/s
 * @param {readonly number[]} reference rates of the reference cell
 * @returns {CellFigures | null}
 */
function figuresOfCell(rows, rates, reference) {
  const rate = geometricMean(rates);
  if (rate === null) {
    return null;
  }
  const base = geometricMean(reference);
  const estimate = rates.length > 1 ? estimateOfLogs(rates.map(Math.log)) : null;
  const reach = estimate === null ? 1 : Math.exp(estimate.below(studentT(estimate.freedom)));
  const isCompared = estimate !== null && reference.length > 1 && rates !== reference;
  const means = FIGURES.map(({ name, value }) => [
    name,
    geometricMean(rows.map((row) => value(/** @type {any} */ (row)) ?? 0)),
  ]);
  return {
    runs: rates.length,
    rate,
    interval: estimate && { low: rate / reach, high: rate * reach },
    means: { ...Object.fromEntries(means), rate },
    ratio: base && rate / base,
    ratioInterval: isCompared ? testRatio(estimateOfLogs(reference.map(Math.log)), estimate) : null,
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
function othersOf({ settings }, variables, variable) {
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

const WIDTH = 80;
const WIDE = { ...PLAIN, columns: 1000 };

/**
 * Two variables make a grid, if it fits into 80 columns; others make rows.
 *
 * @param {Sweep} sweep
 * @param {readonly SweptStage[]} stages
 */
export function formatSweep(sweep, stages) {
  const blocks = [
    ...stages.map((stage) => {
      const grid = sweep.variables.length === 2 ? textTable(gridOf(sweep, stage), WIDE) : null;
      const fits = grid?.every((line) => textWidth(line) <= WIDTH);
      return [stage.stage, ...(grid && fits ? grid : textTable(cellTable(sweep, stage), WIDE))];
    }),
    sweepSentences(sweep, stages).flatMap((sentence) => wrapAtWords(plainLine(sentence), WIDTH, '  ')),
  ];
  return blocks.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');
}

/**
 * Rows of one figure and value of the first variable, with the second variable across.
 *
 * @param {Sweep} sweep
 * @param {SweptStage} stage
 * @returns {Table<{ figure: string, down: string, cells: (string | number | null | undefined)[] }>}
 */
function gridOf(sweep, stage) {
  const [down, across] = sweep.variables;
  const lines = linesOf(sweep, stage, across);
  const known = COLUMNS.filter(({ value }) =>
    lines.some(({ points }) => points.some((point) => point.found && value(point) !== null)),
  );
  return {
    columns: [
      { title: '', value: ({ figure }) => figure },
      { title: `${down.label} / ${across.label}`, value: (row) => row.down },
      ...across.values.map((title, index) => ({
        ...{ title, quantity: /** @type {const} */ ('count') },
        value: (/** @type {{ cells: (string | number | null | undefined)[] }} */ { cells }) => cells[index],
      })),
    ],
    rows: known.flatMap(({ title, value }) =>
      lines.map(({ points }, row) => ({
        ...{ figure: row === 0 ? title : '', down: down.values[row] },
        cells: points.map((point) => value(point)),
      })),
    ),
  };
}

/**
 * A row per cell.
 *
 * @param {Sweep} sweep
 * @param {SweptStage} stage
 * @returns {Table<Point>}
 */
export function cellTable(sweep, stage) {
  const { variables } = sweep;
  return {
    columns: [
      ...variables.map(({ name, label }) => ({
        title: label,
        value: (/** @type {Point} */ { cell }) => cell.settings[name],
      })),
      ...COLUMNS,
    ],
    rows: linesOf(sweep, stage, variables[variables.length - 1]).flatMap(({ points }) => points),
  };
}

/**
 * A row per run and stage, or per run without stages, with the figures that tables of stages show.
 *
 * @param {Sweep} sweep
 * @returns {Generator<string, void, undefined>} CSV
 */
export function formatSweepCsv({ variables, cells, turns }) {
  // A variable such as threads has its column already.
  const unvaried = figuresOf('stages').filter(({ name }) => !variables.some(({ label }) => label === name));
  const figures = unvaried.map(({ name, value }) => ({
    title: name,
    value: (/** @type {SweepTurn & { stage: StageSum | null }} */ { stage }) =>
      stage && value(/** @type {any} */ (rowOfStage(stage))),
  }));
  /** @type {readonly Column<SweepTurn & { stage: StageSum | null }>[]} */
  const columns = [
    ...variables.map(({ name, label }) => ({
      title: label,
      value: (/** @type {SweepTurn} */ { cell }) => cells[cell].settings[name],
    })),
    { title: 'run', value: ({ result }) => result?.run },
    { title: 'stage', value: ({ stage }) => stage?.stage },
    ...figures,
    { title: 'problem', value: ({ problem }) => problem },
  ];
  const rows = turns.flatMap((turn) => {
    const stages = turn.result?.stages ?? [];
    return (stages.length === 0 ? [null] : stages).map((stage) => ({ ...turn, stage }));
  });
  return csvTable({ columns, rows });
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
