import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { writeResult } from '../../lib/result/write-result.js';
import { PROGRAM } from '../helpers/command.js';
import { longMerge } from '../helpers/long-merge.js';
import { resultInPage } from '../helpers/result-in-page.js';

const OWN_LOG = fileURLToPath(new URL('../golden/own-log.txt', import.meta.url));

let folder = '';

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'report-'));
  await copyFile(OWN_LOG, path.join(folder, 'log.txt'));
  await writeFile(
    path.join(folder, 'many.json'),
    [...writeResult(longMerge({ hosts: 3, seconds: 5 }).result)].join(''),
  );
});

after(() => rm(folder, { recursive: true }));

const INPUT_IS_LOST =
  'error: --report: ./many.json is an input and would be overwritten: name another file for the report';

/** @param {readonly string[]} args */
async function report(...args) {
  const child = spawn(process.execPath, [PROGRAM, 'report', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, status };
}

/**
 * @param {string} page
 * @returns {any} the result embedded in it
 */
function resultOf(page) {
  return JSON.parse(/<script type="application\/json" id="result">([^<]*)<\/script>/.exec(page)?.[1] ?? 'null');
}

test('turns a log into a page, and prints nothing to standard output', async () => {
  const { stdout, stderr, status } = await report('log.txt', '-o', 'page.html');
  assert.deepEqual([stdout, status], ['', 0], stderr);
  const page = await readFile(path.join(folder, 'page.html'), 'utf8');
  assert.match(page, /^<!doctype html>\n/);
  assert.deepEqual(
    resultOf(page).stages.map((/** @type {any} */ { stage }) => stage),
    ['Write', 'Read', 'Stat', 'Remove'],
  );
});

test('refuses to write over its own input', async () => {
  const { stderr, status } = await report('many.json', '-o', './many.json');
  assert.deepEqual([stderr.split('\n')[0], status], [INPUT_IS_LOST, 2]);
});

test('shows a result of many hosts as it is, and next to others without merging it', async () => {
  const { stdout, stderr, status } = await report('many.json', '-o', '-');
  assert.deepEqual([stderr, status], ['', 0]);
  const many = JSON.parse(await readFile(path.join(folder, 'many.json'), 'utf8'));
  assert.deepEqual(resultOf(stdout), resultInPage(many));
  const both = await report('many.json', 'log.txt', '-o', '-');
  // The page of several results does not show what the merge lacked.
  assert.match(both.stderr, /^warning: host-0\.json: Read has no percentiles: /);
  assert.equal(both.status, 1);
  assert.match(both.stdout, /many\.json/);
  assert.match(both.stdout, /log\.txt/);
});

test('does not overwrite a log, and names a missing file', async () => {
  const log = await readFile(path.join(folder, 'log.txt'), 'utf8');
  const { stderr, status } = await report('many.json', '-o', 'log.txt');
  assert.match(stderr, /^error: --report: log\.txt is a log and would be overwritten/);
  assert.equal(status, 2);
  assert.equal(await readFile(path.join(folder, 'log.txt'), 'utf8'), log);
  const missing = await report('missing.json', '-o', 'none.html');
  assert.match(missing.stderr, /missing\.json: cannot be read: no such file or directory/);
  assert.equal(missing.status, 2);
});
