import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { STAGE_NAMES } from '../servers/whole-run.js';
import { dotEnvOf } from '../helpers/command.js';
import { environmentOfUser, installPackage } from '../helpers/installed-copy.js';
import { recordsOf } from '../helpers/outcome.js';
import { startMinio } from '../helpers/servers.js';
import { machineRecords } from '../helpers/log-records.js';

/** @import { TestServer } from '../helpers/server-process.js' */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const DEPLOY = path.join(ROOT, 'deploy');

/** The files that a host needs to run, besides `.env`. */
const INSTALLED = ['r2-benchmark.js', 'peak-performance.js', 'lib', 'package.json', '.env.example', 'node_modules'];

/** A program that hangs must fail its test, not block the test run. */
const PATIENCE_MS = 240_000;
const POLL_INTERVAL_MS = 100;

/** The most that hosts may differ in their start by the store's clock, even on a busy machine. */
const TOGETHER_MS = 3000;

/**
 * The most objects that a host writes outside its stages: one in each of two buckets in preflight, and those of the unloaded
 * latency, of which a slow store gets fewer.
 */
const MAX_OTHER_PUTS = 2 + 25;

/** A MinIO with buckets that only one test uses, so that tests can count. */
export class Store {
  /**
   * @param {TestServer} server
   * @param {string[]} buckets
   */
  constructor(server, buckets) {
    this.server = server;
    this.buckets = buckets;
    this.secretKey = server.credentials.secretAccessKey;
    const { hostname, port, credentials } = server;
    const endpoint = { buckets, hostname, port, credentials, tls: null, region: 'auto' };
    this.dotEnv = dotEnvOf(/** @type {any} */ (endpoint));
  }

  async assertEmpty() {
    const objects = await Promise.all(this.buckets.map((bucket) => this.server.list(bucket)));
    assert.deepEqual(objects.flat(), [], 'objects are left');
  }

  /**
   * @param {number} hosts
   * @param {number} objects per stage and host, at most
   * @returns {Promise<boolean>} whether each host has written objects in a stage
   */
  async holdsObjectsOf(hosts, objects) {
    const listings = await Promise.all(this.buckets.map((bucket) => this.server.list(bucket)));
    // Preflight objects and the markers of runs do not count.
    const objectKeys = listings.flat().filter(({ key }) => !/-(probe|running)-/.test(key));
    const indices = objectKeys.map(({ key }) => Number(/-(\d+)$/.exec(key)?.[1]));
    // Host i of N has every Nth object of the run.
    return new Set(indices.filter((index) => index < hosts * objects).map((index) => index % hosts)).size === hosts;
  }

  /** @returns {Promise<number>} PUT requests since the server started */
  async puts() {
    return (await this.server.countsOf('putobject')).succeeded;
  }
}

/** @returns {Promise<TestServer>} */
export function startStore() {
  return startMinio();
}

/**
 * @param {TestServer} server
 * @returns {Promise<Store>}
 */
export async function newStore(server) {
  return new Store(server, await server.createBuckets(2));
}

/**
 * @typedef {object} Ended
 * @property {number | null} status
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Starts a program as a process group leader, as a shell does.
 *
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {{ cwd: string, env?: Record<string, string> }} options
 * @returns {{ pid: number, ended: Promise<Ended> }}
 */
