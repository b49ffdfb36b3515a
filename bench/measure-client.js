import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { runOha } from './measure-oha.js';
import { callTool } from './truth/run-tool.js';
import { startWatcher } from './watcher.js';

const run = promisify(execFile);
const BARE_UNDICI = fileURLToPath(new URL('./bare-undici.js', import.meta.url));
const BARE_SOCKETS = fileURLToPath(new URL('./bare-sockets.js', import.meta.url));
const PEAK_MEMORY = new URL('./peak-memory.js', import.meta.url).href;
const MAX_OUTPUT_LENGTH = 64 * 1024 ** 2;

/** The long run has this many times as many objects as the short run. */
const SHORT_RUN_DIVISOR = 5;

/**
 * The cost of a client per operation of a stage.
 *
 * @typedef {object} StageCost
 * @property {string} stage
 * @property {number} cpu µs of user and system time per operation
 * @property {number} rate ops/s of the longer run
 */

/**
 * @typedef {object} Load
 * @property {number} objects
 * @property {number} threads
 * @property {number} objectSize bytes
 * @property {number} [cores] default: 1
 * @property {Record<string, string>} env of the endpoint
 */

/** Each client runs a load in a separate process and returns the stages of its result. */
const CLIENTS = {
  direct: async (/** @type {Load} */ load) => (await runTool('direct', load)).stages,
  watched: async (/** @type {Load} */ load) => runWatched(load),
  sdk: async (/** @type {Load} */ load) => (await runTool('sdk', load)).stages,
  undici: async (/** @type {Load} */ load) => runBare(BARE_UNDICI, load),
  sockets: async (/** @type {Load} */ load) => runBare(BARE_SOCKETS, load),
  oha: runOha,
};

/**
 * Measures a short and then a long run. Both include start-up, warm-up and opening connections, so their difference is the cost
 * of the operations alone.
 *
 * @param {keyof typeof CLIENTS} client
 * @param {Load} load of the long run
 * @returns {Promise<StageCost[]>}
 */
export async function measureClient(client, load) {
  const short = await CLIENTS[client]({ ...load, objects: Math.round(load.objects / SHORT_RUN_DIVISOR) });
  const long = await CLIENTS[client](load);
  return long.map((stage, place) => {
    const before = short[place];
    const cpu = cpuOf(stage.clientLoad) - cpuOf(before.clientLoad);
    return { stage: stage.stage, cpu: (1000 * cpu) / (stage.operations - before.operations), rate: stage.average };
  });
}

/**
 * @param {Load} load
 * @returns {Promise<number>} peak resident memory of a run of the direct client, in bytes
 */
export async function measureMemory(load) {
  return (await runTool('direct', load)).peakMemory;
}

/** @param {{ cpuUser: number, cpuSystem: number }} load ms */
function cpuOf({ cpuUser, cpuSystem }) {
  return cpuUser + cpuSystem;
}

/**
 * @param {Load} load
 * @returns {Promise<any[]>} stages of the direct client, measured while it sends metrics and is scraped
 */
async function runWatched(load) {
  const watcher = await startWatcher();
  try {
    return (await runTool('direct', { ...load, env: { ...load.env, ...watcher.env } }, watcher.options)).stages;
  } finally {
    await watcher.close();
  }
}

/**
 * @param {'direct' | 'sdk'} client
 * @param {Load} load
 * @param {readonly string[]} [further] options
 * @returns {Promise<{ stages: any[], peakMemory: number }>}
 * @throws {Error} if an operation failed
 */
async function runTool(client, { objects, threads, objectSize, cores = 1, env }, further = []) {
  const folder = mkdtempSync(join(tmpdir(), 'r2-benchmark-'));
  const memoryFile = join(folder, 'peak-memory');
  const options = ['--client', client, '--size', String(objectSize), '--cores', String(cores), ...further];
  const variables = { ...env, NODE_OPTIONS: `--import ${PEAK_MEMORY}`, PEAK_MEMORY_FILE: memoryFile };
  try {
    const parameters = [String(objects), String(threads), ...options];
    const { stages } = await callTool({ parameters, env: variables });
    const lacking = stages.find((/** @type {any} */ { operations }) => operations !== objects);
    if (lacking !== undefined) {
      throw new Error(`${lacking.stage}: expected ${objects} operations, got ${lacking.operations}`);
    }
    return { stages, peakMemory: Number(readFileSync(memoryFile, 'utf8')) * 1024 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {string} program
 * @param {Load} load
 * @returns {Promise<any[]>}
 */
async function runBare(program, { objects, threads, objectSize, env }) {
  const parameters = [program, ...[objects, threads, objectSize].map(String)];
  const { stdout } = await run(process.execPath, parameters, {
    env: { ...process.env, ...env },
    cwd: tmpdir(),
    maxBuffer: MAX_OUTPUT_LENGTH,
  });
  return JSON.parse(stdout).stages;
}
