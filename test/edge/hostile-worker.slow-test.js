import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { keysIn, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

/**
 * @import { Slice } from '../../lib/edge/slice.js'
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

const EDGE_SECRET = 'HeadOfTheEdgeSecret/+==&<>TailOfTheEdgeSecret';
const S3_SECRET = 'HeadOfTheOtherSecret/+==&<>TailOfTheOtherSecret';
const OBJECTS = 20;
const WINDOW = 8;

/**
 * A Worker that answers slices by a script, and all other requests correctly.
 *
 * @param {TestContext} t
 * @param {(slice: Slice) => object} answer to a slice
 */
async function startHostileWorker(t, answer) {
  const endpoint = await startTestEndpoint(t, { credentials: { accessKeyId: 'edge', secretAccessKey: EDGE_SECRET } });
  const worker = { endpoint, slices: 0, port: 0 };
  const server = http.createServer((request, response) => {
    if (request.url?.includes('?slice')) {
      worker.slices += 1;
      let text = '';
      request
        .on('data', (chunk) => (text += chunk))
        .on('end', () => response.end(JSON.stringify(answer(JSON.parse(text)))));
      return;
    }
    const { method, url, headers } = request;
    const passedOn = http.request({ ...{ host: endpoint.hostname, port: endpoint.port }, method, path: url, headers });
    passedOn.on('response', (reply) => {
      response.writeHead(Number(reply.statusCode), reply.headers);
      reply.pipe(response);
    });
    request.pipe(passedOn);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  worker.port = /** @type {AddressInfo} */ (server.address()).port;
  return worker;
}

/**
 * @param {TestContext} t
 * @param {{ port: number }} worker
 * @param {readonly string[]} [parameters]
 */
async function run(t, { port }, parameters = []) {
  const command = await startCommand(
    t,
    [String(OBJECTS), '4', '--client', 'edge', '--retries', '2', '--json', 'result.json', ...parameters],
    {
      env: {
        S3_BUCKET: 'bucket-a',
        S3_SECRET_KEY: S3_SECRET,
        EDGE_URL: `http://127.0.0.1:${port}`,
        EDGE_SECRET,
      },
    },
  );
  const outcome = await command.outcome;
  const json = await readFile(path.join(command.folder, 'result.json'), 'utf8');
  return { outcome, json, result: JSON.parse(json) };
}

test('Row 46: a Worker that answers each slice without an outcome is given up, with pauses and an error', async (t) => {
  const worker = await startHostileWorker(t, () => ({
    ...{ startedAt: Date.now(), endedAt: Date.now(), colo: '', successes: [], failures: [] },
  }));
  const { outcome, result } = await run(t, worker);
  assertStatus(outcome, 1);
  assert.match(
    outcome.stderr,
    /Write: .* failed after 3 attempts: the Worker responded to a slice without any outcomes/,
  );
  const [{ operations, failed, attempts, errors }] = result.stages;
  assert.deepEqual({ operations, failed, attempts }, { operations: 0, failed: OBJECTS, attempts: 3 * OBJECTS });
  assert.deepEqual(errors, { protocol: 3 * OBJECTS });
  assert.equal(worker.slices, 3 * OBJECTS);
  assert.deepEqual(await keysIn(worker.endpoint), []);
});

/** @type {readonly ((secret: string) => string)[]} */
const SPELLINGS = [
  (secret) => secret,
  (secret) => JSON.stringify(secret).replaceAll('/', '\\/'),
  (secret) => secret.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`),
  (secret) => Buffer.from(secret).toString('base64'),
  (secret) => secret.slice(3, 3 + WINDOW),
];

test('Row 39: no secret appears in a Worker’s findings, even with escapes around it or in it', async (t) => {
  const worker = await startHostileWorker(t, ({ locals }) => {
    const failures = locals.map((_, index) => {
      const spell = SPELLINGS[Math.floor(index / 2) % SPELLINGS.length];
      const told = [EDGE_SECRET, S3_SECRET].map((secret) => `\u001b[2J\n<${spell(secret)}>`).join(', ');
      const error = { kind: spell(EDGE_SECRET), handling: 'fail', code: told, status: 400, message: `got ${told}` };
      return { ...{ index, begunAt: 0, finishedAt: 0 }, error: index % 2 === 0 ? error : null, finding: `is ${told}` };
    });
    return { startedAt: Date.now(), endedAt: Date.now(), colo: EDGE_SECRET, successes: [], failures };
  });
  const { outcome, json, result } = await run(t, worker, ['--stages', 'write']);
  assertStatus(outcome, 1);
  const lines = outcome.stderr.split('\n').filter((line) => line.startsWith('Write: '));
  assert.equal(lines.length, OBJECTS);
  for (const line of lines) {
    assert.match(line, /: (is|.* failed: got) (\\u\{1b\}\[2J <"?\[secret\]=*"?>(, )?){2}$/);
  }
  assert.deepEqual(result.stages[0].errors, { integrity: OBJECTS / 2, other: OBJECTS / 2 });
  const shown = `${outcome.stdout}${outcome.stderr}${json}`.toLowerCase();
  for (const text of SPELLINGS.flatMap((spell) => [EDGE_SECRET, S3_SECRET].map(spell))) {
    for (let start = 0; start + WINDOW <= text.length; start++) {
      const part = text.slice(start, start + WINDOW).toLowerCase();
      assert.ok(!shown.includes(part), `${part} in ${shown}`);
    }
  }
});
