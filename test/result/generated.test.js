import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generate } from '../../scripts/generate.js';

for (const { file, text } of generate()) {
  const name = fileURLToPath(file).split('/').slice(-2).join('/');
  test(`${name} is the output of npm run generate`, () => {
    assert.ok(readFileSync(file, 'utf8') === text, `${name} is stale: run npm run generate`);
  });
}
