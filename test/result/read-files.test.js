import fc from 'fast-check';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { readFiles, readLines, readWholeResult, whatIsLost } from '../../lib/result/log/read-files.js';

/** @import { LogLine } from '../../lib/result/log/lines.js' */

const GOLDEN = readFileSync(new URL('../golden/own-log.txt', import.meta.url));
const RETRYING = 'Retrying on TRANSIENT error';

let folder = '';

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'read-logs-'));
});

after(() => rm(folder, { recursive: true }));

/**
 * @param {string} name
 * @param {string | Uint8Array} content
 */
async function logFile(name, content) {
  const file = path.join(folder, name);
  await writeFile(file, content);
  return file;
}

/** @param {readonly (string | Uint8Array)[]} chunks */
async function* stream(chunks) {
  for (const chunk of chunks) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
}

/** @param {readonly (string | Uint8Array)[]} chunks */
async function entriesOf(chunks) {
  /** @type {{ number: number, line: LogLine }[]} */
  const entries = [];
  await readLines(stream(chunks), (number, line) => entries.push({ number, line }), 'file');
  return entries;
}

/**
 * @param {readonly string[]} files
 * @param {readonly string[]} [standardInput]
 * @returns {Promise<object[]>} where the runs begin, then the warnings about files
 */
async function itemsOf(files, standardInput = []) {
  const { runs, warnings } = await readFiles(files, stream(standardInput), { keepsDetails: false });
  return [...runs.map(({ file, line }) => ({ file, line })), ...warnings];
}

test('lines keep their line numbers, and foreign lines are skipped', async () => {
  const entries = await entriesOf([`run id 7f3a\n\n${RETRYING}\nwriting 40%\n${RETRYING} (2 more)\n`]);
  assert.deepEqual(entries, [
    { number: 3, line: { kind: 'retrying', retries: 1 } },
    { number: 5, line: { kind: 'retrying', retries: 3 } },
  ]);
});

test('records do not depend on how the stream is split into chunks', async () => {
  const whole = await entriesOf([GOLDEN]);
  assert.ok(whole.length > 10);
  const cuts = fc.array(fc.nat(GOLDEN.length), { maxLength: 20 }).map((places) => [0, ...places.sort((a, b) => a - b)]);
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const chunks = places.map((place, index) => GOLDEN.subarray(place, places[index + 1]));
      assert.deepEqual(await entriesOf(chunks), whole);
    }),
  );
});

test('every function that reads results refuses one that is nested too deeply, with its line', async () => {
  const file = await logFile('deep.json', `{"format":3,\n"host":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
  const message = `${file}:2: more than 64 levels of nesting in one file`;
  await assert.rejects(itemsOf([file]), { message });
  await assert.rejects(readWholeResult(file), { message });
  await assert.rejects(whatIsLost(file), { message });
});

test('a file that is missing or a directory is refused by name', async () => {
  const missing = path.join(folder, 'missing.txt');
  const directory = path.join(folder, 'directory');
  await mkdir(directory);
  await assert.rejects(itemsOf([missing]), {
    name: 'InputError',
    message: `${missing}: cannot be read: no such file or directory (ENOENT)`,
  });
  await assert.rejects(itemsOf([directory]), { message: `${directory}: is a directory, expected a log file` });
});

test('files without log lines give a warning, and reading continues', async () => {
  const foreign = await logFile('foreign.txt', 'Lorem ipsum\n');
  const empty = await logFile('empty.txt', '');
  const log = await logFile('log.txt', RETRYING);
  const entries = await itemsOf([foreign, empty, log]);
  const expected = 'expected output of r2-benchmark (stdout, --log or --json)';
  assert.deepEqual(entries, [
    { file: log, line: 1 },
    {
      file: foreign,
      line: 1,
      message: `contains no log lines: ${expected}`,
      incomplete: true,
    },
    { file: empty, line: null, message: `is empty: ${expected}`, incomplete: true },
  ]);
});

test('a file under several names is read once, and nothing is missing', async () => {
  const log = await logFile('original.txt', RETRYING);
  const symbolic = path.join(folder, 'symbolic.txt');
  const hard = path.join(folder, 'hard.txt');
  await symlink(log, symbolic);
  await link(log, hard);
  const entries = await itemsOf([log, log, symbolic, hard]);
  const same = `the same file as ${log}, counted once`;
  assert.deepEqual(entries.slice(1), [
    { file: log, line: null, message: 'given twice, counted once', incomplete: false },
    { file: symbolic, line: null, message: same, incomplete: false },
    { file: hard, line: null, message: same, incomplete: false },
  ]);
  assert.deepEqual(entries[0], { file: log, line: 1 });
});

test('standard input is read once, in order, and has a name in warnings', async () => {
  const log = await logFile('beside.txt', RETRYING);
  const items = await itemsOf([log, '-', '-'], [`${RETRYING}\n`]);
  assert.deepEqual(items.slice(1), [
    { file: 'standard input', line: 1 },
    { file: 'standard input', line: null, message: 'given twice, counted once', incomplete: false },
  ]);
});
