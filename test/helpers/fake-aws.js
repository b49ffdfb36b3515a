import http from 'node:http';

/**
 * @import { IncomingMessage } from 'node:http'
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 * @import { Credentials } from '../../lib/local-s3/signature-check.js'
 */

/** Credentials of this server expire after an hour. ms */
const LIFE_MS = 3_600_000;

/**
 * The AWS services that provide credentials: STS (a role, a web identity), and the container's endpoint. Everyone gets the
 * same credentials.
 *
 * @param {TestContext} t
 * @param {Credentials} credentials
 * @param {object} [options]
 * @param {(request: IncomingMessage) => void} [options.afterFirst] gets each request after the first, which stays unanswered
 * @returns {Promise<{ url: string, asked: string[] }>} `asked`: names of the requests, in the services' own terms
 */
export async function startFakeAws(t, { accessKeyId, secretAccessKey, sessionToken = '' }, { afterFirst } = {}) {
  /** @type {string[]} */
  const asked = [];
  const expires = new Date(Date.now() + LIFE_MS);
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) {
      body += chunk;
    }
    const [path] = String(request.url).split('?');
    const action = new URLSearchParams(body).get('Action');
    asked.push(action ?? path);
    if (afterFirst !== undefined && asked.length > 1) {
      afterFirst(request);
      return;
    }
    if (action !== null) {
      const inner =
        `<Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>` +
        `<SessionToken>${sessionToken}</SessionToken><Expiration>${expires.toISOString()}</Expiration></Credentials>` +
        '<AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/r/s</Arn><AssumedRoleId>R:s</AssumedRoleId></AssumedRoleUser>';
      response.setHeader('Content-Type', 'text/xml');
      response.end(
        `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result>${inner}</${action}Result></${action}Response>`,
      );
      return;
    }
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({
        AccessKeyId: accessKeyId,
        SecretAccessKey: secretAccessKey,
        Token: sessionToken,
        Expiration: expires.toISOString(),
      }),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`, asked };
}
