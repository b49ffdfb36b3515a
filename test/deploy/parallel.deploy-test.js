import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { adapt, documentedCommands } from './documented-commands.js';
import * as many from './many-hosts.js';
import { startSshHosts } from './ssh-hosts.js';

/** @import { TestContext } from 'node:test' */

const HOSTS = 3;
const OBJECTS = 400;

const [server, hosts] = await Promise.all([many.startStore(), startSshHosts(HOSTS)]);
after(() => Promise.all([server.stop(), hosts.stop()]));

/**
 * Prepares the hosts and a user's folder, and adapts the documented command to this test.
 *
 * @param {TestContext} t
 * @param {many.Store} store
 * @param {string} load objects, threads and options
 */
async function prepare(t, store, load) {
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-user-'));
  const homes = hosts.hosts.map(({ home }) => path.join(home, 'r2-benchmark'));
  const folders = [folder, ...homes];
  await Promise.all(folders.map((each) => many.installByLink(each, store.dotEnv)));
  t.after(() => Promise.all(folders.map((each) => rm(each, { recursive: true }))));
  const commands = adapt(await documentedCommands('GNU parallel over ssh'), {
    '(a1 a2 a3)': `(${hosts.names.join(' ')})`,
    '10000 1000': load,
  });
  const env = { PATH: `${hosts.programs}${path.delimiter}${process.env.PATH}`, HOME: folder };
  return { folder, homes, parameters: ['-c', commands], options: { cwd: folder, env } };
}

test('the documented commands run all hosts together, and print the merged result', async (t) => {
  const store = await many.newStore(server);
  const { folder, parameters, options } = await prepare(t, store, `${OBJECTS} 10`);
  const earlier = await store.puts();

  const { status, stdout, stderr } = await many.run('bash', parameters, options);

  assert.equal(status, 0, `${stdout}${stderr}`);
  many.assertOneRun(await many.readLogs(folder, /^log-/), { objects: OBJECTS, hosts: HOSTS, printed: stdout });
  many.assertPuts((await store.puts()) - earlier, { objects: OBJECTS, hosts: HOSTS });
  await store.assertEmpty();
});

test('a run removes what it wrote on every host when its connections close', async (t) => {
  const store = await many.newStore(server);
  const { folder, homes, parameters, options } = await prepare(t, store, '1000000 10 --duration 60s');
  const { pid, ended } = many.start('bash', parameters, options);
  await many.until(async () => (await many.readLogs(folder, /^log-/)).some((log) => log.includes('Ops ')), 'a second');
  const running = (await Promise.all(homes.map(many.processesIn))).flat();
  assert.equal(running.length, HOSTS);

  // Ctrl-C reaches the whole process group.
  process.kill(-pid, 'SIGINT');
  await ended;

  await many.until(
    async () => (await Promise.all(homes.map(many.processesIn))).flat().length === 0,
    'the end of the runs on the hosts',
  );
  await store.assertEmpty();
});
