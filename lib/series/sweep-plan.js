import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { operationsOf, writesObjects } from '../load/operations/registry.js';
import { RUN_OPTIONS, readRunOptions } from '../options/read-options.js';
import { OPERANDS, ROWS, flagOf, optionsOf } from '../options/table.js';
import { UsageError, problemsOfAll } from '../options/usage-error.js';
import { listOf, wholeNumber, yesOrNo } from '../options/values.js';
import { isObject } from '../result/check-schema.js';
import { isResult } from '../result/read-result.js';
import { didYouMean } from '../text/nearest-name.js';
import { quote } from '../text/quote.js';

/** @import { Result } from '../result/result.js' */

/**
 * @typedef {Readonly<Record<string, string | boolean | readonly string[] | undefined>>} SweepOptions options and
 *   arguments of a run by name, as the user typed them
 *
 * @typedef {object} SweepRequest
 * @property {SweepOptions} options that all runs share
 * @property {readonly string[]} vary values of --vary
 * @property {number} repeat runs per cell
 * @property {number} seed of the order
 * @property {string | null} reference value of --reference
 *
 * @typedef {object} SweepVariable
 * @property {string} name of an option or argument, or {@link BUCKETS}
 * @property {string} label as --vary takes it, such as `part-size`
 * @property {readonly string[]} values
 * @property {readonly number[] | null} numbers null unless all values are numbers, sizes or times
 *
 * @typedef {object} SweepCell
 * @property {string} label such as `size=4KiB threads=8`
 * @property {Readonly<Record<string, string>>} settings values by the name of the variable
 *
 * @typedef {object} SweepPlan
 * @property {SweepRequest} request
 * @property {readonly SweepVariable[]} variables
 * @property {readonly SweepCell[]} cells every combination of their values; the last variable varies fastest
 * @property {number} reference index of the cell by whose rate the others are divided
 *
 * @typedef {object} SweepTurn a run that has ended
 * @property {number} cell its index
 * @property {string | null} problem why the run failed; null if it succeeded
 * @property {Result | null} result null if the run was refused before its first request
 *
 * @typedef {SweepPlan & { turns: readonly SweepTurn[] }} Sweep turns in the order in which they ran
 */

/** Long enough for a rate, and short enough for many cells. */
const DURATION = '10s';

/**
 * @param {SweepRequest} request
 * @returns {{ plan: SweepPlan, problems: string[] }}
 */
export function planSweep(request) {
  const { options, vary, reference } = request;
  const { variables, problems } = readVariables(vary);
  const twice = variables.filter(({ name }) => RUN_OPTIONS.includes(name) && options[name] !== undefined);
  problems.push(...twice.map(({ label, name }) => `--vary ${label} cannot be combined with ${flagOf(ROWS[name])}`));
  const cells = gridOf(variables);
  const index = reference === null ? 0 : cells.findIndex((cell) => isNamed(cell, variables, reference));
  if (index < 0 && problems.length === 0) {
    problems.push(
      `--reference: expected a cell, such as ${textOf(cells[0], variables)}, got ${quote(String(reference))}`,
    );
  }
  const plan = { request, variables, cells, reference: index };
  return { plan, problems: problems.length > 0 ? problems : problemsOfCells(plan) };
}

/**
 * @param {readonly SweepVariable[]} variables
 * @returns {SweepCell[]}
 */
function gridOf(variables) {
  return variables.reduce(
    (cells, { name, label, values }) =>
      cells.flatMap((cell) =>
        values.map((value) => ({
          label: `${cell.label} ${label}=${value}`.trim(),
          settings: { ...cell.settings, [name]: value },
        })),
      ),
    /** @type {SweepCell[]} */ ([{ label: '', settings: {} }]),
  );
}

/**
 * @param {SweepCell} cell
 * @param {readonly SweepVariable[]} variables
 */
function textOf({ settings }, variables) {
  return variables.map(({ name, label }) => `${label}=${settings[name]}`).join(',');
}

