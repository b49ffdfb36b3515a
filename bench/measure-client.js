import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TOOL = new URL('../r2-benchmark.js', import.meta.url).pathname;
const BARE = new URL('./bare-undici.js', import.meta.url).pathname;
const LONGEST_OUTPUT = 64 * 1024 ** 2;

/**
 * What a client costs for an operation of a stage.
 *
 * @typedef {object} StageCost
 * @property {string} stage
 * @property {number} cpu µs of user and system time an operation
 * @property {number} rate ops/s of the longer run
 */

/**
 * @typedef {object} Load
 * @property {number} objects
 * @property {number} threads
 * @property {number} objectSize bytes
 * @property {NodeJS.ProcessEnv} env of the endpoint
 */

/** The clients that can be measured: each runs a load in a process of its own and gives the stages of its result. */
export const CLIENTS = {
  direct: (/** @type {Load} */ load) => runTool('direct', load),
  sdk: (/** @type {Load} */ load) => runTool('sdk', load),
  bare: runBare,
};

/**
 * A short and a long run, one after the other. What is in the long one beyond the short one is the operations alone:
 * start-up, warm-up and the opening of connections are in both.
 *
 * @param {keyof typeof CLIENTS} client
 * @param {Load} load of the long run; the short one has a fifth of its objects
 * @returns {Promise<StageCost[]>}
 */
export async function measureClient(client, load) {
  const short = await CLIENTS[client]({ ...load, objects: Math.round(load.objects / 5) });
  const long = await CLIENTS[client](load);
  return long.map(({ stage, operations, average, clientLoad }, place) => ({
    stage,
    cpu: (1000 * (cpuOf(clientLoad) - cpuOf(short[place].clientLoad))) / (operations - short[place].operations),
    rate: average,
  }));
}

/** @param {{ cpuUser: number, cpuSystem: number }} load ms */
function cpuOf({ cpuUser, cpuSystem }) {
  return cpuUser + cpuSystem;
}

/**
 * @param {'direct' | 'sdk'} client
 * @param {Load} load
 * @returns {Promise<any[]>}
 */
async function runTool(client, { objects, threads, objectSize, env }) {
  const folder = mkdtempSync(join(tmpdir(), 'r2-benchmark-'));
  const json = join(folder, 'result.json');
  const options = ['--client', client, '--size', String(objectSize), '--cores', '1', '--json', json, '--quiet'];
  try {
    await runNode([TOOL, String(objects), String(threads), ...options], env, folder);
    return JSON.parse(readFileSync(json, 'utf8')).stages;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {Load} load
 * @returns {Promise<any[]>}
 */
async function runBare({ objects, threads, objectSize, env }) {
  const { stdout } = await runNode([BARE, ...[objects, threads, objectSize].map(String)], env, tmpdir());
  return JSON.parse(stdout).stages;
}

/**
 * @param {string[]} parameters
 * @param {NodeJS.ProcessEnv} env
 * @param {string} folder
 */
function runNode(parameters, env, folder) {
  return run(process.execPath, parameters, { env: { ...process.env, ...env }, cwd: folder, maxBuffer: LONGEST_OUTPUT });
}
