import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { drawTerminal } from '../../scripts/draw-terminal.js';
import { screenRows, screenSpans } from '../../scripts/terminal-screen.js';
import { folderWith } from '../helpers/command.js';

const PICTURE = fileURLToPath(new URL('../../scripts/picture.js', import.meta.url));

const execute = promisify(execFile);

/**
 * @param {string} svg
 * @returns {string[]} its texts
 */
function textsOf(svg) {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
}

test('the rows of a terminal are the lines that its output leaves', () => {
  for (const [output, columns, rows] of /** @type {const} */ ([
    ['one\r\n\r\n  three\r\n', 80, ['one', '', '  three']],
    ['\r\x1b[KWrite 1 of 9\r\x1b[KWrite 5 of 9\r\x1b[Kdone\r\n', 80, ['done']],
    ['abc\rX', 80, ['Xbc']],
    ['abcdefg\r\nabc\r\nabcd', 3, ['abc', 'def', 'g', 'abc', 'abc', 'd']],
    ['log\r\none\r\ntwo\r\n\r\x1b[2Athree\x1b[K\r\n\x1b[J', 80, ['log', 'three']],
    ['log\r\none\r\ntwo\r\n\r\x1b[2A\x1b[Jmore\r\n', 80, ['log', 'more']],
  ])) {
    assert.deepEqual(screenRows(output, columns), rows);
  }
  assert.throws(() => screenRows('\x1b[35mmagenta', 80), /got "\\u001b\[35m"/);
});

test('a picture shows the command and its output with their colours, and text escaped', () => {
  const rows = screenSpans('is \x1b[31m<1>\x1b[39m\n', 20);
  const svg = drawTerminal({ command: 'a <b> & "c"', rows, columns: 20 });
  assert.match(svg, />\$ a &lt;b> &amp; &quot;c&quot;</);
  assert.match(svg, />is <tspan class="red">&lt;1><\/tspan><\/text>/);
  assert.doesNotMatch(svg.slice(svg.indexOf('</style>')), /#[0-9a-f]{3,6}|fill=|stroke=/);
});

async function hasScriptCommand() {
  try {
    await execute('/bin/sh', ['-c', 'command -v script']);
    return true;
  } catch {
    return false;
  }
}

test('the script draws a real run on a terminal', { skip: !(await hasScriptCommand()) }, async (t) => {
  const folder = await folderWith(t, {});
  const file = path.join(folder, 'run.svg');
  await execute(process.execPath, [PICTURE, file, '20', '2', '--size', '1KiB', '--local']);
  const texts = textsOf(await readFile(file, 'utf8'));
  assert.equal(texts[0], '$ node r2-benchmark.js 20 2 --size 1KiB --local');
  for (const stage of ['Write', 'Read', 'Stat', 'Remove']) {
    assert.ok(
      texts.some((text) => text.startsWith(`${stage} `) && text.endsWith(' inconclusive')),
      texts.join('\n'),
    );
  }
  assert.ok(!texts.some((text) => text.startsWith('# r2-benchmark ')), 'the terminal does not show machine lines');
  assert.ok(
    texts.some((text) => /^Remove +[\d,.]+ {2}█+ /.test(text)),
    'a table with bars',
  );
  assert.ok(!texts.some((text) => text.startsWith('Read 2/4 ')), 'the live view is gone');
});

test('the script draws a run in the middle of a stage', { skip: !(await hasScriptCommand()) }, async (t) => {
  const folder = await folderWith(t, {});
  const file = path.join(folder, 'live.svg');
  const run = ['30', '2', '--size', '1KiB', '--local', '--stages', 'write,read', '--faults', 'latency=40ms'];
  await execute(process.execPath, [PICTURE, '--columns', '70', '--live', 'Read', file, ...run]);
  const svg = await readFile(file, 'utf8');
  const texts = textsOf(svg);
  assert.ok(svg.includes('<svg ') && texts.some((text) => /^Read 2\/2 {4}█*░* +\d+%/.test(text)), texts.join('\n'));
  assert.ok(!texts.some((text) => / took /.test(text)), 'the terminal does not show the log');
});
