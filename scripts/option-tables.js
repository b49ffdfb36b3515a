import { requirement, wordsOf } from '../lib/options/read-options.js';
import { GROUPS, flagOf, optionsOf } from '../lib/options/table.js';
import { table } from './tables.js';

/** @import { CommandName, OptionRow } from '../lib/options/table.js' */

/**
 * @param {string} name of a group of options, or of a command
 * @returns {string} its options
 */
export function optionTables(name) {
  return name in GROUPS ? tableOfGroup(name) : tableOfCommand(/** @type {CommandName} */ (name));
}

/** @param {string} group */
function tableOfGroup(group) {
  return optionTable(
    optionsOf('run')
      .filter(([, row]) => row.group === group)
      .map(([, row]) => row),
    'run',
  );
}

/** @param {CommandName} command */
function tableOfCommand(command) {
  const rows = optionsOf(command).map(([, row]) => row);
  const isOwn = (/** @type {OptionRow} */ { only, helpOf }) => only !== undefined || helpOf?.[command] !== undefined;
  const others = rows.filter((row) => !isOwn(row)).map((row) => `\`${flagOf(row)}\``);
  const own = rows.filter(isOwn);
  return [
    ...(own.length === 0 ? [] : [optionTable(own, command)]),
    ...(others.length === 0 ? [] : [`It also accepts these options of a run: ${others.join(', ')}.\n`]),
  ].join('\n');
}

/**
 * @param {readonly OptionRow[]} rows
 * @param {CommandName} command
 */
function optionTable(rows, command) {
  return table([
    ['option', 'default', 'meaning'],
    ...rows.map((row) => [
      `\`${row.flag}\``,
      row.default === undefined ? '' : `\`${row.default}\``,
      meaningOf(row, command),
    ]),
  ]);
}

/**
 * @param {OptionRow} row
 * @param {CommandName} command
 */
function meaningOf({ help, helpOf, detail, needs, excludes }, command) {
  const text = helpOf?.[command] ?? help;
  return [
    inMarkdown(text) + (detail === undefined ? '' : `; ${detail}`),
    ...(needs === undefined || command !== 'run' ? [] : [`Requires ${inMarkdown(requirement(needs))}`]),
    ...(excludes === undefined || command !== 'run'
      ? []
      : [
          `Not with ${Object.entries(excludes)
            .map((other) => `\`${wordsOf(other)}\``)
            .join(', ')}`,
        ]),
  ].join('. ');
}

/** @param {string} text of the help */
function inMarkdown(text) {
  return text.replace(
    /--[a-z-]+(?: (?:edge|rate|buckets))?(?![\w-])|<[a-z]+>|'[^']+'/g,
    (word) => `\`${word.replace(/^'(.*)'$/, '$1')}\``,
  );
}
