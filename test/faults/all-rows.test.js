import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('..', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/faults.md', import.meta.url));

/** How many faults and kinds of bad input the tool has to stand. */
const ROWS = 40;

const allRows = Array.from({ length: ROWS }, (_, index) => index + 1);

/** The files that have a test whose title begins with a row. @type {Map<number, Set<string>>} */
const testsOf = new Map(allRows.map((row) => [row, new Set()]));
for (const name of /** @type {string[]} */ (readdirSync(TESTS, { recursive: true }))) {
  if (name.endsWith('.js')) {
    for (const [, row] of readFileSync(path.join(TESTS, name), 'utf8').matchAll(/['"`]Row (\d+): /g)) {
      testsOf.get(Number(row))?.add(name.split(path.sep).join('/'));
    }
  }
}

test('every row of the list of faults has a test whose title begins with it', () => {
  const untested = allRows.filter((row) => testsOf.get(row)?.size === 0);
  assert.deepEqual(untested, []);
});

test('the page of the faults has every row, with the files of its tests', () => {
  const onPage = [...readFileSync(PAGE, 'utf8').matchAll(/^\| (\d+) +\|(.*)$/gm)].map(([, row, cells]) => ({
    row: Number(row),
    files: [...cells.matchAll(/\]\(\.\.\/test\/([^)]+)\)/g)].map(([, file]) => file),
  }));
  assert.deepEqual(
    onPage,
    allRows.map((row) => ({ row, files: [...(testsOf.get(row) ?? [])].toSorted() })),
  );
});