export function start(program, parameters, { cwd, env = {} }) {
  const child = spawn(program, parameters, {
    cwd,
    env: { ...environmentOfUser(), PWD: cwd, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    timeout: PATIENCE_MS,
  });
  const outputs = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  const ended = outputs.then(([[status], stdout, stderr]) => ({ status, stdout, stderr }));
  return { pid: child.pid ?? NaN, ended };
}

/**
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {{ cwd: string, env?: Record<string, string> }} options
 * @returns {Promise<Ended>}
 */
export function run(program, parameters, options) {
  return start(program, parameters, options).ended;
}

/**
 * Makes a folder look as if the program had been installed in it.
 *
 * @param {string} folder
 * @param {string} dotEnv
 */
export async function installByLink(folder, dotEnv) {
  await mkdir(folder, { recursive: true });
  await Promise.all(INSTALLED.map((name) => symlink(path.join(ROOT, name), path.join(folder, name))));
  await writeFile(path.join(folder, '.env'), dotEnv, { mode: 0o600 });
}

/** The package as npm installs it, including the recipes. */
class InstalledCopy {
  #parent;

  /** @param {string} parent folder, removed at the end */
  constructor(parent) {
    this.#parent = parent;
    this.modules = path.join(parent, 'node_modules');
    this.project = path.join(this.modules, 'r2-benchmark');
  }

  /**
   * Makes a folder with the package installed.
   *
   * @param {string} folder
   * @param {string} dotEnv
   */
  async installByLink(folder, dotEnv) {
    await mkdir(folder, { recursive: true });
    await symlink(this.modules, path.join(folder, 'node_modules'));
    await writeFile(path.join(folder, '.env'), dotEnv, { mode: 0o600 });
  }

  async remove() {
    await rm(this.#parent, { recursive: true });
  }
}

/** @returns {Promise<InstalledCopy>} */
export async function installCopy() {
  const parent = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-installed-'));
  await installPackage(parent);
  return new InstalledCopy(parent);
}

/**
 * @param {string} folder
 * @param {RegExp} pattern of the names of logs
 * @returns {Promise<string[]>} the logs
 */
export async function readLogs(folder, pattern) {
  const names = (await readdir(folder)).filter((name) => pattern.test(name));
  return Promise.all(names.toSorted().map((name) => readFile(path.join(folder, name), 'utf8')));
}

/**
 * Checks the logs of hosts that wrote all their objects, and the merged result.
 *
 * @param {readonly string[]} logs one for each host
 * @param {object} expected
 * @param {number} expected.objects on each host
 * @param {number} expected.hosts
 * @param {string} expected.printed output with the merged result
 */
export function assertOneRun(logs, { objects, hosts, printed }) {
  assert.equal(logs.length, hosts);
  const records = logs.map(recordsOf);
  const runs = records.flatMap((log) => machineRecords(log, 'run'));
  assert.deepEqual(
    runs.map(({ shard }) => shard).toSorted(),
    Array.from({ length: hosts }, (_, index) => `${index}/${hosts}`),
  );
  assert.equal(new Set(runs.map(({ run: id }) => id)).size, 1, 'the hosts share a run id');
  const stages = records.flatMap((log) => machineRecords(log, 'stage'));
  for (const name of STAGE_NAMES) {
    const ofHosts = stages.filter(({ stage }) => stage === name);
    const total = ofHosts.reduce((sum, { operations }) => sum + operations, 0);
    assert.equal(total, hosts * objects, name);
    const shown = total.toLocaleString('en');
    assert.match(printed, new RegExp(`^\\s*${name}\\n[^]*?Operations +${shown} in`, 'm'), `the total of ${name}`);
  }
  const starts = stages.filter(({ stage }) => stage === 'Write').map((stage) => stage.startedAt);
  assert.ok(Math.max(...starts) - Math.min(...starts) < TOGETHER_MS, `Write started at ${starts.join(', ')}`);
  assert.match(printed, new RegExp(`Hosts +${hosts}: `));
}

/**
 * Checks that each host wrote only its own objects. Attempts that took effect although they seemed to fail may add up to half
 * as many again.
 *
 * @param {number} puts PUT requests that the store counted
 * @param {object} expected
 * @param {number} expected.objects on each host
 * @param {number} expected.hosts
 */
export function assertPuts(puts, { objects, hosts }) {
  const least = hosts * objects;
  const most = 1.5 * least + hosts * MAX_OTHER_PUTS;
  assert.ok(puts >= least && puts <= most, `${puts} objects were put, expected ${least} to ${most}`);
}

/**
 * @param {() => Promise<boolean>} condition
 * @param {string} what is waited for
 */
export async function until(condition, what) {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `${what}: it never came`);
    await wait(POLL_INTERVAL_MS);
  }
}

/**
 * @param {string} folder
 * @returns {Promise<number[]>} the ids of the Node processes in that folder
 */
export async function processesIn(folder) {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      try {
        const [cwd, name] = await Promise.all([readlink(`/proc/${id}/cwd`), readFile(`/proc/${id}/comm`, 'utf8')]);
        return cwd === folder && name === 'node\n' ? [Number(id)] : [];
      } catch {
        // The process has ended in the meantime.
        return [];
      }
    }),
  );
  return found.flat();
}
