import fc from 'fast-check';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readStoreConfig } from '../../lib/options/store/store-config.js';
import { cases } from '../helpers/cases.js';
import { folderWith, runInProcess } from '../helpers/command.js';
import { assertRefused } from './civil.js';

/** @import { TestContext } from 'node:test' */

/** An invalid variable that overrides the file, so that no request is sent whatever the file contains. */
const NO_STORE = { S3_PORT: '0' };

const NAMES = ['S3_BUCKET', 'S3_HOSTNAME', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'S3_USE_SSL', 'S3_PORT', 'S3_REGION'];
const PIECES = [
  ...NAMES.map((name) => `${name}=`),
  ...['export ', '=', '"', "'", '`', '#', '\\', '\\n', '$', '${S3_BUCKET}', '\r\n', '\n', '\r', '\t', ' ', '\0'],
  ...['\uFEFF', '\u200B', '\u2028', '\u202E', '__proto__=1', 'bucket-a', 'store.test', 'on', '443', ': ', '[section]'],
];

const bytes = fc.uint8Array({ maxLength: 2000 }).map(Buffer.from);
const lines = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => Buffer.from(pieces.join('')));

/** @param {TestContext} t */
async function emptyFolder(t) {
  return path.join(await folderWith(t, {}), '.env');
}

test('any content of the file is refused in readable lines', async (t) => {
  const file = await emptyFolder(t);
  await fc.assert(
    fc.asyncProperty(fc.oneof(bytes, lines), async (content) => {
      writeFileSync(file, content);
      assertRefused(await runInProcess(['10', '2', '--env-file', file], NO_STORE));
    }),
    { numRuns: cases(200) },
  );
});

test('neither an unusable secret nor the text next to it is shown', async (t) => {
  const file = await emptyFolder(t);
  const secret = fc
    .string({ unit: 'grapheme', minLength: 8, maxLength: 80 })
    // A part that is short enough to appear in any message cannot be recognised.
    .filter((text) => text.trim().length >= 8 && !/[\r\n]/.test(text));
  const name = fc.constantFrom('S3_SECRET_KEY', 'S3_SESSION_TOKEN', 'S3_ACCESS_KEY');
  await fc.assert(
    fc.asyncProperty(name, secret, fc.constantFrom('', '"', "'", '`'), async (variable, text, mark) => {
      writeFileSync(file, `S3_USE_SSL=perhaps\n${variable}=${mark}${text} x${mark}\n`);
      const outcome = await runInProcess(['10', '2', '--env-file', file], NO_STORE);
      assertRefused(outcome);
      assert.ok(!outcome.stderr.includes(text.trim()), outcome.stderr);
    }),
    { numRuns: cases(100) },
  );
});

test('values are read correctly in every style of quoting', async (t) => {
  const file = await emptyFolder(t);
  const name = fc.string({
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'),
    minLength: 3,
    maxLength: 63,
  });
  // Quotes and backslashes, which are special within quotes, are left to a style that can contain them.
  const key = fc.string({ unit: fc.constantFrom(...'ABCdef019/+=_-.~!$%&*()'), minLength: 1, maxLength: 64 });
  const values = fc.record(
    {
      S3_BUCKET: fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => [...new Set(names)].join(',')),
      S3_HOSTNAME: name.map((label) => `${label}.test`),
      S3_ACCESS_KEY: key,
      S3_SECRET_KEY: key.map((text) => `${text}#${text}`),
      S3_PORT: fc.integer({ min: 1, max: 65_535 }).map(String),
    },
    { noNullPrototype: true },
  );
  const style = fc.record({
    quote: fc.constantFrom('"', "'", '`'),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    start: fc.constantFrom('', '\uFEFF'),
    before: fc.constantFrom('', 'export ', '  '),
    equals: fc.constantFrom('=', ' = ', '= '),
    after: fc.constantFrom('', '  ', ' # a comment'),
  });
  await fc.assert(
    fc.asyncProperty(values, style, async (given, { quote, lineEnd, start, before, equals, after }) => {
      const written = Object.entries(given).map(
        ([variable, text]) => `${before}${variable}${equals}${quote}${text}${quote}${after}`,
      );
      writeFileSync(file, `${start}${written.join(lineEnd)}${lineEnd}`);
      const { store } = await readStoreConfig({}, file);
      assert.deepEqual(
        {
          S3_BUCKET: store.buckets.join(','),
          S3_HOSTNAME: store.hostname,
          S3_ACCESS_KEY: store.credentials.accessKeyId,
          S3_SECRET_KEY: store.credentials.secretAccessKey,
          S3_PORT: String(store.port),
        },
        given,
      );
    }),
    { numRuns: cases(500) },
  );
});

test('a path that is no file, or is not readable, is named', async (t) => {
  const folder = await folderWith(t, { long: 'S3_BUCKET='.repeat(300_000) });
  for (const file of [
    folder,
    path.join(folder, 'no', 'such'),
    path.join(folder, 'long'),
    '/dev/null',
    'x'.repeat(300),
  ]) {
    assertRefused(await runInProcess(['10', '2', '--env-file', file], NO_STORE));
  }
});
