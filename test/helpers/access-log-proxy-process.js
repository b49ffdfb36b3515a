import { Agent, createServer, request } from 'node:http';

/**
 * @import { AccessLogEntry } from './access-log-proxy.js'
 * @import { IncomingMessage } from 'node:http'
 * @import { AddressInfo } from 'node:net'
 */

const ADDRESS = '127.0.0.1';

/** Longer than any pause of a run, because closing an idle connection would cause a retry. */
const KEEP_ALIVE = 120_000;

const { upstreamPort, delay } = JSON.parse(process.argv[2]);
const agent = new Agent({ keepAlive: true });

/** @type {AccessLogEntry[]} */
const entries = [];

const server = createServer({ keepAliveTimeout: KEEP_ALIVE }, async (incoming, outgoing) => {
  const { method = '', url = '' } = incoming;
  /** @param {number} status */
  const record = (status) => entries.push({ method, path: url, status, answeredAt: Date.now() });
  try {
    const { status, headers, body } = await forward(incoming);
    setTimeout(() => {
      record(status);
      outgoing.writeHead(status, headers).end(body);
    }, delay);
  } catch (error) {
    record(0);
    outgoing.destroy(/** @type {Error} */ (error));
  }
});

/**
 * Forwards a request unchanged, because path and Host header are part of its signature. Waits for the complete response, so
 * that a single time represents it.
 *
 * @param {IncomingMessage} incoming
 * @returns {Promise<{ status: number, headers: string[], body: Buffer }>}
 */
function forward(incoming) {
  return new Promise((resolve, reject) => {
    const { method, url: path, rawHeaders: headers } = incoming;
    const outgoing = request({ agent, host: ADDRESS, port: upstreamPort, method, path, headers });
    outgoing.on('error', reject);
    outgoing.on('response', async (answer) => {
      try {
        const body = Buffer.concat(await answer.toArray());
        resolve({ status: answer.statusCode ?? 0, headers: answer.rawHeaders, body });
      } catch (error) {
        reject(error);
      }
    });
    incoming.pipe(outgoing);
  });
}

process.on('message', () => process.send?.(entries));
process.on('disconnect', () => process.exit());
server.listen(0, ADDRESS, () => {
  process.send?.(/** @type {AddressInfo} */ (server.address()).port);
});
