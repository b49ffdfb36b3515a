import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/** Rows of the list of faults and bad input that the tool has to stand. */
const ROWS = 33;

test('every row of the list of faults has a test whose title begins with it', () => {
  const files = /** @type {string[]} */ (readdirSync(TESTS, { recursive: true })).filter((name) =>
    name.endsWith('.test.js'),
  );
  const titles = files.flatMap((name) =>
    [...readFileSync(path.join(TESTS, name), 'utf8').matchAll(/['"`]Row (\d+): /g)].map(([, row]) => row),
  );
  const tested = new Set(titles.map(Number));
  const untested = Array.from({ length: ROWS }, (_, place) => place + 1).filter((row) => !tested.has(row));
  assert.deepEqual(untested, []);
});
