import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { runCommand } from '../helpers/command.js';
import { assertStatus, recordsOf, ofKind } from '../helpers/outcome.js';
import { fences, shellCommands } from './markdown.js';

const page = await readFile(new URL('../../docs/use/recipes.md', import.meta.url), 'utf8');
const recipes = fences(page)
  .filter(({ language }) => language === 'bash')
  .flatMap(({ text }) => shellCommands(text))
  .filter((command) => !command.includes('--existing'));

/**
 * @param {string} recipe
 * @returns {string[]} a short version with fewer objects and without a store
 */
function shortened(recipe) {
  return recipe
    .replace(/^node r2-benchmark\.js \d+ \d+/, '400 8')
    .replace(/--duration \S+/, '--duration 2s --gap 0s')
    .replace(/--warmup \S+/, '--warmup 500ms')
    .replace(/--size [25]MiB/, '--size 512KiB')
    .split(' ')
    .concat('--local');
}

describe('the recipes', { concurrency: 2 }, () => {
  test('are all found on the page', () => {
    assert.ok(recipes.length >= 10, recipes.join('\n'));
    assert.ok(recipes.every((recipe) => /^node r2-benchmark\.js \d+ \d+ /.test(recipe)));
  });

  for (const recipe of recipes) {
    test(`run briefly with fewer objects: ${recipe}`, async (t) => {
      const outcome = await runCommand(t, shortened(recipe));
      assertStatus(outcome, 0);
      assert.ok(ofKind(recordsOf(outcome.stdout), 'summary').length > 0);
    });
  }
});
