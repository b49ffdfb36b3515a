import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('..', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/reference/faults.md', import.meta.url));

/** For each row, the files with a test whose title starts with it. @type {Map<number, Set<string>>} */
const testsOf = new Map();
for (const name of /** @type {string[]} */ (readdirSync(TESTS, { recursive: true }))) {
  if (name.endsWith('.js')) {
    for (const [, row] of readFileSync(path.join(TESTS, name), 'utf8').matchAll(/['"`]Row (\d+): /g)) {
      const files = testsOf.get(Number(row)) ?? new Set();
      testsOf.set(Number(row), files.add(name.split(path.sep).join('/')));
    }
  }
}

test('docs/reference/faults.md has every row that a test title starts with, in order, with the files of its tests', () => {
  const onPage = [...readFileSync(PAGE, 'utf8').matchAll(/^\| (\d+) +\|(.*)$/gm)].map(([, row, cells]) => ({
    row: Number(row),
    files: [...cells.matchAll(/\]\(\.\.\/\.\.\/test\/([^)]+)\)/g)].map(([, file]) => file),
  }));
  const tested = [...testsOf].map(([row, files]) => ({ row, files: [...files].toSorted() }));
  assert.deepEqual(
    onPage,
    tested.toSorted((one, other) => one.row - other.row),
  );
});
