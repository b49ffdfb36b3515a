import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, readFile, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readCommandLine } from '../../lib/cli/command-line.js';
import { parseLine } from '../../lib/log/lines.js';
import { folderWith } from '../helpers/command.js';
import { anchors, codeSpans, fences, links, shellCommands } from './markdown.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const README = 'README.md';
const COMMAND_LINE = 'docs/command-line.md';
const PROGRAMS = ['r2-benchmark.js', 'peak-performance.js'];

/** Of which not every option is one of a run as well. */
const COMMANDS = ['r2-benchmark.js compare', 'r2-benchmark.js ab'];

/** Pages of which the text in fences is lines of a log. */
const PAGES_WITH_LOGS = [README, 'docs/output.md', 'docs/capacity-search.md'];

/** Its commands have tests of their own, in test/deploy. */
const PAGE_OF_DEPLOY = 'deploy/README.md';

const names = [
  ...(await readdir(ROOT)).filter((name) => name.endsWith('.md')),
  ...(await readdir(path.join(ROOT, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
  PAGE_OF_DEPLOY,
];

/** The texts of the pages by their names. */
const pages = new Map(
  await Promise.all(
    names.map(async (name) => /** @type {const} */ ([name, await readFile(path.join(ROOT, name), 'utf8')])),
  ),
);

/** @param {string} name of a page */
function textOf(name) {
  return /** @type {string} */ (pages.get(name));
}

/** A workflow has steps of other programs, too; a test of its own looks at ours. @param {{ language: string }} fence */
function isOurs({ language }) {
  return language !== 'yaml';
}

/** Programs whose options are not ours. */
const OTHER_PROGRAMS = /^(ansible-playbook|git|kubectl|npm|sbatch|node --test|ulimit) /;

/**
 * @param {string} code
 * @returns {string[]} the long options in it
 */
function optionsIn(code) {
  return OTHER_PROGRAMS.test(code) ? [] : [...code.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option);
}

/**
 * @param {string} command
 * @param {string} cwd
 * @returns {Promise<{ status: number, stdout: string, stderr: string }>}
 */
function runInShell(command, cwd) {
  const { PATH } = process.env;
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', command], { cwd, env: { PATH, HOME: cwd } }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const optionsOfHelp = new Set(
  (await Promise.all([...PROGRAMS, ...COMMANDS].map((command) => runInShell(`node ${command} --help`, ROOT)))).flatMap(
    ({ stdout }) => [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option]) => option),
  ),
);

test('the README is a page that can be read in one go', () => {
  const lines = textOf(README).trimEnd().split('\n').length;
  assert.ok(lines <= 150, `${lines} lines`);
});

test('every link within the project leads to a file, and to a heading in it', () => {
  const broken = [...pages].flatMap(([name, text]) =>
    links(text)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file, anchor] = target.split('#');
        const page = file === '' ? name : path.posix.join(path.posix.dirname(name), file);
        return (
          !existsSync(path.join(ROOT, page)) ||
          (anchor !== undefined && !anchors(pages.get(page) ?? '').includes(anchor))
        );
      })
      .map((target) => `${name}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

test('every page of docs/ is linked in the README', () => {
  const linked = links(textOf(README)).map((target) => target.split('#')[0]);
  const missing = names.filter((name) => name.startsWith('docs/') && !linked.includes(name));
  assert.deepEqual(missing, []);
});

test('every option that the pages name is one of --help', () => {
  const unknown = [...pages]
    .filter(([name]) => name !== PAGE_OF_DEPLOY)
    .flatMap(([name, text]) =>
      [
        ...codeSpans(text),
        ...fences(text)
          .filter(isOurs)
          .flatMap(({ text: script }) => shellCommands(script)),
      ]
        .flatMap(optionsIn)
        .filter((option) => !optionsOfHelp.has(option))
        .map((option) => `${name}: ${option}`),
    );
  assert.deepEqual(unknown, []);
  assert.ok(optionsOfHelp.size > 30);
});

test('every option of --help has its place on the page of the command line', () => {
  const documented = new Set(codeSpans(textOf(COMMAND_LINE)).flatMap(optionsIn));
  assert.deepEqual(
    [...optionsOfHelp].filter((option) => !documented.has(option)),
    [],
  );
});

test('lines of a log on the pages are lines that the log has', () => {
  for (const name of PAGES_WITH_LOGS) {
    const lines = fences(textOf(name)).flatMap(({ language, text }) =>
      language === 'text' ? text.trimEnd().split('\n') : [],
    );
    assert.ok(lines.length > 0, name);
    assert.deepEqual(
      lines.filter((line) => parseLine(line) === null),
      [],
      name,
    );
  }
});

/** The commands for a shell on all pages. */
const commands = [...pages]
  .filter(([name]) => name !== PAGE_OF_DEPLOY)
  .flatMap(([name, text]) =>
    fences(text)
      .filter(({ language }) => language === 'bash')
      .flatMap(({ text: script, reasonNotToRun }) =>
        shellCommands(script).map((command) => ({
          name,
          isRun: reasonNotToRun === null,
          command: command
            .replace(/^npx r2-benchmark /, 'node r2-benchmark.js ')
            .replace(/^npx r2-peak /, 'node peak-performance.js '),
        })),
      ),
  );

/** What a benchmark can do without an account. */
const WITHOUT_ACCOUNT = / --(local|init|help|version)\b/;

/** @param {string} command */
function runsWithoutAccount(command) {
  return (
    command.startsWith('node peak-performance.js ') ||
    (command.startsWith('node r2-benchmark.js ') && WITHOUT_ACCOUNT.test(command))
  );
}

describe('commands on the pages', { concurrency: 2 }, () => {
  const real = new Set(
    commands.filter(({ command, isRun }) => isRun && runsWithoutAccount(command)).map(({ command }) => command),
  );
  for (const command of real) {
    test(`run as they are, with fewer objects: ${command}`, async (t) => {
      const folder = await folderWith(t, {});
      await Promise.all(PROGRAMS.map((name) => symlink(path.join(ROOT, name), path.join(folder, name))));
      await copyFile(path.join(ROOT, 'test/golden/own-log.txt'), path.join(folder, 'log-fra-1.txt'));
      const shorter = command.replace(/^(node r2-benchmark\.js) \d+ \d+/, '$1 200 10');
      const { status, stdout, stderr } = await runInShell(shorter, folder);
      assert.deepEqual([status, stdout === ''], [0, false], stderr);
    });
  }

  test('that need an account, or much time, are understood', async () => {
    const rest = commands.filter(({ command }) => command.startsWith('node r2-benchmark.js ') && !real.has(command));
    assert.ok(rest.length > 10);
    for (const { name, command } of rest) {
      const { stdout } = await runInShell(command.replace(/^node \S+/, String.raw`printf '%s\n'`), ROOT);
      const sink = new PassThrough();
      const parameters = stdout.trimEnd().split('\n');
      assert.doesNotThrow(() => readCommandLine(parameters, { stdout: sink, stderr: sink }), `${name}: ${command}`);
    }
  });

  test('are those of our programs, or of npm, with scripts that there are', async () => {
    const { scripts } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
    const strange = commands.filter(({ command }) => {
      const [, script] = /^npm (?:run )?([a-z][a-z:-]*)$/.exec(command) ?? [];
      const isOfNpm =
        command === 'npm ci' || command.startsWith('npm install ') || Object.hasOwn(scripts, script ?? '');
      return !isOfNpm && !/^node (r2-benchmark\.js|peak-performance\.js|--test) /.test(command);
    });
    assert.deepEqual(strange, []);
    const inProse = [...pages.values()]
      .flatMap(codeSpans)
      .flatMap((code) => /^npm run ([a-z:-]+)$/.exec(code)?.[1] ?? []);
    assert.deepEqual(
      inProse.filter((script) => !Object.hasOwn(scripts, script)),
      [],
    );
  });
});
