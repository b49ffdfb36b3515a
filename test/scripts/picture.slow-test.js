import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
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

describe('the rows of a terminal', () => {
  test('are the lines written', () => {
    assert.deepEqual(screenRows('one\r\n\r\n  three\r\n', 80), ['one', '', '  three']);
  });

  test('do not include an erased or overwritten live line', () => {
    assert.deepEqual(screenRows('\r\x1b[KWrite 1 of 9\r\x1b[KWrite 5 of 9\r\x1b[Kdone\r\n', 80), ['done']);
    assert.deepEqual(screenRows('abc\rX', 80), ['Xbc']);
  });

  test('wrap lines that are wider than the terminal', () => {
    assert.deepEqual(screenRows('abcdefg\r\nabc\r\nabcd', 3), ['abc', 'def', 'g', 'abc', 'abc', 'd']);
  });

  test('keep only the last of lines drawn over each other', () => {
    assert.deepEqual(screenRows('log\r\none\r\ntwo\r\n\r\x1b[2Athree\x1b[K\r\n\x1b[J', 80), ['log', 'three']);
    assert.deepEqual(screenRows('log\r\none\r\ntwo\r\n\r\x1b[2A\x1b[Jmore\r\n', 80), ['log', 'more']);
  });

  test('keep their colours', () => {
    assert.deepEqual(screenSpans('a \x1b[31mred\x1b[39m and \x1b[33myellow\x1b[39m', 80), [
      [
        { text: 'a ', colour: 'ink' },
        { text: 'red', colour: 'red' },
        { text: ' and ', colour: 'ink' },
        { text: 'yellow', colour: 'yellow' },
      ],
    ]);
  });

  test('are refused if the output has an unknown control sequence', () => {
    assert.throws(() => screenRows('\x1b[35mmagenta', 80), /got "\\u001b\[35m"/);
    assert.throws(() => screenRows('bell\x07', 80), /got "\\u0007"/);
  });
});

describe('the picture of a terminal', () => {
  const rows = screenSpans('one  two\n\nx<y\n', 20);
  const svg = drawTerminal({ command: 'a <b> & "c"', rows, columns: 20 });

  test('shows the command and every non-empty row, with text escaped', () => {
    assert.deepEqual(textsOf(svg), ['$ a &lt;b> &amp; &quot;c&quot;', 'one  two', 'x&lt;y']);
    assert.ok(svg.includes('aria-label="Output of a &lt;b> &amp; &quot;c&quot;"'));
  });

  test('has a rule for each class in light and dark, and no other colours', () => {
    const [light, dark] = svg.split('@media (prefers-color-scheme: dark)');
    const classes = new Set([...svg.matchAll(/ class="([^"]+)"/g)].flatMap(([, names]) => names.split(' ')));
    assert.deepEqual([...classes].toSorted(), ['bar', 'button', 'command', 'ink', 'window']);
    for (const name of ['bar', 'button', 'ink', 'red', 'window', 'yellow']) {
      const fill = new RegExp(`\\.${name} \\{ fill: (#[0-9a-f]{6}); \\}`);
      assert.notEqual(fill.exec(light)?.[1], undefined, name);
      assert.notEqual(fill.exec(dark)?.[1], fill.exec(light)?.[1], name);
    }
    assert.doesNotMatch(svg.slice(svg.indexOf('</style>')), /#[0-9a-f]{3,6}|fill=|stroke=/);
  });

  test('shows errors and throttling in their colours', () => {
    const coloured = drawTerminal({ command: 'a', rows: screenSpans('is \x1b[31m<1>\x1b[39m\n', 20), columns: 20 });
    assert.match(coloured, />is <tspan class="red">&lt;1><\/tspan><\/text>/);
  });

  test('keeps columns aligned in any font', () => {
    const lengths = [...svg.matchAll(/textLength="([\d.]+)"[^>]*>([^<]*)</g)];
    assert.deepEqual(
      lengths.slice(1).map(([, length, text]) => Number(length) / text.replace('&lt;', '<').length),
      [7.8, 7.8],
    );
  });
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
