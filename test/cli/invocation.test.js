import assert from 'node:assert/strict';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { invocationOf } from '../../lib/cli/invocation.js';
import { PROGRAM, folderWith } from '../helpers/command.js';

/** @import { TestContext } from 'node:test' */

const CLONE = path.dirname(PROGRAM);
const PEAK = path.join(CLONE, 'peak-performance.js');

/**
 * @param {string} script
 * @param {string} cwd
 * @param {string} [PATH]
 */
function commands(script, cwd, PATH = '/usr/bin') {
  const { benchmark, peak } = invocationOf({ argv: [process.execPath, script], cwd: () => cwd }, { PATH });
  return [benchmark, peak];
}

/**
 * Creates links to the programs like npm does.
 *
 * @param {TestContext} t
 * @param {string} folder of the links, below a new one
 */
async function withLinks(t, folder) {
  const user = await realpath(await folderWith(t, {}));
  const links = path.join(user, folder);
  await mkdir(links, { recursive: true });
  await symlink(PROGRAM, path.join(links, 'r2-benchmark'));
  await symlink(PEAK, path.join(links, 'r2-peak'));
  return { user, links };
}

test('calls a clone by the shorter path of its programs from the current folder', () => {
  const inClone = ['node r2-benchmark.js', 'node peak-performance.js'];
  assert.deepEqual(commands(PROGRAM, CLONE), inClone);
  assert.deepEqual(commands(PEAK, CLONE), inClone);
  const name = path.basename(CLONE);
  assert.deepEqual(commands(PROGRAM, path.dirname(CLONE))[0], `node ${name}/r2-benchmark.js`);
  assert.deepEqual(commands(PROGRAM, path.join(CLONE, 'deploy')), [
    'node ../r2-benchmark.js',
    'node ../peak-performance.js',
  ]);
  assert.deepEqual(commands(PROGRAM, '/a/folder/far/away/from/here/and/anywhere/else')[0], `node ${PROGRAM}`);
});

test('calls a program through the link that the user called, quoted for a shell if necessary', async (t) => {
  const user = await folderWith(t, {});
  const linked = path.join(user, 'my tools');
  await mkdir(linked);
  await symlink(PROGRAM, path.join(linked, 'r2-benchmark.js'));
  const [benchmark, peak] = commands(path.join(linked, 'r2-benchmark.js'), user);
  assert.equal(benchmark, `node 'my tools/r2-benchmark.js'`);
  // By a relative path if that is shorter, which depends on the location of this clone.
  assert.equal(path.resolve(user, peak.replace(/^node /, '')), PEAK);
});

test('calls a program that was started under another name by its own name', async (t) => {
  const folder = await folderWith(t, {});
  const link = path.join(folder, 'bench');
  await symlink(PROGRAM, link);
  assert.deepEqual(commands(link, CLONE), ['node r2-benchmark.js', 'node peak-performance.js']);
});

test('calls a program installed in this folder or an ancestor with npx', async (t) => {
  const { user, links } = await withLinks(t, 'node_modules/.bin');
  const below = path.join(user, 'logs', 'today');
  for (const script of ['r2-benchmark', 'r2-peak']) {
    for (const cwd of [user, below]) {
      assert.deepEqual(commands(path.join(links, script), cwd, `${links}:/usr/bin`), [
        'npx r2-benchmark',
        'npx r2-peak',
      ]);
    }
  }
});

test('names the path of the link if npx would find another program or none', async (t) => {
  const { user, links } = await withLinks(t, 'node_modules/.bin');
  const byPath = [path.join(links, 'r2-benchmark'), path.join(links, 'r2-peak')];
  // npx puts the folder on $PATH, but only for the program that it starts.
  assert.deepEqual(commands(path.join(links, 'r2-benchmark'), '/', `${links}:/usr/bin`), byPath);
  const another = path.join(user, 'sub', 'node_modules', '.bin');
  await mkdir(another, { recursive: true });
  await Promise.all(['r2-benchmark', 'r2-peak'].map((name) => writeFile(path.join(another, name), '')));
  assert.deepEqual(commands(path.join(links, 'r2-benchmark'), path.join(user, 'sub')), byPath);
});

test('calls a globally installed program by name if $PATH finds it', async (t) => {
  const { user, links } = await withLinks(t, 'bin');
  const script = path.join(links, 'r2-benchmark');
  assert.deepEqual(commands(script, '/', `/usr/bin:${links}`), ['r2-benchmark', 'r2-peak']);
  const byPath = [path.join(links, 'r2-benchmark'), path.join(links, 'r2-peak')];
  assert.deepEqual(commands(script, '/', '/usr/bin'), byPath);
  await writeFile(path.join(user, 'r2-benchmark'), 'another program');
  assert.deepEqual(commands(script, '/', `${user}:${links}`), [path.join(links, 'r2-benchmark'), 'r2-peak']);
});

test('names the example file of variables by its path from the current folder', () => {
  const of = (/** @type {string} */ cwd) =>
    invocationOf({ argv: [process.execPath, PROGRAM], cwd: () => cwd }, {}).envExample;
  assert.equal(of(CLONE), '.env.example');
  assert.equal(of(path.join(CLONE, 'deploy', 'ansible')), '../../.env.example');
});
