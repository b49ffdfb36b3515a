import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { runInProcess } from '../helpers/command.js';

// The user who runs the tests may have a `.env` and an AWS profile.
const folder = mkdtempSync(path.join(tmpdir(), 'r2-benchmark-'));
process.chdir(folder);
after(() => rmSync(folder, { recursive: true }));
mkdirSync('folder');
writeFileSync('cycle', '[profile a]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = a\n');
writeFileSync('failing', '[default]\ncredential_process = false\n');

const BUCKET = { S3_BUCKET: 'one,two' };
const KEYS = { S3_ACCESS_KEY: 'an-access-key', S3_SECRET_KEY: 'the-secret-key' };
const STORE = { ...BUCKET, ...KEYS, S3_HOSTNAME: 'store.test' };
const WORKER = { ...BUCKET, EDGE_URL: 'https://worker.test', EDGE_SECRET: 'the-edge-secret' };

/**
 * @typedef {object} Problem
 * @property {Record<string, string>} env
 * @property {string[]} [options] in addition to those of the mode
 * @property {readonly RegExp[]} lines start of each error line
 */

const NO_FILE = /^\.env: there is no such file$/;
const NO_BUCKET = /^S3_BUCKET is not set: /;

/** @type {Record<string, Problem>} */
const OF_BOTH = {
  'an invalid bucket name': { env: { S3_BUCKET: 'a/b' }, lines: [/^S3_BUCKET: /] },
  'no bucket': { env: { S3_BUCKET: '' }, lines: [NO_FILE, NO_BUCKET] },
  'a file that does not exist': {
    env: {},
    options: ['--env-file', 'nowhere.env'],
    lines: [/^nowhere\.env: there is no such file$/],
  },
  'a file that cannot be read': { env: {}, options: ['--env-file', 'folder'], lines: [/^folder: EISDIR/] },
  'a proxy without --proxy': {
    env: { HTTPS_PROXY: 'http://proxy.test:3128' },
    lines: [/^HTTPS_PROXY names a proxy/],
  },
};

/** @type {Record<string, Problem>} */
const OF_STORE = {
  'an empty folder': {
    env: { S3_BUCKET: '', S3_HOSTNAME: '', S3_ACCESS_KEY: '', S3_SECRET_KEY: '' },
    lines: [
      NO_FILE,
      NO_BUCKET,
      /^S3_HOSTNAME is not set: /,
      /^S3_ACCESS_KEY is not set: /,
      /^S3_SECRET_KEY is not set: /,
    ],
  },
  'no hostname': { env: { S3_HOSTNAME: '' }, lines: [NO_FILE, /^S3_HOSTNAME is not set: /] },
  'several problems': { env: { S3_PORT: 'x', S3_REGION: 'a b' }, lines: [/^S3_PORT: /, /^S3_REGION: /] },
  'a profile of AWS that does not exist': {
    env: { S3_ACCESS_KEY: '', S3_SECRET_KEY: '', AWS_PROFILE: 'nobody' },
    lines: [/^AWS_PROFILE: there is no profile "nobody"/],
  },
  'a profile of AWS that needs itself': {
    env: { S3_ACCESS_KEY: '', S3_SECRET_KEY: '', AWS_PROFILE: 'a', AWS_CONFIG_FILE: 'cycle' },
    lines: [/^no credentials: /],
  },
  'a profile of AWS whose command fails': {
    env: { S3_ACCESS_KEY: '', S3_SECRET_KEY: '', AWS_CONFIG_FILE: 'failing' },
    lines: [/^no credentials: /],
  },
};

/** @type {Record<string, Problem>} */
const OF_WORKER = {
  'an empty folder': {
    env: { S3_BUCKET: '', EDGE_URL: '', EDGE_SECRET: '' },
    lines: [NO_FILE, NO_BUCKET, /^EDGE_URL is not set: /, /^EDGE_SECRET is not set: /],
  },
  'an EDGE_URL with a path': { env: { EDGE_URL: 'https://worker.test/a' }, lines: [/^EDGE_URL: /] },
};

