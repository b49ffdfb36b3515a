import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DEPLOY } from './many-hosts.js';

/**
 * @param {string} heading
 * @param {string} [after] text before the block, if it is not the first
 * @returns {Promise<string>} a block of shell commands under a heading of deploy/README.md
 */
export async function documentedCommands(heading, after = '') {
  const readme = await readFile(path.join(DEPLOY, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  const [, commands] = /```bash\n([^]*?)```/.exec(section?.slice(section.indexOf(after)) ?? '') ?? [];
  assert.ok(commands !== undefined, `deploy/README.md has no commands under ${heading}`);
  return commands;
}

/**
 * @param {string} given
 * @param {Record<string, string>} replacements
 * @returns {string} the text with each replacement made exactly once
 */
export function adapt(given, replacements) {
  return Object.entries(replacements).reduce((adapted, [from, to]) => {
    assert.equal(adapted.split(from).length, 2, `expected ${JSON.stringify(from)} once in:\n${adapted}`);
    return adapted.replace(from, () => to);
  }, given);
}
