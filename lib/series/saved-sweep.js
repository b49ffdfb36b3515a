import { readFileSync } from 'node:fs';
import { isObject } from '../result/check-schema.js';
import { isResult } from '../result/read-result.js';
import { UsageError } from '../options/usage-error.js';

/** @import { Sweep, SweepRequest, SweepTurn } from './sweep-plan.js' */

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