const RUN = ['10', '2'];
const AB = ['ab', ...RUN];
const SEARCH = [...RUN, '--find-peak'];
const SHARD = ['--run-id', 'a-run', '--shard', '0/2', '--start-at', 'next:60s'];

const MODES_OF_BOTH = [
  RUN,
  [...RUN, '--max-cost', '1', '--stages', 'write,list,batch-remove'],
  ['cleanup', 'a-run'],
  ['cleanup', 'list'],
];

const MODES_OF_STORE = [
  ...MODES_OF_BOTH,
  [...RUN, '--client', 'sdk'],
  SEARCH,
  [...RUN, '--existing', 'photos/'],
  [...RUN, ...SHARD],
  [...AB, '--a', '', '--b', '--client sdk'],
];

const MODES_OF_WORKER = [...MODES_OF_BOTH, [...RUN, '--mix', 'read=50,write=50']].map((words) => [
  ...words,
  '--client',
  'edge',
]);

/**
 * @param {readonly string[]} mode
 * @param {Problem} problem
 * @param {Record<string, string>} whole environment without the problem
 */
async function assertRefused(mode, { env, options = [], lines }, whole) {
  const { status, stdout, stderr } = await runInProcess([...mode, ...options], { HOME: folder, ...whole, ...env });
  const errors = stderr.split('\n').flatMap((line) => /^error: (.*)/.exec(line)?.[1] ?? []);
  const shown = `${mode.join(' ')}:\n${stderr}`;
  assert.equal(status, 2, shown);
  assert.equal(stdout, '', shown);
  assert.equal(errors.length, lines.length, shown);
  lines.forEach((line, index) => assert.match(errors[index], line, shown));
}

for (const [what, modes, problems, whole] of /** @type {const} */ ([
  ['a store', MODES_OF_STORE, { ...OF_BOTH, ...OF_STORE }, STORE],
  ['a Worker', MODES_OF_WORKER, { ...OF_BOTH, ...OF_WORKER }, WORKER],
])) {
  for (const [name, problem] of Object.entries(problems)) {
    test(`Row 43: each mode that needs ${what} reports ${name}, one line per problem`, async () => {
      for (const mode of modes) {
        await assertRefused(mode, problem, whole);
      }
    });
  }
}

test('Row 43: a comparison reports each problem with the name of its side', async () => {
  const whole = { ...STORE, ...WORKER };
  const problems = /** @type {[a: string, b: string, env: Record<string, string>, line: RegExp][]} */ ([
    ['', '--env-file nowhere.env', {}, /^B: nowhere\.env: there is no such file$/],
    ['--env-file folder', '', {}, /^A: folder: EISDIR/],
    ['--bucket a/b', '', {}, /^A: --bucket: /],
    ['', '--endpoint-url ftp://store.test', {}, /^B: --endpoint-url: /],
    ['--client edge', '', { S3_PORT: '0' }, /^B: S3_PORT: /],
    ['--client edge', '', { EDGE_URL: 'ftp://worker' }, /^A: EDGE_URL: /],
    ['', '--addressing virtual', {}, /^B: --addressing: /],
  ]);
  for (const [a, b, env, line] of problems) {
    await assertRefused([...AB, '--a', a, '--b', b], { env, lines: [line] }, whole);
  }
});

test('Row 43: without a store, problems of the load are reported beside those of the configuration', async () => {
  const { env, lines } = OF_STORE['an empty folder'];
  for (const [mode, line] of /** @type {[string[], RegExp][]} */ ([
    [[...RUN, '--shard', '0/2'], /^--shard requires a --run-id/],
    [[...RUN, '--shard', 'auto', '--run-id', 'a-run'], /^--shard auto: /],
    [[...RUN, '--json', 'nowhere/result.json'], /^--json: /],
    [[...RUN, '--log', 'folder'], /^--log: /],
    [[...RUN, '--baseline', 'nowhere', '--assert', 'read.rate > baseline'], /^--baseline: /],
  ])) {
    await assertRefused(mode, { env, lines: [...lines, line] }, STORE);
  }
});
