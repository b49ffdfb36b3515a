import assert from 'node:assert/strict';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { adapt, documentedCommands } from './documented-commands.js';
import * as many from './many-hosts.js';
import { startSshHosts } from './ssh-hosts.js';

/** @import { TestContext } from 'node:test' */

const HOSTS = 3;
const OBJECTS = 400;
const FOLDER = path.join(many.DEPLOY, 'ansible');

/** More objects than a stage can write in its time, for tests that need a run in progress. */
const LONG_OBJECTS = 1_000_000;
const LONG = ['-e', 'patience=200', '-e', `objects=${LONG_OBJECTS}`, '-e', "options='--duration 6s --stages write'"];

/** Ansible would otherwise pick the newest version of a version manager, even a broken one. */
const PYTHON = await many.run('python3', ['-c', 'import sys; print(sys.executable, end="")'], { cwd: FOLDER });

const [server, copy, hosts] = await Promise.all([many.startStore(), many.installCopy(), startSshHosts(HOSTS)]);
after(() => Promise.all([server.stop(), copy.remove(), hosts.stop()]));

/**
 * @param {TestContext} t
 * @param {many.Store} store
 * @param {readonly string[]} parameters
 * @param {readonly string[]} [names] of the hosts
 */
async function startPlaybook(t, store, parameters, names = hosts.names) {
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-user-'));
  t.after(() => rm(folder, { recursive: true }));
  const inventory = path.join(folder, 'inventory.ini');
  const envFile = path.join(folder, 'store.env');
  await writeFile(inventory, inventoryOf(names));
  await writeFile(envFile, store.dotEnv);
  const { ended } = many.start(
    'ansible-playbook',
    [
      ...['-i', inventory, 'benchmark.yml', '-e', 'threads=10', '-e', 'start_in=25'],
      ...['-e', `env_file=${envFile}`, '-e', `logs=${folder}`, ...parameters],
    ],
    { cwd: FOLDER, env: environmentOf(folder) },
  );
  const outcome = ended.then((end) => {
    assert.ok(!`${end.stdout}${end.stderr}`.includes(store.secretKey), 'a secret is in the output');
    return end;
  });
  return { folder, outcome };
}

test('the playbook installs, runs on all hosts at once, fetches the logs and prints the merged result', async (t) => {
  const store = await many.newStore(server);
  const earlier = await store.puts();

  const { folder, outcome } = await startPlaybook(t, store, ['-e', `objects=${OBJECTS}`, '--diff', '-vv']);
  const { status, stdout, stderr } = await outcome;

  assert.equal(status, 0, `${stdout}${stderr}`);
  many.assertOneRun(await many.readLogs(folder, /^log-/), { objects: OBJECTS, hosts: HOSTS, printed: stdout });
  many.assertPuts((await store.puts()) - earlier, { objects: OBJECTS, hosts: HOSTS });
  await store.assertEmpty();
  for (const { home } of hosts.hosts) {
    const copied = path.join(home, 'r2-benchmark', '.env');
    assert.equal(await readFile(copied, 'utf8'), store.dotEnv);
    assert.equal((await stat(copied)).mode & 0o777, 0o600);
  }
});

/** @param {readonly string[]} names of the hosts */
function inventoryOf(names) {
  return ['[all]', ...names, '[all:vars]', `ansible_python_interpreter=${PYTHON.stdout}`, ''].join('\n');
}

/** @param {string} home */
function environmentOf(home) {
  // A shared connection would outlive the test.
  return { HOME: home, ANSIBLE_SSH_ARGS: `-F ${hosts.config} -o ControlMaster=no` };
}

test('the playbook of an installed copy works from the folder where it is installed', async (t) => {
  const store = await many.newStore(server);
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-user-'));
  t.after(() => rm(folder, { recursive: true }));
  await copy.installByLink(folder, store.dotEnv);
  const [host] = hosts.hosts;
  await writeFile(path.join(folder, 'my-inventory.ini'), inventoryOf([host.name]));
  const documented = await documentedCommands('Ansible', 'With an installed copy');
  const commands = adapt(documented, {
    'cp $recipe/inventory.example.ini inventory.ini': 'mv my-inventory.ini inventory.ini',
    '-e objects=10000 -e threads=1000': `-e objects=${OBJECTS} -e threads=10 -e start_in=25 -e "directory=~/installed"`,
  });

  const options = { cwd: folder, env: environmentOf(folder) };
  const { status, stdout, stderr } = await many.run('bash', ['-e', '-c', commands], options);

  assert.equal(status, 0, `${stdout}${stderr}`);
  many.assertOneRun(await many.readLogs(folder, /^log-/), { objects: OBJECTS, hosts: 1, printed: stdout });
  await store.assertEmpty();
  const installed = await readdir(path.join(host.home, 'installed'));
  assert.ok(installed.includes('node_modules') && !installed.includes('package-lock.json'), `${installed}`);
});

test('nothing starts if a host is unreachable', async (t) => {
  const store = await many.newStore(server);
  const earlier = await store.puts();

  const { folder, outcome } = await startPlaybook(t, store, LONG, [
    ...hosts.names,
    'nowhere ansible_host=127.0.0.1 ansible_port=1',
  ]);
  const { status, stdout } = await outcome;

  assert.notEqual(status, 0);
  assert.match(stdout, /UNREACHABLE/);
  assert.deepEqual(await many.readLogs(folder, /^log-/), []);
  assert.equal(await store.puts(), earlier);
});

test('a host that is killed and one that becomes unreachable are reported, and do not affect the others', async (t) => {
  const store = await many.newStore(server);
  const [, killed, lost] = hosts.hosts;
  const { folder, outcome } = await startPlaybook(t, store, [...LONG, '--skip-tags', 'install']);
  await many.until(() => store.holdsObjectsOf(HOSTS, LONG_OBJECTS), 'a write of each host');
  const [pid, ...others] = await many.processesIn(path.join(killed.home, 'r2-benchmark'));
  assert.deepEqual(others, []);
  process.kill(pid, 'SIGKILL');
  hosts.disconnect(hosts.hosts.indexOf(lost));
  const { status, stdout } = await outcome;
  assert.equal(status, 2, stdout);
  assert.match(stdout, new RegExp(`${killed.name}: exit status -?\\d*[1-9]`));
  assert.match(stdout, new RegExp(`${lost.name}: exit status unknown`));
  assert.match(stdout, new RegExp(`log-.*-${lost.name}\\.txt: cannot be fetched`));
  assert.match(stdout, /Clean-up of run .*: [1-9][\d,]* objects removed .*, 0 left/);
  assert.match(stdout, /Peak Performance: \{/);
  assert.equal((await many.readLogs(folder, /^log-/)).length, HOSTS - 1);
  await many.until(async () => (await many.processesIn(path.join(lost.home, 'r2-benchmark'))).length === 0, 'its end');
  await store.assertEmpty();
});
