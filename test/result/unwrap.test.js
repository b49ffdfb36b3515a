import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readFiles } from '../../lib/result/log/read-files.js';

const GOLDEN = readFileSync(new URL('../golden/own-log.txt', import.meta.url), 'utf8');
const LINES = GOLDEN.trimEnd().split('\n');

/** @param {string | Buffer} content */
async function read(content) {
  const { runs, warnings } = await readFiles(['-'], stream(content), { keepsDetails: false });
  const stages = runs.map(({ result }) =>
    result.stages.map(({ seconds, ...stage }) => ({ ...stage, tenths: seconds.tenths })),
  );
  return { stages, warnings: [...warnings, ...runs.flatMap((run) => run.warnings)] };
}

/** @param {string | Buffer} content */
async function* stream(content) {
  yield Buffer.from(content);
}

/** A time of day for the line of that number. @param {number} index */
function time(index) {
  return new Date(Date.UTC(2026, 10, 30, 23, 59, index)).toISOString().slice(11, 19);
}

const DATE = (/** @type {number} */ index) => (index < 60 ? '2026-11-30' : '2026-12-01');
const DAY = (/** @type {number} */ index) => (index < 60 ? 'Nov 30' : 'Dec  1');

/** What precedes a line, by the program that writes it. @type {Record<string, (index: number) => string>} */
const PREFIXES = {
  'docker compose': () => 'bench-1  | ',
  'docker compose --timestamps': (index) => `bench-1  | ${DATE(index)}T${time(index)}.123456789Z `,
  'GitHub Actions': (index) => `${DATE(index)}T${time(index)}.1234567Z `,
  'gh run view --log': (index) => `bench\tRun the benchmark\t${DATE(index)}T${time(index)}.1234567Z `,
  'kubectl --prefix': () => '[pod/bench-7d4f9/bench] ',
  'kubectl --prefix --timestamps': (index) => `[pod/bench-0/bench] ${DATE(index)}T${time(index)}.1Z `,
  'a CRI file': (index) => `${DATE(index)}T${time(index)}.123456789+01:00 stdout F `,
  journald: (index) => `${DAY(index)} ${time(index)} host-1 r2-benchmark[1234]: `,
  'journalctl -o short-iso': (index) => `${DATE(index)}T${time(index)}+0100 host-1 node[77]: `,
  'GitLab CI': (index) => `${DATE(index)}T${time(index)}.000123Z 00O `,
  'Azure Pipelines': (index) => `${DATE(index)}T${time(index)}.5555555Z ##[section]`,
  Jenkins: (index) => `[${DATE(index)}T${time(index)}.123Z] `,
  ts: (index) => `${DAY(index)} ${time(index)} `,
  'ts -s': (index) => `${time(index)} `,
  'ts %.s': (index) => `17957300${10 + (index % 80)}.123456 `,
  dmesg: (index) => `[  ${index}.123456] `,
  pdsh: () => '10.0.0.5: ',
  'parallel --tag': () => 'host-1\t',
  'mpirun --tag-output': () => '[1,0]<stdout>:',
  Heroku: (index) => `${DATE(index)}T${time(index)}.123456+00:00 app[run.1]: `,
  'a quoted mail': () => '> ',
};

test('Row 55: a log is read with the prefixes that other programs add', async () => {
  const plain = await read(GOLDEN);
  assert.equal(plain.stages.length, 1);
  for (const [program, prefix] of Object.entries(PREFIXES)) {
    const wrapped = LINES.map((line, index) => `${prefix(index)}${line}\n`).join('');
    assert.deepEqual(await read(wrapped), plain, program);
  }
});

/** How a whole log may be stored. @type {Record<string, string | Buffer>} */
const STORED = {
  'UTF-16 of PowerShell': Buffer.from(`\uFEFF${LINES.join('\r\n')}\r\n`, 'utf16le'),
  'UTF-16 without a mark': Buffer.from(GOLDEN, 'utf16le'),
  'big-endian UTF-16': Buffer.from(`\uFEFF${GOLDEN}`, 'utf16le').swap16(),
  'a byte order mark': `\uFEFF${GOLDEN}`,
  'json-file of Docker': LINES.map((log) => `${JSON.stringify({ log: `${log}\n`, stream: 'stdout' })}\n`).join(''),
  'journalctl -o json': LINES.map((MESSAGE) => `${JSON.stringify({ PRIORITY: '6', MESSAGE })}\n`).join(''),
  'a cloud': LINES.map((textPayload) => `${JSON.stringify({ severity: 'INFO', textPayload })}\n`).join(''),
  'colours and titles': LINES.map((line) => `\u001B]0;title\u0007\u001B[1;32m${line}\u001B[0m\u001B[K\n`).join(''),
  'a terminal with progress': LINES.map((line) => `Write 40%\r\u001B[2K\r${line}\r\n`).join(''),
};

test('Row 55: a log is read in the encodings and containers in which other programs store it', async () => {
  const plain = await read(GOLDEN);
  for (const [program, content] of Object.entries(STORED)) {
    assert.deepEqual(await read(content), plain, program);
  }
});

test('the logs of several hosts in one file are told apart by their prefixes', async () => {
  const [{ stages }] = [await read(GOLDEN)];
  const both = LINES.flatMap((line) => [`bench-1  | ${line}\n`, `bench-2  | ${line}\n`]).join('');
  assert.deepEqual((await read(both)).stages, [...stages, ...stages]);
});

test('a line that another program quotes is no line of the log', async () => {
  const plain = await read(GOLDEN);
  const quoted = `warning: log.txt:3: ${LINES[0]}\nI said: ${LINES[LINES.length - 1]}\n`;
  assert.deepEqual((await read(GOLDEN + quoted)).stages, plain.stages);
  assert.deepEqual((await read(`Read took 5ms, they say\nIt took: Read took 5ms. Peak ops 1.0/s\n`)).stages, []);
});

test('a file of another format is named, with the way to the plain log', async () => {
  for (const [content, message] of /** @type {[string | Buffer, RegExp][]} */ ([
    [Buffer.from([0x1f, 0x8b, 8, 0]), /^is compressed: decompress it first: expected output/],
    [Buffer.from('PK\x03\x04logs'), /^is compressed/],
    [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1]), /^is compressed/],
    ['LPKSHHRH\0\0', /^is a file of systemd's journal: export the log with journalctl -o cat: /],
    ['<!DOCTYPE html>\n<html>', /^is a document: save the log as plain text: /],
    ['%PDF-1.7', /^is a document/],
    ['[{"message":"x"}]', /^is JSON of another program: /],
    ['{"message":', /^starts like JSON but is invalid or cut short: /],
    ['Lorem ipsum', /^contains no log lines: /],
  ])) {
    const { stages, warnings } = await read(content);
    assert.deepEqual([stages, warnings.length, warnings[0].incomplete], [[], 1, true]);
    assert.match(warnings[0].message, message);
  }
});
