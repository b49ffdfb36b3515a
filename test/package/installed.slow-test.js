import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dotEnvOf, keysIn } from '../helpers/command.js';
import { environmentOfUser, installPackage } from '../helpers/installed-copy.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

const PROJECT = new URL('../../', import.meta.url);
const TOOLS = fileURLToPath(new URL('node_modules/.bin/', PROJECT));
const TYPES = fileURLToPath(new URL('node_modules/@types', PROJECT));

const parent = await realpath(await mkdtemp(path.join(tmpdir(), 'r2-benchmark-')));
after(() => rm(parent, { recursive: true }));
const folder = path.join(parent, 'a folder');
const archive = await installPackage(folder);
const installed = path.join(folder, 'node_modules', 'r2-benchmark');

const page = await readFile(new URL('docs/use/library.md', PROJECT), 'utf8');
const examples = [...page.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code], index) => ({
  code,
  name: `example-${index + 1}`,
}));

/**
 * Runs a command in a shell, without S3_… variables.
 *
 * @param {string} command
 * @returns {Promise<{ status: number, stdout: string, stderr: string }>}
 */
function type(command) {
  const environment = Object.entries(environmentOfUser()).filter(([name]) => !/^S3_|^NODE_TEST_CONTEXT$/.test(name));
  return new Promise((resolve) => {
    execFile(
      '/bin/sh',
      ['-c', command],
      { cwd: folder, env: Object.fromEntries(environment) },
      (error, stdout, stderr) => resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/**
 * @param {{ status: number, stdout: string, stderr: string }} outcome
 * @param {number} status
 */
function assertEnds(outcome, status) {
  assert.equal(outcome.status, status, outcome.stdout + outcome.stderr);
}

/**
 * @param {string} file of edge/
 * @param {Set<string>} [found]
 * @returns {Promise<Set<string>>} the file and everything in edge/ that it imports, directly or not
 */
async function modulesFrom(file, found = new Set()) {
  if (!found.has(file)) {
    found.add(file);
    const code = await readFile(new URL(`edge/${file}`, PROJECT), 'utf8');
    for (const [, imported] of code.matchAll(/^(?:import|export)\b[^;'"]*?\bfrom '\.\/([^']+)'/gm)) {
      await modulesFrom(imported, found);
    }
  }
  return found;
}

/**
 * @param {string} code of a module
 * @returns {string} the CommonJS equivalent
 */
function inCommonJs(code) {
  const imported = code.replace(/^import (\{.*\}) from '(.+)';$/gm, "const $1 = await import('$2');");
  return `(async () => {\n${imported}})();\n`;
}

describe('the package, installed in a folder', () => {
  test('contains the programs and the shipped files, but no development files', async () => {
    const names = (await readdir(installed)).filter((name) => name !== 'node_modules');
    assert.deepEqual(names.toSorted(), [
      ...['.env.example', 'CHANGELOG.md', 'LICENSE', 'README.md', 'deploy', 'docs', 'edge', 'lib', 'package.json'],
      ...['peak-performance.js', 'r2-benchmark.js', 'types'],
    ]);
    for (const name of ['lib', 'deploy', 'docs']) {
      const [shipped, own] = await Promise.all(
        [path.join(installed, name), new URL(name, PROJECT)].map((each) => readdir(each, { recursive: true })),
      );
      const isKept = (/** @type {string} */ each) =>
        !/(^|\/)(\.gitignore|inventory\.ini|secret\.yml|log-.*\.txt)$/.test(each);
      assert.deepEqual(shipped.toSorted(), own.filter(isKept).toSorted());
    }
    const worker = await modulesFrom('worker.js');
    assert.ok(worker.size > 1);
    assert.deepEqual((await readdir(path.join(installed, 'edge'))).toSorted(), [...worker, 'wrangler.toml'].toSorted());
  });

  test('runs a benchmark, merges its log and writes a report with the chart library, with both programs', async () => {
    const { version } = JSON.parse(await readFile(new URL('package.json', PROJECT), 'utf8'));
    for (const program of ['npx r2-benchmark', 'node_modules/.bin/r2-peak']) {
      const { status, stdout } = await type(`${program} --version`);
      assert.deepEqual([status, stdout], [0, `${version}\n`]);
    }
    const run = 'node_modules/.bin/r2-benchmark 50 5 --size 1KiB --local --client sdk --report page.html';
    assertEnds(await type(`${run} > log.txt`), 0);
    const total = await type('node_modules/.bin/r2-peak log.txt');
    assertEnds(total, 0);
    assert.match(total.stdout, /Write\n[^]*Operations +50 in/);
    assert.deepEqual(await type('node_modules/.bin/r2-benchmark merge log.txt'), total);
    assert.match(await readFile(path.join(folder, 'page.html'), 'utf8'), /^<!doctype html>\n[^]*\/\*! uPlot /);
  });

  test('exports the library, its package.json and the schema of a result, and nothing else', async () => {
    const { version } = JSON.parse(await readFile(new URL('package.json', PROJECT), 'utf8'));
    const manifest = await type(`node --print "require('r2-benchmark/package.json').version"`);
    assert.deepEqual([manifest.status, manifest.stdout], [0, `${version}\n`]);
    const schema = await type(`node --print "require('r2-benchmark/result.schema.json').title"`);
    assert.deepEqual([schema.status, schema.stdout], [0, 'Result\n']);
    const library = await type(`node --eval "import('r2-benchmark').then(({ run }) => console.log(typeof run))"`);
    assert.deepEqual([library.status, library.stdout], [0, 'function\n']);
    const refused = await type(
      `node --eval "import('r2-benchmark/lib/cli/benchmark.js').catch(({ code }) => console.log(code))"`,
    );
    assert.deepEqual([refused.status, refused.stdout], [0, 'ERR_PACKAGE_PATH_NOT_EXPORTED\n']);
  });

  test('runs the six examples of the library’s page, as modules and one in CommonJS', async () => {
    const together = 'node_modules/.bin/r2-benchmark 200 4 --local --run-id together --start-at +3s';
    const hosts = ['a', 'b'].map((host, index) => type(`${together} --shard ${index}/2 --log log-${host}.txt`));
    (await Promise.all(hosts)).forEach((outcome) => assertEnds(outcome, 0));
    assert.equal(examples.length, 6);
    const files = examples.map(({ name, code }) => [`${name}.mjs`, code]);
    for (const [file, text] of [...files, ['example-1.cjs', inCommonJs(examples[0].code)]]) {
      await writeFile(path.join(folder, file), text);
      assertEnds(await type(`node ${file}`), 0);
    }
    assert.match(await readFile(path.join(folder, 'report.html'), 'utf8'), /2 hosts/);
  });

  test('has types under which the examples pass strict TypeScript', async () => {
    const files = examples.map(({ name }) => `${name}.mts`);
    await Promise.all(files.map((file, index) => writeFile(path.join(folder, file), examples[index].code)));
    const types = `--types node --typeRoots '${TYPES}'`;
    const check = `'${TOOLS}tsc' --noEmit --strict --target es2023 --module nodenext ${types}`;
    assert.deepEqual(await type(`${check} ${files.join(' ')}`), { status: 0, stdout: '', stderr: '' });
    await writeFile(
      path.join(folder, 'wrong.mts'),
      "import { run } from 'r2-benchmark';\nawait run({ store: 'local', objects: 1, threads: 1, client: 'fast' });\n",
    );
    const wrong = await type(`${check} wrong.mts`);
    assert.match(wrong.stdout, /"?'?fast/);
    assert.notEqual(wrong.status, 0);
  });

  test('resolves everywhere except through a CommonJS require', async () => {
    assertEnds(await type(`'${TOOLS}attw' '${archive}' --profile esm-only`), 0);
  });

  test('reports before a run which packages metrics require, with the command that installs them', async (t) => {
    const { peerDependencies } = JSON.parse(await readFile(new URL('package.json', PROJECT), 'utf8'));
    const endpoint = await startTestEndpoint(t);
    await writeFile(path.join(folder, '.env'), dotEnvOf(endpoint));
    const run = '20 2 --size 1KiB --metrics-port 0 --otlp --log metrics.txt';
    const refused = await type(`node_modules/.bin/r2-benchmark ${run}`);
    assertEnds(refused, 2);
    assert.equal(refused.stdout, '');
    const [, install] =
      /^error: metrics require OpenTelemetry's packages, which are not installed: run `(npm install .*)` in the folder/m.exec(
        refused.stderr,
      ) ?? [];
    assert.deepEqual(
      install.split(' ').slice(3).toSorted(),
      Object.entries(peerDependencies).map(([name, version]) => `${name}@${version}`),
    );
    assert.ok(!(await readdir(folder)).includes('metrics.txt'));
    assert.deepEqual(await keysIn(endpoint), []);
    assertEnds(await type(`${install} --prefer-offline --no-audit --no-fund`), 0);
    assertEnds(await type(`OTEL_SDK_DISABLED=true node_modules/.bin/r2-benchmark ${run}`), 0);
  });
});
