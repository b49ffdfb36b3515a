import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { readCommandLine } from '../../lib/cli/command-line.js';
import { recordsOf } from '../helpers/log-records.js';
import { anchors, codeSpans, fences, links, shellCommands } from './markdown.js';
import { commands, names, PAGE_OF_DEPLOY, pages, PROGRAMS, README, ROOT, runInShell, runnable } from './pages.js';

const INDEX = 'docs/README.md';
const COMMAND_LINE = 'docs/reference/command-line.md';

/** Commands with options that a run does not have. */
const COMMANDS = ['r2-benchmark.js compare', 'r2-benchmark.js ab', 'r2-benchmark.js sweep', 'r2-benchmark.js replay'];

/** Pages whose text fences contain log lines. */
const PAGES_WITH_LOGS = [README, 'docs/use/results.md', 'docs/measure/capacity.md'];

/** @param {string} name of a page */
function textOf(name) {
  return /** @type {string} */ (pages.get(name));
}

/** A workflow also runs other programs; ci.test.js checks our steps. @param {{ language: string }} fence */
function isOurs({ language }) {
  return language !== 'yaml';
}

/** Other programs, which have their own options. */
const OTHER_PROGRAMS = /^(ansible-playbook|docker|git|kubectl|npm|sbatch|node --test|ulimit) /;

/**
 * @param {string} code
 * @returns {string[]} the long options in it
 */
function optionsIn(code) {
  return OTHER_PROGRAMS.test(code) ? [] : [...code.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option);
}

const optionsOfHelp = new Set(
  (
    await Promise.all(
      [...PROGRAMS, ...COMMANDS].map((command) =>
        runInShell(`node ${command} --help${command === 'r2-benchmark.js' ? ' all' : ''}`, ROOT),
      ),
    )
  ).flatMap(({ stdout }) => [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option]) => option)),
);

test('the README fits in 120 lines', () => {
  const lines = textOf(README).trimEnd().split('\n').length;
  assert.ok(lines <= 120, `${lines} lines`);
});

test('every internal link points to an existing file and heading', () => {
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

test('the index of docs/ links to every page', () => {
  const linked = links(textOf(INDEX)).map((target) => `docs/${target.split('#')[0]}`);
  const missing = names.filter((name) => name.startsWith('docs/') && name !== INDEX && !linked.includes(name));
  assert.deepEqual(missing, []);
});

test('the pages that .env.example names exist', async () => {
  const example = await readFile(path.join(ROOT, '.env.example'), 'utf8');
  const named = example.match(/docs\/[\w/-]+\.md/g) ?? [];
  assert.ok(named.length > 2);
  assert.deepEqual(
    named.filter((name) => !pages.has(name)),
    [],
  );
});

test('every option on the pages is in --help', () => {
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

test('the command-line page documents every option in --help', () => {
  const documented = new Set(codeSpans(textOf(COMMAND_LINE)).flatMap(optionsIn));
  assert.deepEqual(
    [...optionsOfHelp].filter((option) => !documented.has(option)),
    [],
  );
});

test('the jq commands on the page of the result name fields of its schema', async () => {
  const schema = await readFile(path.join(ROOT, 'lib/result/result.schema.json'), 'utf8');
  const scripts = fences(textOf('docs/reference/result-schema.md')).filter(({ language }) => language === 'sh');
  const fields = scripts.flatMap(({ text }) =>
    [...text.matchAll(/\.(?!json)[a-zA-Z0-9]+/g)].map(([name]) => name.slice(1)),
  );
  assert.ok(fields.length > 10);
  assert.deepEqual(
    fields.filter((field) => !schema.includes(`"${field}": {`)),
    [],
  );
});

test('log lines on the pages have the format of the log', () => {
  for (const name of PAGES_WITH_LOGS) {
    const lines = fences(textOf(name)).flatMap(({ language, text }) =>
      language === 'text' ? text.trimEnd().split('\n') : [],
    );
    assert.ok(lines.length > 0, name);
    assert.deepEqual(
      lines.filter((line) => recordsOf(`${line}\n`)[0].kind === 'text'),
      [],
      name,
    );
  }
});

describe('commands on the pages', { concurrency: 2 }, () => {
  test('parse, if they need an account or too much time to run', async () => {
    const rest = commands.filter(
      ({ command }) => command.startsWith('node r2-benchmark.js ') && !runnable.has(command),
    );
    assert.ok(rest.length > 10);
    for (const { name, command } of rest) {
      const { stdout } = await runInShell(command.replace(/^node \S+/, String.raw`printf '%s\n'`), ROOT);
      const sink = new PassThrough();
      const parameters = stdout.trimEnd().split('\n');
      assert.doesNotThrow(() => readCommandLine(parameters, { stdout: sink, stderr: sink }), `${name}: ${command}`);
    }
  });

  test('call our programs, or npm with existing scripts', async () => {
    const { scripts } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
    const strange = commands.filter(({ command }) => {
      const [, script] = /^npm (?:run )?([a-z][a-z:-]*)$/.exec(command) ?? [];
      const isOfNpm =
        /^npm ci( --omit=dev)?$/.test(command) ||
        command.startsWith('npm install ') ||
        Object.hasOwn(scripts, script ?? '');
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
