import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { describe, test } from 'node:test';
import { folderWith, runInProcess, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { assertCivil } from './civil.js';
import { environmentOf } from './hostile-store.js';

/**
 * @import { Outcome } from '../helpers/outcome.js'
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

/** The escaped form between a recognisable beginning and end. */
const MIDDLE = '/+==&<>"\'%2F\\n$`{}#~';
const SECRET_KEY = `HeadOfTheSecretKey${MIDDLE}TailOfTheSecretKey`;
const SESSION_TOKEN = `HeadOfTheSessionToken${MIDDLE}TailOfTheSessionToken`;
const CREDENTIALS = { accessKeyId: 'AnAccessKey', secretAccessKey: SECRET_KEY, sessionToken: SESSION_TOKEN };

const TRACES = [
  ...['HeadOfTheSecretKey', 'TailOfTheSecretKey', 'HeadOfTheSessionToken', 'TailOfTheSessionToken'],
  ...[SECRET_KEY, SESSION_TOKEN].flatMap((secret) =>
    /** @type {const} */ (['base64', 'base64url', 'hex']).map((encoding) => Buffer.from(secret).toString(encoding)),
  ),
];

const RUN = ['200', '10', '--size', '2KiB', '--json'];

/** @param {number} port */
function variablesOf(port) {
  return {
    ...environmentOf({ port }),
    S3_ACCESS_KEY: CREDENTIALS.accessKeyId,
    S3_SECRET_KEY: SECRET_KEY,
    S3_SESSION_TOKEN: SESSION_TOKEN,
    // Shows more about errors, but no secrets.
    R2_BENCHMARK_DEBUG: '1',
  };
}

/**
 * Runs against a store, and looks for secrets in the outputs, the files and their names.
 *
 * @param {TestContext} t
 * @param {number} port
 */
async function runWithoutSecrets(t, port) {
  const folder = await folderWith(t, {});
  const outcome = await runInProcess([...RUN, path.join(folder, 'result.json')], variablesOf(port));
  assertNoTraceIn(folder, outcome);
  return outcome;
}

/**
 * @param {string} folder of a run
 * @param {Pick<Outcome, 'stdout' | 'stderr'>} outcome
 */
function assertNoTraceIn(folder, { stdout, stderr }) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  const contents = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  assertNoTrace({ stdout, stderr, 'names of files': files.join('\n'), files: contents });
}

/** @param {Record<string, string>} texts by their names */
function assertNoTrace(texts) {
  for (const [name, text] of Object.entries(texts)) {
    const trace = TRACES.find((each) => text.includes(each));
    assert.equal(trace, undefined, `${name}: ${text}`);
  }
}

/**
 * A store that echoes each request in its answer.
 *
 * @param {TestContext} t
 * @param {(told: string, response: http.ServerResponse) => void} answer
 * @returns {Promise<number>} its port
 */
