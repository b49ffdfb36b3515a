import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('..', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/reference/faults.md', import.meta.url));

test('docs/reference/faults.md has exactly the rows that titles of tests start with, in order', () => {
  const tests = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const tested = new Set(
    tests.flatMap((name) =>
      [...readFileSync(path.join(TESTS, name), 'utf8').matchAll(/['"`]Row (\d+): /g)].map(([, row]) => Number(row)),
    ),
  );
  const onPage = [...readFileSync(PAGE, 'utf8').matchAll(/^\| (\d+) /gm)].map(([, row]) => Number(row));
  assert.deepEqual(
    onPage,
    [...tested].toSorted((one, other) => one - other),
  );
});
