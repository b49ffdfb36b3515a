import fc from 'fast-check';
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { cases } from '../helpers/cases.js';
import { runInProcess } from '../helpers/command.js';
import { assertRefused } from './civil.js';

// Any argument may be the name of a file to write.
const folder = mkdtempSync(path.join(tmpdir(), 'r2-benchmark-'));
const home = process.cwd();
process.chdir(folder);
after(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

/** A complete configuration with an invalid port, so that no request is sent whatever the options are. */
const NO_STORE = {
  S3_BUCKET: 'bucket-a',
  S3_HOSTNAME: 'store.test',
  S3_ACCESS_KEY: 'an-access-key',
  S3_SECRET_KEY: 'a-secret-key',
  S3_PORT: '0',
};

const FLAGS = [
  ...['--client', '--size', '--stages', '--keep', '--run-id', '--prefix', '--timeout', '--retries', '--no-keep-alive'],
  ...['--cores', '--start-at', '--duration', '--gap', '--shard', '--quiet', '--cleanup', '--faults', '--keep-alive'],
  ...['--env-file', '--json', '--no-preflight', '--no-such-option', '-h', '-x', '--', '-', '---'],
];
const VALUES = [
  ...[
    '0',
    '1',
    '10',
    '-1',
    '1e99',
    '10x',
    'NaN',
    'Infinity',
    '0x10',
    '١٢',
    '1_000',
    ' 7',
    '7 ',
    '99999999999999999999',
  ],
  ...['16KiB', '1.5MB', '5GiB', '6GiB', '10s', '0ms', '-5s', '25h', '+30s', 'next:60s', 'next:0s', '2026-02-30T25:00Z'],
  ...['0/2', '2/2', 'auto', 'auto/0', 'write', 'write,write', 'read,,', '..', 'a/b', 'x'.repeat(1000), '', ' ', ','],
  ...['seed=7', 'PUT.status=503:101%', 'status=503:5%,status=', '__proto__', 'constructor', '%00', '${HOME}', '$(id)'],
];

const flag = fc.constantFrom(...FLAGS);
// The system ends an argument at a null character.
const anything = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''));
const value = fc.oneof(fc.constantFrom(...VALUES), anything);
const parameters = fc
  .array(
    fc.oneof(
      flag.map((name) => [name]),
      value.map((text) => [text]),
      fc.tuple(flag, value),
      fc.tuple(flag, value).map(([name, text]) => [`${name}=${text}`]),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.flat())
  // A run against the endpoint in memory would not be refused.
  .filter((parts) => !parts.some((part) => part.startsWith('--local')));

test('any arguments are refused in readable lines, or help is shown', async () => {
  await fc.assert(
    fc.asyncProperty(parameters, async (argv) => {
      const { status, stdout, stderr } = await runInProcess(argv, NO_STORE);
      if (status === 0) {
        assert.ok(
          argv.some((part) => /^(-h|--help$|--version$)/.test(part)),
          argv.join(' '),
        );
        return;
      }
      assert.equal(status, 2, stderr);
      assert.equal(stdout, '');
      assert.deepEqual(readdirSync(folder), [], 'a refused run leaves no file');
      assert.match(stderr, /^error: /);
      // Commander quotes unknown options unchanged, including line feeds: they are the user's own.
      assert.doesNotMatch(stderr, /^ {4}at |something unexpected/m);
    }),
    { numRuns: cases(200) },
  );
});

test('an invalid value is named with its option, in readable lines', async () => {
  const takesValue = fc.constantFrom('--size', '--timeout', '--retries', '--run-id', '--prefix', '--stages', '--shard');
  const wrong = anything.filter((text) => text !== '').map((text) => `!${text}`);
  await fc.assert(
    fc.asyncProperty(takesValue, wrong, async (name, text) => {
      const outcome = await runInProcess(['10', '2', `${name}=${text}`], NO_STORE);
      assertRefused(outcome);
      assert.ok(outcome.stderr.includes(`error: ${name}: `), outcome.stderr);
    }),
    { numRuns: cases(200) },
  );
});

test('merge also refuses meaningless arguments', async () => {
  const flags = fc.constantFrom('--json', '--csv', '--help', '--version', '--no-such-option', '--', '--json=', '-j');
  const names = fc.oneof(fc.constantFrom('no-such-file.txt', '/', '/dev/null', ''), anything);
  // A report may be written anywhere; here, nowhere.
  const harmless = names.map((name) => `/dev/null/${name.replaceAll('/', '')}`);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(flags, harmless), { maxLength: 6 }), async (argv) => {
      const { status, stdout, stderr } = await runInProcess(['merge', ...argv], {});
      assert.ok([0, 1, 2].includes(status), stderr);
      assert.doesNotMatch(stdout + stderr, /^ {4}at |something unexpected/m);
      assert.ok(status === 0 || stderr !== '');
    }),
    { numRuns: cases(200) },
  );
});