async function startEcho(t, answer) {
  const server = http.createServer((request, response) => {
    request.resume();
    const headers = request.rawHeaders.map((text, place) => text + (place % 2 === 0 ? ': ' : '\n')).join('');
    answer(`${request.method} ${request.url}\n${headers}`, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return /** @type {AddressInfo} */ (server.address()).port;
}

/** @param {string} text */
function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** @type {Record<string, (told: string, response: http.ServerResponse) => void>} */
const ECHOES = {
  'in the message of a refusal': (told, response) =>
    response.writeHead(403).end(`<Error><Code>InvalidToken</Code><Message>${escapeXml(told)}</Message></Error>`),
  'percent-encoded': (told, response) =>
    response.writeHead(500).end(`<Error><Code>X</Code><Message>${encodeURIComponent(told)}</Message></Error>`),
  'in a page': (told, response) => response.writeHead(502).end(`<html><body>${told}</body></html>`),
  'in headers': (told, response) =>
    response
      .writeHead(503, 'No', { 'Retry-After': told.replaceAll('\n', ' '), ETag: told.replaceAll('\n', ' ') })
      .end(),
  'behind the status': (told, response) =>
    response.socket?.end(`HTTP/1.1 403 ${told.replaceAll('\n', ' ')}\r\nContent-Length: 0\r\n\r\n`),
  'in place of an answer': (told, response) => response.socket?.end(told),
  'in a redirect': (told, response) =>
    response.writeHead(307, { Location: `http://127.0.0.1:1/?${encodeURIComponent(told)}` }).end(),
};

/** How a store may spell the echo. @type {Record<string, (told: string) => string>} */
const SPELLINGS = {
  'with escapes as in JSON': (told) => JSON.stringify(told).replaceAll('/', '\\/'),
  'as a page holds it': (told) => told.replace(/[^0-9A-Za-z]/g, (each) => `&#x${each.charCodeAt(0).toString(16)};`),
  'cut at both ends': (told) => told.slice(5, -5),
};

const WINDOW = 8;

/** @param {Pick<Outcome, 'stdout' | 'stderr'>} outcome */
function assertNoPart({ stdout, stderr }) {
  const shown = `${stdout}${stderr}`;
  for (let place = 0; place + WINDOW <= SESSION_TOKEN.length; place++) {
    const part = SESSION_TOKEN.slice(place, place + WINDOW);
    assert.ok(!shown.includes(part), `${part} in ${shown}`);
  }
}

describe('no secret appears', { concurrency: 3 }, () => {
  test('in a run with faults that is stopped, or in the process list', async (t) => {
    const faults = 'seed=7, latency=20ms, status=503:5%, status=500:5%, reset=5%, truncate=5%, corrupt=5%';
    const { port } = await startTestEndpoint(t, { credentials: CREDENTIALS, faults });
    const run = [...RUN, 'result.json', '--cores', '2'];
    const command = await startCommand(t, run, { env: variablesOf(port) });
    await command.shows('stdout', /^Write: scheduling/m);
    assertNoTrace({ 'list of processes': commandLinesOf(Number(command.child.pid)) });
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 130);
    assertNoTraceIn(command.folder, outcome);
  });

  test('if the store echoes each request', async (t) => {
    for (const [where, answer] of Object.entries(ECHOES)) {
      const port = await startEcho(t, answer);
      const outcome = await runWithoutSecrets(t, port);
      assert.ok(outcome.status === 1 || outcome.status === 2, where);
      assertCivil(outcome);
    }
  });

  for (const [how, spell] of Object.entries(SPELLINGS)) {
    test(`Row 39: if the store echoes the token ${how}`, async (t) => {
      const port = await startEcho(t, (told, response) => {
        const token = /security-token: (.*)/i.exec(told)?.[1] ?? '';
        const message = `got <${spell(token)}> instead`;
        response.writeHead(403).end(`<Error><Code>InvalidToken</Code><Message>${escapeXml(message)}</Message></Error>`);
      });
      const outcome = await runWithoutSecrets(t, port);
      assert.equal(outcome.status, 2);
      assertNoPart(outcome);
      assert.match(outcome.stderr, /HTTP 403 InvalidToken: \[text withheld: it contains a secret\]/);
    });
  }

  test('if they are the only configuration', async (t) => {
    const env = { S3_SECRET_KEY: SECRET_KEY, S3_SESSION_TOKEN: SESSION_TOKEN };
    const command = await startCommand(t, [...RUN, 'result.json'], { env });
    const outcome = await command.outcome;
    assertStatus(outcome, 2);
    assertNoTraceIn(command.folder, outcome);
  });
});

/**
 * @param {number} pid
 * @returns {string} the command lines of a process and its children; '' if the system does not report them
 */
function commandLinesOf(pid) {
  try {
    const own = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return [own, ...children.filter((child) => child !== '').map((child) => commandLinesOf(Number(child)))].join('\n');
  } catch {
    return '';
  }
}
