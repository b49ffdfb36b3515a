import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { environmentOfUser, installPackage } from '../helpers/installed-copy.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BIN = path.join(ROOT, 'node_modules/.bin');

const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'r2-benchmark-')));
after(() => rm(folder, { recursive: true }));
const archive = await installPackage(folder);

const page = await readFile(path.join(ROOT, 'docs/use/library.md'), 'utf8');
const examples = [...page.matchAll(/^## (.+)\n(?:(?!^## )[^])*?^```js\n([^]*?)^```$/gm)].map(
  ([, title, code], index) => ({
    title,
    code,
    name: `example-${index + 1}`,
  }),
);

/**
 * @param {string} file
 * @param {readonly string[]} parameters
 * @returns {Promise<{ status: number, output: string }>}
 */
function execute(file, parameters) {
  const variables = Object.entries(environmentOfUser()).filter(([name]) => !/^S3_|^NODE_TEST_CONTEXT$/.test(name));
  return new Promise((resolve) => {
    execFile(file, parameters, { cwd: folder, env: Object.fromEntries(variables) }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

/**
 * @param {string} code of a module
 * @returns {string} the CommonJS equivalent
 */
function inCommonJs(code) {
  const imported = code.replace(/^import (\{.*\}) from '(.+)';$/gm, "const $1 = await import('$2');");
  return `(async () => {\n${imported}})();\n`;
}

describe('the installed library', () => {
  test('runs the six examples on its page, as modules and one in CommonJS', async () => {
    const program = path.join(folder, 'node_modules/r2-benchmark/r2-benchmark.js');
    const together = ['--local', '--run-id', 'together', '--start-at', '+3s'];
    const hosts = ['a', 'b'].map((host, index) =>
      execute(process.execPath, [
        program,
        '200',
        '4',
        ...together,
        '--shard',
        `${index}/2`,
        '--log',
        `log-${host}.txt`,
      ]),
    );
    for (const { status, output } of await Promise.all(hosts)) {
      assert.equal(status, 0, output);
    }
    assert.equal(examples.length, 6);
    for (const { title, code, name } of examples) {
      for (const [file, text] of [
        [`${name}.mjs`, code],
        ...(name === examples[0].name ? [[`${name}.cjs`, inCommonJs(code)]] : []),
      ]) {
        await writeFile(path.join(folder, file), text);
        const { status, output } = await execute(process.execPath, [file]);
        assert.equal(status, 0, `${title}, ${file}: ${output}`);
      }
    }
    const reported = await readFile(path.join(folder, 'report.html'), 'utf8');
    assert.match(reported, /2 hosts/);
  });

  test('has types under which the examples pass strict TypeScript', async () => {
    for (const { code, name } of examples) {
      await writeFile(path.join(folder, `${name}.mts`), code);
    }
    const files = examples.map(({ name }) => `${name}.mts`);
    const types = ['--types', 'node', '--typeRoots', path.join(ROOT, 'node_modules/@types')];
    const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', ...types];
    const checked = await execute(path.join(BIN, 'tsc'), [...options, ...files]);
    assert.deepEqual(checked, { status: 0, output: '' });
    await writeFile(
      path.join(folder, 'wrong.mts'),
      "import { run } from 'r2-benchmark';\nawait run({ store: 'local', objects: 1, threads: 1, client: 'fast' });\n",
    );
    const wrong = await execute(path.join(BIN, 'tsc'), [...options, 'wrong.mts']);
    assert.match(wrong.output, /"?'?fast/);
    assert.notEqual(wrong.status, 0);
  });

  test('resolves everywhere except through a CommonJS require', async () => {
    const { status, output } = await execute(path.join(BIN, 'attw'), [archive, '--profile', 'esm-only']);
    assert.equal(status, 0, output);
  });
});
