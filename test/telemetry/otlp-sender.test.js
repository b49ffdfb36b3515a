import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import { test } from 'node:test';
import { generate } from 'selfsigned';
import { OtlpSender } from '../../lib/telemetry/otlp-sender.js';
import { encodeMetrics } from '../../lib/telemetry/otlp-json.js';
import { startCollector } from '../helpers/otlp.js';
import { startSocketServer } from '../helpers/socket-server.js';
import { ORIGIN, metricOf } from './metrics-of.js';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { TestContext } from 'node:test'
 * @import { OtlpTarget } from '../../lib/telemetry/otlp-target.js'
 */

const NEVER = new AbortController().signal;
const LONG_MS = 600_000;

/**
 * @param {TestContext} t
 * @param {string} url
 * @param {Partial<OtlpTarget>} [target]
 */
function senderTo(t, url, target = {}) {
  const deps = { now: () => performance.now(), random: () => 0 };
  const isTls = url.startsWith('https:');
  const common = { url: new URL('/v1/metrics', url), isTls, headers: {}, timeout: LONG_MS, compresses: false };
  const sender = new OtlpSender({ ...common, ...target }, deps);
  t.after(() => sender.close());
  const encode = () => encodeMetrics([metricOf({ value: 1 })], ORIGIN, 1);
  return (time = LONG_MS, signal = NEVER) => sender.send(encode, deps.now() + time, signal);
}

test('a request arrives with its headers, compressed where that is wanted', async (t) => {
  const collector = await startCollector(t);
  const send = senderTo(t, collector.url, { headers: { authorization: 'Bearer x' }, compresses: true });
  assert.deepEqual(await send(), { hasArrived: true, rejected: 0, reason: null });
  const [{ headers, path }] = collector.received;
  assert.equal(path, '/v1/metrics');
  const { authorization, 'content-type': type, 'content-encoding': encoding } = headers;
  assert.deepEqual([authorization, type, encoding], ['Bearer x', 'application/json', 'gzip']);
});

for (const status of [429, 502, 503, 504]) {
  test(`after ${status} the same is sent again when the collector wants it`, async (t) => {
    const collector = await startCollector(t, (response, _received, count) => {
      response.writeHead(count === 1 ? status : 200, count === 1 ? { 'retry-after': '0' } : {}).end();
    });
    assert.deepEqual(await senderTo(t, collector.url)(), { hasArrived: true, rejected: 0, reason: null });
    assert.equal(collector.received.length, 2);
  });
}

test('a collector that wants to be left alone for longer than there is time is left alone', async (t) => {
  const collector = await startCollector(t, (response) => response.writeHead(503, { 'retry-after': '3600' }).end());
  const send = senderTo(t, collector.url);
  assert.equal((await send(1000)).reason, 'HTTP status 503');
  assert.equal((await send(1000)).reason, 'it asked to be left alone for longer than there is time');
  assert.equal(collector.received.length, 1);
});

for (const status of [302, 400, 401, 404, 500]) {
  test(`after ${status} nothing is sent again`, async (t) => {
    const collector = await startCollector(t, (response) =>
      response.writeHead(status, { location: '/' }).end('secret'),
    );
    const delivery = await senderTo(t, collector.url)();
    assert.deepEqual(delivery, { hasArrived: false, rejected: 0, reason: `HTTP status ${status}` });
    assert.equal(collector.received.length, 1);
  });
}

for (const headers of ['', 'connection: upgrade\r\nupgrade: websocket\r\n']) {
  test(`Row 46: a collector that switches protocols is given up at once: ${JSON.stringify(headers)}`, async (t) => {
    const { port } = await startSocketServer(t, {
      onSocket: (socket) =>
        socket.once('data', () => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`)),
    });
    const delivery = await senderTo(t, `http://127.0.0.1:${port}`)();
    assert.deepEqual(delivery, { hasArrived: false, rejected: 0, reason: 'HTTP status 101' });
  });
}

test('what a collector takes only in part has arrived, and is not sent again', async (t) => {
  const collector = await startCollector(t, (response) =>
    response.end(JSON.stringify({ partialSuccess: { rejectedDataPoints: '3', errorMessage: '\u001b[2J' } })),
  );
  const delivery = await senderTo(t, collector.url)();
  assert.deepEqual(delivery, { hasArrived: true, rejected: 3, reason: 'it rejected 3 of what it was sent' });
});

for (const body of [
  '',
  'no JSON',
  '[]',
  'null',
  '{"partialSuccess":null}',
  '{"partialSuccess":{"rejectedDataPoints":{}}}',
]) {
  test(`an answer that is ${JSON.stringify(body)} means that all is well`, async (t) => {
    const collector = await startCollector(t, (response) => response.end(body));
    assert.deepEqual(await senderTo(t, collector.url)(), { hasArrived: true, rejected: 0, reason: null });
  });
}

test('an answer without an end is not read to its end', async (t) => {
  const collector = await startCollector(t, (response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) {
        // Until it is full, or nobody reads any more.
      }
    };
    response.on('drain', write);
    write();
  });
  assert.equal((await senderTo(t, collector.url)()).hasArrived, true);
});

test('a collector that never answers is given up in time', async (t) => {
  const collector = await startCollector(t, () => {});
  assert.deepEqual(await senderTo(t, collector.url, { timeout: 20 })(30), {
    hasArrived: false,
    rejected: 0,
    reason: 'no answer in time',
  });
});

test('a request that is under way is given up when it is told to be', async (t) => {
  const stopped = new AbortController();
  const collector = await startCollector(t, () => stopped.abort());
  const { hasArrived } = await senderTo(t, collector.url)(LONG_MS, stopped.signal);
  assert.equal(hasArrived, false);
});

test('where nobody listens, the system says why', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  // Time enough for a try, and too little for the pause after it.
  assert.equal((await senderTo(t, `http://127.0.0.1:${port}`)(450)).reason, 'ECONNREFUSED');
});

test('a connection that breaks is tried again', async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.once('data', () => (connections === 1 ? socket.resetAndDestroy() : socket.end('HTTP/1.1 200 OK\r\n\r\n')));
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = /** @type {AddressInfo} */ (server.address());
  assert.equal((await senderTo(t, `http://127.0.0.1:${port}`)()).hasArrived, true);
  assert.equal(connections, 2);
});

test('over TLS a collector has to show a certificate that is trusted', async (t) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const server = createTlsServer({ key, cert }, (_request, response) => response.end('{}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `https://localhost:${/** @type {AddressInfo} */ (server.address()).port}`;
  assert.match((await senderTo(t, url)(400)).reason ?? '', /SELF_SIGNED/);
  assert.equal((await senderTo(t, url, { certificate: Buffer.from(cert) })()).hasArrived, true);
});