/**
 * @param {SweepCell} cell
 * @param {readonly SweepVariable[]} variables
 * @param {string} text one or more settings, comma-separated; values can contain commas
 */
function isNamed(cell, variables, text) {
  return variables.reduce((rest, variable) => rest.replace(`,${textOf(cell, [variable])},`, ','), `,${text},`) === ',';
}

/**
 * @param {SweepPlan} plan
 * @returns {string[]} each problem once, with the first cell that has it unless all do
 */
function problemsOfCells(plan) {
  return problemsOfAll(
    plan.cells.map((cell) => {
      const { values, problems } = readRunOptions(optionsOfCell(plan, cell));
      const changes = operationsOf(values.stages ?? []).some(({ removes }) => removes);
      if (values.runId !== undefined && (changes || writesObjects(values.stages ?? []))) {
        problems.push('--run-id requires --stages that neither write nor remove: each run has its own objects');
      }
      return { label: cell.label, problems };
    }),
  );
}

/**
 * @param {SweepPlan} plan
 * @param {SweepCell} cell
 * @returns {SweepOptions} of its runs, with all buckets of the store
 */
export function optionsOfCell({ request: { options } }, { settings }) {
  const own = Object.entries(settings)
    .filter(([name]) => name !== BUCKETS)
    .map(([name, value]) => [
      name,
      RUN_OPTIONS.includes(name) && ROWS[name].read === undefined ? yesOrNo(value) : value,
    ]);
  const all = /** @type {SweepOptions} */ ({ ...options, ...Object.fromEntries(own) });
  return { ...(all.findPeak ? {} : { duration: DURATION }), ...all };
}

/**
 * Each cell runs once, in random order, before any runs again.
 *
 * @param {SweepPlan} plan
 * @param {readonly Pick<SweepTurn, 'cell'>[]} done turns to leave out
 * @returns {number[]} cells by index
 */
export function orderOf({ cells, request: { repeat, seed } }, done) {
  const left = cells.map((_, index) => done.filter(({ cell }) => cell === index).length);
  return Array.from({ length: repeat }, (_, round) => shuffled([...cells.keys()], `${seed}.${round}`))
    .flat()
    .filter((cell) => {
      left[cell] -= 1;
      return left[cell] < 0;
    });
}

/**
 * @param {readonly number[]} values
 * @param {string} seed
 */
function shuffled(values, seed) {
  const keys = values.map((value) => createHash('sha256').update(`${seed}.${value}`).digest('hex'));
  return values.toSorted((one, other) => (keys[one] < keys[other] ? -1 : 1));
}

/** The variable that is neither an option nor an argument: the first n of the store's buckets. */
export const BUCKETS = 'buckets';

const MAX_BUCKETS = 1000;

/** Options that set nothing that could be compared. */
const FIXED = ['maxCost', 'runId', 'prefix', 'allowVersioned'];

/**
 * By the name that `--vary` takes.
 *
 * @type {Readonly<Record<string, { name: string, read: (text: string) => unknown }>>}
 */
const KNOWN = Object.fromEntries([
  ...OPERANDS.map(({ name, read }) => [name, { name, read }]),
  [BUCKETS, { name: BUCKETS, read: wholeNumber(1, MAX_BUCKETS) }],
  ...optionsOf('sweep')
    .filter(([name]) => RUN_OPTIONS.includes(name) && !FIXED.includes(name))
    .map(([name, row]) => [flagOf(row).replace(/^--(no-)?/, ''), { name, read: row.read ?? yesOrNo }]),
]);

/**
 * Reads `size=4KiB,64KiB`. The values of a name that is given several times can contain commas.
 *
 * @param {readonly string[]} texts values of --vary
 * @returns {{ variables: SweepVariable[], problems: string[] }}
 */
