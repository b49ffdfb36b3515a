import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readCommandLine } from '../../lib/cli/command-line.js';
import { shellWords } from '../../lib/text/shell-words.js';
import { runInProcess } from '../helpers/command.js';
import { r2Line, writeFiles } from '../helpers/traffic-logs.js';

const START = Date.UTC(2026, 8, 1, 12);

const LINES = Array.from({ length: 1200 }, (_, index) =>
  r2Line({
    at: START + index * 100,
    does: index % 4 === 0 ? 'PutObject' : 'GetObject',
    key: `k${index % 40}`,
    size: 2048,
    bytes: 2048,
  }),
);

const [log] = writeFiles({
  'traffic.ndjson': [
    ...LINES,
    'damage',
    r2Line({ at: START, does: 'UploadPart', key: 'x\u001b[31m' }),
    r2Line({ at: START, does: 'GetObject', key: 'x', status: 404 }),
  ].join('\n'),
});

test('--dry-run shows what a log contains and what a replay would cost, without a store', async () => {
  const { status, stdout, stderr } = await runInProcess(['replay', log, '--dry-run', '--speed', '10x'], {});
  assert.deepEqual([status, stderr], [0, '']);
  assert.deepEqual(stdout.replaceAll(log, path.basename(log)).split('\n').slice(0, -2), [
    'Logs: R2 Data Access Logs',
    'Left out: 1 failed request',
    'Not replayed: UploadPart 1',
    'Unreadable: 1 line, first traffic.ndjson:1201',
    'Requests: 1,200 in 1m 59s, from 2026-09-01T12:00:00.000Z',
    '  write                  300  25.0%',
    '  read                   900  75.0%',
    'Objects: 40 with 0.1 MB; 30 with 0.1 MB are written first',
    'At 10x: 100.1 requests per second in 11s, 100.1 per second in the busiest minute',
    'Waiting on R2: 290 changes within a second of another change of the same key',
  ]);
  assert.match(stdout, /^Cost at R2's list prices: \$0\.0018 for 332 Class A and 900 Class B operations/m);
});

/** @param {string} file @returns {Promise<string>} the command of --fit, which the program accepts */
async function fitOf(file) {
  const { status, stdout } = await runInProcess(['replay', file, '--fit', '--threads', '20'], {});
  assert.equal(status, 0);
  const words = shellWords(stdout.trim().replace(/^.*r2-benchmark(\.js)? /, ''));
  const quiet = { write: () => true };
  const request = readCommandLine([...words, '--local'], { stdout: quiet, stderr: quiet });
  assert.equal(request.command, 'run');
  return words.join(' ');
}

test('--fit prints a command that the program accepts', async () => {
  assert.match(await fitOf(log), /--mix write=25,read=75 --size 2048B --access uniform --rate 10\.0 --arrival poisson/);
});

for (const [what, interval, keys, kinds, command] of /** @type {const} */ ([
  ['only writes', 100, 100, ['write'], /^100 20 --stages write,remove --size 1000B --rate 10.1 --arrival/],
  ['only removals', 100, 100, ['remove'], /^100 20 --stages write,remove --size 1000B --rate 10.1 --arrival/],
  ['little traffic', 1e6, 100, ['read'], /^100 20 --stages write,read,remove .* --rate 0.1 /],
  ['hot keys', 20, 10, ['write', 'read'], /^51 20 --mix write=50,read=50 .* --rate 50.5 /],
  ['hot keys that are removed', 1000, 2, ['write', 'remove'], /^121 20 --mix write=50,remove=50 --size 1000B --rate/],
  ['ranges longer than other objects', 100, 2, ['range', 'empty'], /--size 1B=1,1000B=1 .* --range-size 1 /],
])) {
  test(`the command of --fit is accepted if the log has ${what}`, async () => {
    const ends = /** @type {Record<string, string>} */ ({ range: 'read,1000,90,206', empty: 'read,0,0,200' });
    const lines = Array.from({ length: 100 }, (_, index) => {
      const kind = kinds[index % kinds.length];
      return `${START + index * interval},k${index % keys},${ends[kind] ?? `${kind},1000,,200`}`;
    });
    const [file] = writeFiles({ 'a.csv': ['time,key,operation,size,bytes,status', ...lines].join('\n') });
    assert.match(await fitOf(file), command);
  });
}

test('what limits a replay is named with the options and sizes of a replay', async () => {
  const [large] = writeFiles({
    'large.csv': `time,operation,key,size\n${START},read,a,1\n${START + 1},read,b,${2 ** 30 + 1}`,
  });
  const refused = async (/** @type {string[]} */ ...words) =>
    (await runInProcess(['replay', ...words, '--local'], {})).stderr;
  assert.match(await refused(large), /^error: --local stores objects of at most 1GiB, got 1073741825B$/m);
  assert.match(await refused(log, '--max-cost', '0.001'), /: raise the limit or replay less with --for or --limit$/m);
});

test('a log that is missing or foreign is refused in one line', async () => {
  const [foreign] = writeFiles({ 'nginx.log': '127.0.0.1 - - "GET / HTTP/1.1" 200' });
  for (const file of [foreign, `${foreign}-missing`]) {
    for (const parameters of [['--dry-run'], ['--local']]) {
      const { status, stdout, stderr } = await runInProcess(['replay', file, ...parameters], {});
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, /^error: replay: [^\n]*nginx\.log[^\n]*\n/);
    }
  }
});
