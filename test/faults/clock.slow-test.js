import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, request as send } from 'node:http';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { machineRecords } from '../helpers/log-records.js';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 */

const SMALL = ['20', '2', '--size', '1KiB'];
const DAY_AND_HOUR_MS = 25 * 3_600_000;

/**
 * A store behind a load balancer whose servers disagree about the time: each answer is dated 25 hours early or late.
 *
 * @param {TestContext} t
 */
async function storeOfTwoClocks(t) {
  const endpoint = await startTestEndpoint(t);
  const agent = new Agent({ keepAlive: true });
  let answers = 0;
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const forwarded = send({ ...{ agent, method, headers, path: url }, host: endpoint.hostname, port: endpoint.port });
    forwarded.on('response', (answer) => {
      answers += 1;
      const date = new Date(Date.now() + (answers % 2 === 0 ? DAY_AND_HOUR_MS : -DAY_AND_HOUR_MS)).toUTCString();
      response.writeHead(answer.statusCode ?? 500, { ...answer.headers, date });
      answer.pipe(response);
    });
    request.pipe(forwarded);
  });
  await once(server.listen(0, endpoint.hostname), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
    agent.destroy();
  });
  const { port } = /** @type {AddressInfo} */ (server.address());
  return { endpoint, dotEnv: dotEnvOf(endpoint, { S3_PORT: port }) };
}

describe('a store with contradictory Date headers', () => {
  test('Row 37: the run reports that the clock is unknown, and uses the host’s own', async (t) => {
    const { dotEnv, endpoint } = await storeOfTwoClocks(t);
    const outcome = await runCommand(t, SMALL, { dotEnv });
    assertStatus(outcome, 0);
    assert.match(
      outcome.stderr,
      /^The store's clock is unknown: the store's Date headers leave its clock uncertain by ±1d 0h\. All times use this host's clock$/m,
    );
    const records = recordsOf(outcome.stdout);
    const [run] = machineRecords(records, 'run');
    assert.equal(run.clock, null);
    assert.ok(Math.abs(Date.parse(run.start) - Date.now()) < 600_000, run.start);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 37: a common start is refused before the first stage', async (t) => {
    const { dotEnv, endpoint } = await storeOfTwoClocks(t);
    const outcome = await runCommand(t, [...SMALL, '--start-at', 'next:5s'], { dotEnv });
    assertStatus(outcome, 2);
    assert.match(
      outcome.stderr,
      /^error: --start-at: hosts cannot start together, because the store's clock is unknown: the store's Date /m,
    );
    assert.deepEqual([outcome.stdout, await keysIn(endpoint)], ['', []]);
  });
});
