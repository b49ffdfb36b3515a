import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { adapt, documentedCommands } from './documented-commands.js';
import * as many from './many-hosts.js';
import { startSlurm } from './slurm-cluster.js';

/** @import { TestContext } from 'node:test' */

const NODES = 3;
const OBJECTS = 400;

/** More than a stage can write in its time. */
const LONG_OBJECTS = 1_000_000;
const LOGS = /^log-.*\.txt$/;

const [server, cluster, copy] = await Promise.all([many.startStore(), startSlurm(NODES), many.installCopy()]);
after(() => Promise.all([server.stop(), cluster.stop(), copy.remove()]));

/**
 * Makes a project folder, which all nodes share.
 *
 * @param {TestContext} t
 * @param {many.Store} store
 * @param {string} load objects, threads and options
 */
async function prepare(t, store, load) {
  const folder = await emptyFolder(t);
  await many.installByLink(folder, store.dotEnv);
  await symlink(many.DEPLOY, path.join(folder, 'deploy'));
  return { folder, parameters: ['-c', await commandsFor(load)], options: { cwd: folder, env: cluster.env } };
}

/**
 * Makes a folder with an installed copy, which all nodes share.
 *
 * @param {TestContext} t
 * @param {many.Store} store
 * @param {string} load objects, threads and options
 */
async function prepareInstalled(t, store, load) {
  const folder = await emptyFolder(t);
  await copy.installByLink(folder, store.dotEnv);
  const commands = adapt(await commandsFor(load), { 'deploy/slurm': 'node_modules/r2-benchmark/deploy/slurm' });
  return { folder, parameters: ['-c', commands], options: { cwd: folder, env: cluster.env } };
}

/** @param {TestContext} t */
async function emptyFolder(t) {
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-user-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

/** @param {string} load objects, threads and options */
async function commandsFor(load) {
  const documented = await documentedCommands('Slurm');
  return adapt(documented, { '--nodes=4': `--wait --nodes=${NODES}`, '10000 1000': load });
}

test('the batch script runs a task per node at once and prints the merged result', async (t) => {
  const store = await many.newStore(server);
  const { folder, parameters, options } = await prepare(t, store, `${OBJECTS} 10`);
  const earlier = await store.puts();

  const { status, stdout, stderr } = await many.run('bash', parameters, options);

  const [printed] = await many.readLogs(folder, /^r2-benchmark-.*\.txt$/);
  assert.equal(status, 0, `${stdout}${stderr}${printed}`);
  many.assertOneRun(await many.readLogs(folder, LOGS), { objects: OBJECTS, hosts: NODES, printed });
  many.assertPuts((await store.puts()) - earlier, { objects: OBJECTS, hosts: NODES });
  await store.assertEmpty();
});

test('the batch script of an installed copy works in the folder where it is installed', async (t) => {
  const store = await many.newStore(server);
  const { folder, parameters, options } = await prepareInstalled(t, store, `${OBJECTS} 10`);

  const { status, stdout, stderr } = await many.run('bash', parameters, options);

  const [printed] = await many.readLogs(folder, /^r2-benchmark-.*\.txt$/);
  assert.equal(status, 0, `${stdout}${stderr}${printed}`);
  many.assertOneRun(await many.readLogs(folder, LOGS), { objects: OBJECTS, hosts: NODES, printed });
  await store.assertEmpty();
});

test('a killed task does not affect the others, and its objects are removed', async (t) => {
  const store = await many.newStore(server);
  const { folder, parameters, options } = await prepare(t, store, `${LONG_OBJECTS} 10 --duration 6s --gap 1s`);
  const { ended } = many.start('bash', parameters, options);
  await many.until(() => store.holdsObjectsOf(NODES, LONG_OBJECTS), 'a write on each node');
  const tasks = await many.processesIn(folder);
  assert.equal(tasks.length, NODES);

  process.kill(tasks[1], 'SIGKILL');
  const { status } = await ended;

  const [printed] = await many.readLogs(folder, /^r2-benchmark-.*\.txt$/);
  assert.notEqual(status, 0);
  assert.match(printed, /Clean-up of run .*: [1-9]\d* objects removed .*, 0 left/);
  assert.match(printed, /Peak Performance: \{/);
  const logs = await many.readLogs(folder, LOGS);
  assert.equal(logs.filter((log) => log.includes('Remove took')).length, NODES - 1);
  await store.assertEmpty();
});

test('a cancelled job removes what it wrote on every node', async (t) => {
  const store = await many.newStore(server);
  const { folder, parameters, options } = await prepare(t, store, `${LONG_OBJECTS} 10 --duration 60s`);
  const { ended } = many.start('bash', parameters, options);
  await many.until(() => store.holdsObjectsOf(NODES, LONG_OBJECTS), 'a write on each node');

  const { status } = await many.run('scancel', ['--me'], options);
  await ended;

  assert.equal(status, 0);
  await many.until(async () => (await many.processesIn(folder)).length === 0, 'the end of the tasks');
  await store.assertEmpty();
});
