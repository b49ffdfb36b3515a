import { optionWords } from '../options/recorded-options.js';
import { operationsOfRun } from '../load/operations/registry.js';
import { ROWS, STORE_OPTIONS } from '../options/table.js';
import { shellWord } from '../text/shell-words.js';
import { sizeText } from '../load/workload/size-distribution.js';

/**
 * @import { Config, ObjectsConfig } from '../result/config.js'
 * @import { CommandLine } from './command-line.js'
 * @import { Invocation } from '../options/store/environment.js'
 */

// Commands that the program prints for use after the run.

/**
 * What a later command needs to find the same store.
 *
 * @typedef {object} Later
 * @property {Partial<Pick<CommandLine, (typeof STORE_OPTIONS)[number]>>} options
 * @property {Readonly<Record<string, string>>} variables to set
 * @property {string} command shell command of the program
 *
 * @typedef {Pick<Config, 'objects' | 'load'>} RunPlace the settings that locate a run's objects
 */

/**
 * @param {Pick<CommandLine, (typeof STORE_OPTIONS)[number]>} options
 * @param {Later['variables']} variables
 * @param {Invocation} invocation
 * @returns {Later}
 */
export function laterOf(options, variables, invocation) {
  const ofStore = Object.fromEntries(STORE_OPTIONS.map((name) => [name, options[name]]));
  return { options: ofStore, variables, command: invocation.benchmark };
}

/**
 * @param {RunPlace} place
 * @param {Later} later
 * @returns {string} the shell command that removes the remaining objects of the run or its shard
 */
export function cleanupCommand(place, later) {
  return commandFor(['cleanup', place.objects.runId], place, later);
}

/** @param {Config} config @param {Later} later @returns {string[]} what to do if the run ends without a clean-up */
export function whatMayRemain(config, later) {
  const writes = operationsOfRun(config.load).some(({ creates, copies }) => creates || copies);
  const mayWrite = config.load.replay !== undefined || writes;
  return config.store.isEmbedded || !mayWrite
    ? []
    : [`Objects may remain; remove them with: ${cleanupCommand(config, later)}`];
}

/**
 * @param {RunPlace} place
 * @param {Pick<ObjectsConfig, 'count' | 'size' | 'sizes'>} kept how many of the shard's first objects were
 *   kept, and their sizes
 * @param {Later} later
 */
export function readAgainCommand(place, { count, size, sizes }, later) {
  const amounts = [count, Math.min(place.load.threads, count)].map(String);
  const what = ['--size', sizeText({ size, sizes }), '--stages', 'read,stat', '--run-id', place.objects.runId];
  return commandFor([...amounts, ...what], place, later);
}

/**
 * @param {string[]} args
 * @param {RunPlace} place
 * @param {Later} later
 * @returns {string} the shell command that uses the same store
 */
export function commandFor(args, { objects: { shard, prefix }, load: { client } }, { options, variables, command }) {
  const words = [
    ...args,
    ...(shard.count > 1 ? ['--shard', `${shard.index}/${shard.count}`] : []),
    ...(client === 'edge' ? ['--client', client] : []),
    ...optionWords(ROWS.prefix, prefix),
    ...STORE_OPTIONS.flatMap((name) => optionWords(ROWS[name], options[name])),
  ];
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  return [...settings, command, ...words.map(shellWord)].join(' ');
}
