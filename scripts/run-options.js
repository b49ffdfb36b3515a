import { RUN_OPTIONS } from '../lib/options/read-options.js';
import { OPERANDS, ROWS } from '../lib/options/table.js';
import { inCode } from '../lib/options/usage-error.js';

/** @import { OptionRow } from '../lib/options/table.js' */

const HEAD = `import type { GivenStore } from '../result/config.js';

/** What a run does. A size is in bytes or a text such as '16KiB', a time in ms or a text such as '30s'. */
export interface RunOptions {
  /** 'local': an endpoint in memory; 'env': what the S3_… variables and .env say, as on the command line */
  store: 'local' | 'env' | GivenStore;
`;

/** Types by the help's name of a value. */
const TYPES = new Map([
  ['size', 'number | string'],
  ['time', 'number | string'],
  ['n', 'number | string'],
  ['ops/s', 'number | string'],
  ['objects', 'number | string'],
  ['requests', 'number | string'],
  ['factor', 'number | string'],
  ['files', 'string | readonly string[]'],
  ['keys', 'number | string'],
  ['dollars', 'number | string'],
  ['share', 'number | string'],
  ['names', 'string | readonly string[]'],
  ['threads', 'string | readonly number[]'],
  ['shares', 'string | Readonly<Record<string, number>>'],
]);

/** @returns {string} the type of the options of `run` */
export function runOptionsType() {
  const operands = OPERANDS.map(({ name }) =>
    name === 'objects'
      ? '  /** required, except with `replay` */\n  objects?: number | string;\n'
      : `  ${name}: number | string;\n`,
  );
  const options = RUN_OPTIONS.filter((name) => name !== 'local').map((name) => property(name, ROWS[name]));
  return `${HEAD}${operands.join('')}${options.join('')}}\n`;
}

/**
 * @param {string} name
 * @param {OptionRow} row
 */
function property(name, row) {
  const what = row.flag.startsWith('--no-') ? `false: ${row.help}` : row.help;
  const text = row.default === undefined ? what : `${what} (default: ${row.default})`;
  return `  /** ${inCode(text)} */\n  ${name}?: ${typeOf(name, row)};\n`;
}

/**
 * @param {string} name
 * @param {OptionRow} row
 */
function typeOf(name, { flag, read }) {
  if (read === undefined) {
    return 'boolean';
  }
  if ('choices' in read) {
    return /** @type {string[]} */ (read.choices).map((choice) => `'${choice}'`).join(' | ');
  }
  if (name === 'startAt') {
    return 'string | Date';
  }
  return TYPES.get(/<(.+)>/.exec(flag)?.[1] ?? '') ?? 'string';
}
