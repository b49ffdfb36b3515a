import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { Renewal, credentialRequests, findCredentials } from '../../lib/store/aws/credentials.js';
import { readAwsSettings } from '../../lib/store/aws/settings.js';
import { folderWith } from '../helpers/command.js';
import { startFakeAws } from '../helpers/fake-aws.js';

/**
 * @import { IncomingMessage } from 'node:http'
 * @import { AddressInfo } from 'node:net'
 */

const CREDENTIALS = { accessKeyId: 'an-id', secretAccessKey: 'a-secret', sessionToken: 'a-token' };

test('gives up on a service that does not respond after ten seconds', async (t) => {
  const server = http.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  server.once('request', () => t.mock.timers.tick(10_000));
  const { port } = /** @type {AddressInfo} */ (server.address());
  const request = { protocol: 'http:', hostname: '127.0.0.1', port, method: 'GET', path: '/', headers: {}, query: {} };
  const requests = await credentialRequests();
  await assert.rejects(requests.handle(/** @type {any} */ (request)), { name: 'TimeoutError' });
});

test('stopping a renewal closes its credentials request, which is not retried', async (t) => {
  /** @type {(request: IncomingMessage) => void} */
  let arrived = () => assert.fail();
  const hanging = new Promise((resolve) => {
    arrived = resolve;
  });
  const aws = await startFakeAws(t, CREDENTIALS, { afterFirst: (request) => arrived(request) });
  const config =
    '[profile base]\naws_access_key_id = id\naws_secret_access_key = secret\n' +
    '[profile it]\nregion = auto\nrole_arn = arn:aws:iam::123456789012:role/r\nsource_profile = base\n';
  const env = { AWS_CONFIG_FILE: path.join(await folderWith(t, { config }), 'config'), AWS_PROFILE: 'it' };
  process.env.AWS_ENDPOINT_URL_STS = aws.url;
  t.after(() => delete process.env.AWS_ENDPOINT_URL_STS);
  const { credentials, renew } = await findCredentials(await readAwsSettings(env));
  const renewal = new Renewal(credentials, renew);
  // An hour passes instantly.
  let now = Date.now();
  t.mock.timers.enable({ apis: ['setInterval'] });
  renewal.start({ epochNow: () => (now += 3_600_000), notice: assert.fail });
  t.mock.timers.tick(10_000);
  const request = await hanging;
  const closed = once(request.socket, 'close');
  renewal.stop();
  await closed;
  assert.deepEqual(aws.asked, ['AssumeRole', 'AssumeRole']);
});
