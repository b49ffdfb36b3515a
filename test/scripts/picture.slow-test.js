import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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
