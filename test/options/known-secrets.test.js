import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { findCredentials } from '../../lib/store/aws/credentials.js';
import { readAwsSettings } from '../../lib/store/aws/settings.js';
import { readEdgeConfig } from '../../lib/options/store/target.js';
import { chooseProxy } from '../../lib/options/store/environment.js';
import { readStoreConfig } from '../../lib/options/store/store-config.js';
import { WITHHELD } from '../../lib/text/redact.js';
import { plainText } from '../../lib/text/plain-text.js';
import { folderWith } from '../helpers/command.js';

/** @import { AddressInfo } from 'node:net' */

const DOT_ENV =
  'S3_BUCKET=bucket-a\nS3_HOSTNAME=store.test\nS3_ACCESS_KEY=an-access-key-id-of-many\n' +
  'S3_SECRET_KEY=secret-of-s3\nS3_SESSION_TOKEN=token-of-s3\nEDGE_URL=https://edge.test\nEDGE_SECRET=secret-of-edge\n';

/** @param {...string} secrets */
function assertKnown(...secrets) {
  for (const secret of secrets) {
    assert.equal(plainText(`got <${secret}>`), WITHHELD);
    assert.equal(plainText(`got <${encodeURIComponent(secret).replaceAll('-', '%2D')}>`), WITHHELD);
  }
}

test('knows every secret in the .env, whichever client reads it', async (t) => {
  const file = path.join(await folderWith(t, { '.env': DOT_ENV }), '.env');
  const all = ['secret-of-s3', 'token-of-s3', 'secret-of-edge', 'an-access-key-id-of-many'];
  assert.ok(all.every((secret) => plainText(secret) === secret));
  readEdgeConfig({}, file);
  assertKnown(...all);
  await readStoreConfig({ S3_SECRET_KEY: 'other-secret', EDGE_SECRET: 'another-one' }, file);
  assertKnown(...all, 'other-secret', 'another-one');
});

test('knows the password of a proxy', () => {
  const store = { hostname: 'store.test', port: 443, useTls: true };
  chooseProxy({ HTTPS_PROXY: 'http://user:p%40ss-word@proxy.test:3128' }, store, 'env', []);
  assertKnown('p@ss-word', Buffer.from('user:p@ss-word').toString('base64'));
  chooseProxy({ HTTPS_PROXY: 'http://user:hunter2@proxy.test:3128' }, store, 'env', []);
  assertKnown('hunter2', Buffer.from('user:hunter2').toString('base64'));
});

test('knows the keys of all profiles, because a service may echo those of the profile that assumes a role', async (t) => {
  const server = http.createServer((request, response) => {
    const message = `no such token: ${request.headers['x-amz-security-token']}`;
    response
      .writeHead(400)
      .end(`<ErrorResponse><Error><Code>X</Code><Message>${message}</Message></Error></ErrorResponse>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  process.env.AWS_ENDPOINT_URL_STS = `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`;
  t.after(() => delete process.env.AWS_ENDPOINT_URL_STS);
  const config =
    '[profile base]\naws_access_key_id = id\naws_secret_access_key = secret-of-base\naws_session_token = SessionOfBase\n' +
    '[profile it]\nregion = auto\nrole_arn = arn:aws:iam::123456789012:role/r\nsource_profile = base\n';
  const file = path.join(await folderWith(t, { config }), 'config');
  const settings = await readAwsSettings({ AWS_CONFIG_FILE: file, AWS_PROFILE: 'it' });
  await assert.rejects(findCredentials(settings), { message: WITHHELD });
  assertKnown('secret-of-base', 'SessionOfBase');
});
