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

const LONG_OBJECTS = 1_000_000;
const LOGS = /^log-.*\.txt$/;

const [server, cluster, copy] = await Promise.all([many.startStore(), startSlurm(NODES), many.installCopy()]);
after(() => Promise.all([server.stop(), cluster.stop(), copy.remove()]));

/**
 * Makes a folder that all nodes share.
 *
 * @param {TestContext} t
 * @param {string} load objects, threads and options
 */
async function prepare(t, load) {
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-user-'));
  t.after(() => rm(folder, { recursive: true }));
  const commands = adapt(await documentedCommands('Slurm'), {
    '--nodes=4': `--wait --nodes=${NODES}`,
    '10000 1000': load,
  });
  return { folder, commands, options: { cwd: folder, env: cluster.env } };
}

/**
 * Starts a run of the project, which writes more than a stage can in its time, and waits until it writes.
 *
 * @param {TestContext} t
 * @param {string} time options
 */
async function startLong(t, time) {
  const store = await many.newStore(server);
  const { folder, commands, options } = await prepare(t, `${LONG_OBJECTS} 10 ${time}`);
  await many.installByLink(folder, store.dotEnv);
  await symlink(many.DEPLOY, path.join(folder, 'deploy'));
  const { ended } = many.start('bash', ['-c', commands], options);
  await many.until(() => store.holdsObjectsOf(NODES, LONG_OBJECTS), 'a write on each node');
  return { store, folder, options, ended };
}

test('the batch script of an installed copy runs a task per node at once and prints the merged result', async (t) => {
  const store = await many.newStore(server);
  const { folder, commands, options } = await prepare(t, `${OBJECTS} 10`);
  await copy.installByLink(folder, store.dotEnv);
  const earlier = await store.puts();
  const adapted = adapt(commands, { 'deploy/slurm': 'node_modules/r2-benchmark/deploy/slurm' });

  const { status, stdout, stderr } = await many.run('bash', ['-c', adapted], options);

  const [printed] = await many.readLogs(folder, /^r2-benchmark-.*\.txt$/);
  assert.equal(status, 0, `${stdout}${stderr}${printed}`);
  many.assertOneRun(await many.readLogs(folder, LOGS), { objects: OBJECTS, hosts: NODES, printed });
  many.assertPuts((await store.puts()) - earlier, { objects: OBJECTS, hosts: NODES });
  await store.assertEmpty();
});

test('a killed task does not affect the others, and its objects are removed', async (t) => {
  const { store, folder, ended } = await startLong(t, '--duration 6s --stages write');
  const tasks = await many.processesIn(folder);
  assert.equal(tasks.length, NODES);

  process.kill(tasks[1], 'SIGKILL');
  const { status } = await ended;

  const [printed] = await many.readLogs(folder, /^r2-benchmark-.*\.txt$/);
  assert.notEqual(status, 0);
  assert.match(printed, /Clean-up of run .*: [1-9][\d,]* objects removed .*, 0 left/);
  assert.match(printed, /Peak Performance: \{/);
  const logs = await many.readLogs(folder, LOGS);
  assert.equal(logs.filter((log) => log.includes('Write took')).length, NODES - 1);
  await store.assertEmpty();
});

test('a cancelled job removes what it wrote on every node', async (t) => {
  const { store, folder, options, ended } = await startLong(t, '--duration 60s');

  const { status } = await many.run('scancel', ['--me'], options);
  await ended;

  assert.equal(status, 0);
  await many.until(async () => (await many.processesIn(folder)).length === 0, 'the end of the tasks');
  await store.assertEmpty();
});