export function readVariables(texts) {
  /** @type {Map<string, string[]>} */
  const given = new Map();
  /** @type {string[]} */
  const problems = [];
  for (const text of texts) {
    const [, name, values] = /^(?:--)?([A-Za-z][A-Za-z-]*)=([^]*)$/.exec(text) ?? [];
    const label = name?.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
    if (label === undefined) {
      problems.push(`--vary: expected NAME=VALUES, such as size=4KiB,64KiB, got ${quote(text)}`);
    } else if (!Object.hasOwn(KNOWN, label)) {
      problems.push(
        `--vary: expected ${OPERANDS.map((each) => each.name).join(', ')}, ${BUCKETS} or an option of the load or the store, got ${quote(name)}${didYouMean(label, Object.keys(KNOWN))}`,
      );
    } else {
      given.set(label, [...(given.get(label) ?? []), values]);
    }
  }
  const variables = [...given].flatMap(([label, values]) => {
    const isList = values.length === 1 && values[0].includes(',');
    const { variable, problem } = readVariable(label, isList ? listOf(values[0]) : values);
    const advice = isList ? ' (values that contain commas need a --vary each)' : '';
    problems.push(...(problem === null ? [] : [`--vary ${label}: ${problem}${advice}`]));
    return variable ?? [];
  });
  return { variables, problems };
}

/**
 * @param {string} label
 * @param {readonly string[]} values
 * @returns {{ variable: SweepVariable | null, problem: string | null }}
 */
function readVariable(label, values) {
  const { name, read } = KNOWN[label];
  if (new Set(values).size < Math.max(values.length, 2)) {
    return {
      variable: null,
      problem: `expected two or more different values, separated by commas, got ${quote(values.join(','))}`,
    };
  }
  try {
    const numbers = values.map(read);
    const areNumbers = numbers.every((value) => typeof value === 'number');
    return { variable: { name, label, values, numbers: areNumbers ? numbers : null }, problem: null };
  } catch (error) {
    return { variable: null, problem: /** @type {Error} */ (error).message };
  }
}

/**
 * @param {string} label
 * @param {string} text values of an option that takes only one of them
 * @returns {boolean} whether `--vary` could take them
 */
export function isVariable(label, text) {
  return text.includes(',') && Object.hasOwn(KNOWN, label) && readVariable(label, listOf(text)).problem === null;
}

const KIND = 'sweep';
const FORMAT = 1;

const NO_TURNS = '\n  "turns": []';

/**
 * Writes a sweep as JSON, indented for people, except that each turn takes a single line.
 *
 * @param {Sweep} sweep
 * @param {readonly unknown[]} stages figures for other programs, which are not read back
 * @returns {Generator<string, void, undefined>} in chunks
 */
export function* writeSweep({ turns, ...plan }, stages) {
  const head = { kind: KIND, format: FORMAT, ...plan, stages, turns: [] };
  const [before, after] = JSON.stringify(head, null, 2).split(NO_TURNS);
  yield `${before}\n  "turns": [`;
  for (const [index, turn] of turns.entries()) {
    yield `${index === 0 ? '' : ','}\n    ${JSON.stringify(turn)}`;
  }
  yield `${turns.length === 0 ? '' : '\n  '}]${after}\n`;
}

/**
 * @param {string} file
 * @returns {{ request: SweepRequest, turns: SweepTurn[] }} only turns that need not run again
 * @throws {UsageError}
 */
export function readSweep(file) {
  const refuse = (/** @type {string} */ why) => new UsageError([`--resume: ${file} ${why}`]);
  /** @type {any} */
  let saved;
  try {
    saved = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw refuse(
      error instanceof SyntaxError ? 'is not JSON' : `cannot be read: ${/** @type {Error} */ (error).message}`,
    );
  }
  if (saved?.kind !== KIND || saved.format !== FORMAT || !isObject(saved.request) || !Array.isArray(saved.turns)) {
    throw refuse('is not the --json file of a sweep');
  }
  const { request, turns, cells } = saved;
  const isUsable = (/** @type {any} */ turn) =>
    isObject(turn) &&
    turn.problem === null &&
    isResult(turn.result) &&
    cells?.[/** @type {any} */ (turn).cell] !== undefined;
  return { request, turns: turns.filter(isUsable) };
}
