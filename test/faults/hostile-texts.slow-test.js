import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { generate } from 'selfsigned';
import { folderWith, runCommand, startProgram } from '../helpers/command.js';
import { startSocketServer } from '../helpers/socket-server.js';
import { assertCivil } from '../fuzz/civil.js';
import { answerOf, environmentOf, startHostileStore } from '../fuzz/hostile-store.js';

/**
 * @import { GarbageAnswer } from '../fuzz/garbage-answers.js'
 * @import { Outcome } from '../helpers/outcome.js'
 * @import { TestContext } from 'node:test'
 */

/**
 * @typedef {object} Case
 * @property {string} shown text that the output must contain, to prove that the case is tested
 * @property {(t: TestContext) => Promise<Outcome>} run
 */

const PEAK = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));

/** Clears the screen, rings, sets a window title, starts a line, reverses the reading direction, and is invisible. */
const ESCAPES = '\u001b[2J\u0007\u001b]0;x\u0007\r\nerror: all is well\u2028\u202e\u200b\u009b31m';

/** The beginning of their escaped form. */
const SHOWN = String.raw`\u{1b}[2J\u{7}`;

/** The name of a certificate: Node escapes names with line breaks. */
const COMMON_NAME = `a.test${ESCAPES.replace(/\s/g, '')}`;

/** The characters that XML allows. */
const IN_XML = [...ESCAPES].map((character) => `&#${character.charCodeAt(0)};`).join('');

const VARIABLES = {
  S3_BUCKET: 'bucket-a',
  S3_HOSTNAME: '127.0.0.1',
  S3_PORT: '1',
  S3_USE_SSL: '0',
  S3_ACCESS_KEY: 'test-access-key',
  S3_SECRET_KEY: 'test-secret-key',
};
const RUN = ['20', '4', '--size', '1KiB', '--retries', '0'];
const LOG = [
  'Write: scheduling for 5 objects in 1 threads and 1 buckets',
  '12:00:01: Write: Ops 5.0/s Throughput 0.1MB/s',
  'Write took 500ms. Peak ops 5.0/s Avg ops 5.0/s  Total size 0.1MB  Recoverable errors 0',
];

/**
 * Runs against a store whose certificate is trusted but has another name.
 *
 * @param {TestContext} t
 * @param {readonly string[]} parameters
 */
async function runWithCertificate(t, parameters) {
  const { private: key, cert } = await generate([{ name: 'commonName', value: COMMON_NAME }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'basicConstraints', cA: true }],
  });
  const { port } = await startSocketServer(t, { certificate: { key, cert } });
  const folder = await folderWith(t, { 'authority.pem': cert });
  const variables = { ...VARIABLES, S3_USE_SSL: '1', S3_HOSTNAME: 'localhost', S3_PORT: String(port) };
  const env = { ...variables, NODE_EXTRA_CA_CERTS: path.join(folder, 'authority.pem') };
  return runCommand(t, [...RUN, ...parameters], { env });
}

/**
 * Runs against a store with the same answer to everything.
 *
 * @param {TestContext} t
 * @param {GarbageAnswer} answer
 * @param {readonly string[]} parameters
 */
async function runWithAnswer(t, answer, parameters) {
  const store = await startHostileStore(t, answer);
  return runCommand(t, parameters, { env: environmentOf(store) });
}

/**
 * @param {TestContext} t
 * @param {readonly string[]} parameters
 * @param {Record<string, string>} [variables]
 */
async function runWith(t, parameters, variables) {
  return runCommand(t, parameters, { env: { ...VARIABLES, ...variables } });
}

/**
 * @param {TestContext} t
 * @param {string} name of the log
 * @param {readonly string[]} lines
 * @param {readonly string[]} [parameters]
 */
async function addUp(t, name, lines, parameters = []) {
  const folder = await folderWith(t, { [name]: `${lines.join('\n')}\n` });
  const command = await startProgram(t, process.execPath, [PEAK, path.join(folder, name), ...parameters]);
  return command.outcome;
}

/** @param {object} data of a machine line */
function machineLine(data) {
  return `# r2-benchmark ${JSON.stringify(data)}`;
}

const REFUSAL = `<Error><Code>InternalError</Code><Message>no ${IN_XML}</Message></Error>`;

/** @type {Record<string, Case>} */
const CASES = {
  'a certificate, where connections are opened': {
    shown: `4 of 4 connections could not be opened in advance (Host: localhost. is not cert's CN: a.test${SHOWN}`,
    run: (t) => runWithCertificate(t, ['--no-preflight']),
  },
  'an option that there is not': { shown: SHOWN, run: (t) => runWith(t, [...RUN, `--${ESCAPES}`]) },
  'the name of a log, in a table': { shown: SHOWN, run: (t) => addUp(t, `a${ESCAPES}`, LOG, ['--csv', '-']) },
  'a host, a run and an error in a log': {
    shown: 'cannot use the data of this line for stage Write: ',
    run: (t) =>
      addUp(t, 'log.txt', [
        machineLine({ kind: 'run', format: 1, run: ESCAPES, host: ESCAPES, shard: ESCAPES, start: ESCAPES }),
        ...LOG,
        machineLine({
          ...{
            kind: 'stage',
            stage: 'Write',
            end: ESCAPES,
            startedAt: 1769860800000,
            endedAt: 1769860800500,
            operations: 5,
          },
          errors: { [ESCAPES]: 7 },
        }),
        machineLine({ kind: ESCAPES, stage: ESCAPES }),
      ]),
  },
  'what a store says, in a stage': {
    shown: `failed: HTTP 400 InternalError: no ${SHOWN}`,
    run: (t) => runWithAnswer(t, answerOf(400, REFUSAL), [...RUN, '--no-preflight']),
  },
  'the status line and headers': {
    shown: 'HTTP 503',
    run: (t) =>
      runWithAnswer(
        t,
        (socket) =>
          socket.write(
            `HTTP/1.1 503 \u009b2J\r\nDate: \u009b2J\r\nRetry-After: \u009b2J\r\nETag: \u009b2J\r\nContent-Length: 0\r\n\r\n`,
            'latin1',
          ),
        RUN,
      ),
  },
};

describe('escapes and line breaks in texts from outside', { concurrency: 3 }, () => {
  for (const [what, { shown, run }] of Object.entries(CASES)) {
    test(`Row 38: ${what}: they are shown escaped, and no terminal obeys them`, async (t) => {
      const outcome = await run(t);
      assertCivil({ ...outcome, stdout: textOf(outcome.stdout) });
      const output = outcome.stdout + outcome.stderr;
      assert.ok(output.includes(shown), output);
      assert.doesNotMatch(output, /^error: all is well/m);
    });
  }
});

/**
 * @param {string} stdout
 * @returns {string} without the lines for programs, which JSON escapes
 */
function textOf(stdout) {
  return stdout.replace(/^# r2-benchmark .*\n/gm, '');
}
