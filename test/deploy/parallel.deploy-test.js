import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { adapt, documentedCommands } from './documented-commands.js';
import * as many from './many-hosts.js';
import { startSshHosts } from './ssh-hosts.js';

/** @import { TestContext } from 'node:test' */

const OBJECTS = 400;

/** Clock offsets of the hosts in seconds, in faketime's format. */
const CLOCKS = ['-7', '+0', '+11'];
const HOSTS = CLOCKS.length;

/** How to install the project in a folder, and how its commands differ from the documented ones. */
const CLONE = { installByLink: many.installByLink, words: /** @type {Record<string, string>} */ ({}) };

const libfaketime = await findLibfaketime();
const [server, copy, hosts] = await Promise.all([
  many.startStore(),
  many.installCopy(),
  startSshHosts(CLOCKS.map((ahead) => ({ LD_PRELOAD: libfaketime, FAKETIME: ahead, DONT_FAKE_MONOTONIC: '1' }))),
]);
after(() => Promise.all([server.stop(), copy.remove(), hosts.stop()]));

/** @returns {Promise<string>} the library of Debian's faketime package for this architecture */
async function findLibfaketime() {
  const folders = (await readdir('/usr/lib')).map((name) => `/usr/lib/${name}/faketime/libfaketime.so.1`);
  const found = folders.find(existsSync);
  assert.ok(found !== undefined, 'libfaketime is not installed: expected in /usr/lib/*/faketime; .ci/run installs it');
  return found;
}

/**
 * Prepares the hosts and a user's folder, and adapts the documented command to this test.
 *
 * @param {TestContext} t
 * @param {many.Store} store
 * @param {string} load objects, threads and options
 * @param {typeof CLONE} [project]
 */
async function prepare(t, store, load, { installByLink, words } = CLONE) {
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-user-'));
  const homes = hosts.hosts.map(({ home }) => path.join(home, 'r2-benchmark'));
  const folders = [folder, ...homes];
  await Promise.all(folders.map((each) => installByLink(each, store.dotEnv)));
  t.after(() => Promise.all(folders.map((each) => rm(each, { recursive: true }))));
  const documented = await documentedCommands('GNU parallel over ssh');
  const commands = adapt(documented, {
    '(a1 a2 a3)': `(${hosts.names.join(' ')})`,
    '10000 1000': load,
    ...words,
  });
  const env = { PATH: `${hosts.programs}${path.delimiter}${process.env.PATH}`, HOME: folder };
  return { folder, homes, parameters: ['-c', commands], options: { cwd: folder, env } };
}

test('the documented commands run hosts together whose clocks are seconds apart, and print the merged result', async (t) => {
  const store = await many.newStore(server);
  const { folder, parameters, options } = await prepare(t, store, `${OBJECTS} 10`);
  const earlier = await store.puts();

  const { status, stdout, stderr } = await many.run('bash', parameters, options);

  assert.equal(status, 0, `${stdout}${stderr}`);
  many.assertOneRun(await many.readLogs(folder, /^log-/), { objects: OBJECTS, hosts: HOSTS, printed: stdout });
  many.assertPuts((await store.puts()) - earlier, { objects: OBJECTS, hosts: HOSTS });
  await store.assertEmpty();
});

test('the commands run an installed copy with npx', async (t) => {
  const store = await many.newStore(server);
  const { folder, parameters, options } = await prepare(t, store, `${OBJECTS} 10`, {
    installByLink: (...where) => copy.installByLink(...where),
    words: { 'node r2-benchmark.js': 'npx r2-benchmark', 'node peak-performance.js': 'npx r2-peak' },
  });

  const { status, stdout, stderr } = await many.run('bash', parameters, options);

  assert.equal(status, 0, `${stdout}${stderr}`);
  many.assertOneRun(await many.readLogs(folder, /^log-/), { objects: OBJECTS, hosts: HOSTS, printed: stdout });
  await store.assertEmpty();
});

test('a run removes what it wrote on every host when its connections close', async (t) => {
  const store = await many.newStore(server);
  const { folder, homes, parameters, options } = await prepare(t, store, '1000000 10 --duration 60s');
  const earlier = await store.puts();
  const { pid, ended } = many.start('bash', parameters, options);
  await many.until(async () => (await many.readLogs(folder, /^log-/)).some((log) => log.includes('Ops ')), 'a second');
  const running = (await Promise.all(homes.map(many.processesIn))).flat();
  assert.equal(running.length, HOSTS);
  assert.ok((await store.puts()) > earlier);

  // Ctrl-C reaches the whole process group.
  process.kill(-pid, 'SIGINT');
  await ended;

  await many.until(
    async () => (await Promise.all(homes.map(many.processesIn))).flat().length === 0,
    'the end of the runs on the hosts',
  );
  await store.assertEmpty();
});
