import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { AddressBook } from '../../lib/store/http/address-book.js';
import { KeepAliveAgent } from '../../lib/store/http/keep-alive-agent.js';
import { testCertificate } from '../helpers/local-s3.js';
import { mockLookup } from '../helpers/mock-lookup.js';
import { closedPort, startSocketServer, until } from '../helpers/socket-server.js';
import { trustCertificate } from '../helpers/trust-certificate.js';

const systemNow = () => performance.now();

/**
 * @import { TestContext } from 'node:test'
 * @import { Socket } from 'node:net'
 * @import { TLSSocket } from 'node:tls'
 */

const NEVER = new AbortController().signal;
const TIME_LIMIT = { timeout: 120_000 };

/**
 * @param {TestContext} t
 * @param {object} options
 * @param {number} options.port
 * @param {string} [options.hostname]
 * @param {boolean} [options.useTls]
 * @param {number} [options.connectTimeout] ms
 * @param {() => number} [options.now] monotonic ms
 */
function openAgent(t, { port, hostname = '127.0.0.1', useTls = false, connectTimeout = 10_000, now = systemNow }) {
  /** @type {{ tcp: number, tls: number | null }[]} */
  const costs = [];
  const agent = new KeepAliveAgent({
    hostname,
    addresses: new AddressBook(hostname, now),
    port,
    useTls,
    connectTimeout,
    now,
    hooks: { opened: (cost) => costs.push(cost) },
  });
  t.after(() => agent.close());
  return { agent, costs };
}

/**
 * @param {KeepAliveAgent} agent
 * @param {() => boolean} [isWanted]
 * @returns {Promise<{ socket: Socket, openedAhead: boolean }>}
 */
function connect(agent, isWanted) {
  return new Promise((resolve, reject) => {
    agent.connect(
      (error, socket, openedAhead) =>
        error === null ? resolve({ socket: /** @type {Socket} */ (socket), openedAhead }) : reject(error),
      isWanted,
    );
  });
}

/**
 * A server, over TLS or not, whose certificate is trusted, and an agent for it.
 *
 * @param {TestContext} t
 * @param {boolean} useTls
 * @param {(socket: Socket) => void} [onSocket]
 */
async function openPair(t, useTls, onSocket) {
  const certificate = useTls ? await testCertificate() : null;
  if (certificate !== null) {
    trustCertificate(t, certificate.cert);
  }
  const server = await startSocketServer(t, { certificate, onSocket });
  return { server, ...openAgent(t, { port: server.port, useTls }) };
}

for (const useTls of [false, true]) {
  const over = useTls ? 'over TLS' : 'over TCP';

  test(`exactly as many connections are opened ahead as were asked for, ${over}`, TIME_LIMIT, async (t) => {
    const { server, agent, costs } = await openPair(t, useTls);
    assert.deepEqual(await agent.openAhead(100, NEVER), { failed: 0, lastError: null });
    await until(() => server.sockets.length >= 100);
    assert.deepEqual([server.sockets.length, agent.opened, costs.length], [100, 100, 100]);
    for (const { tcp, tls } of costs) {
      assert.ok(tcp >= 0);
      assert.equal(tls !== null, useTls);
      assert.ok(tls === null || tls > 0);
    }
  });

  test(`connections opened ahead are handed out before another is opened, ${over}`, TIME_LIMIT, async (t) => {
    const { server, agent } = await openPair(t, useTls);
    await agent.openAhead(3, NEVER);
    const handedOut = [await connect(agent), await connect(agent), await connect(agent)];
    assert.equal(agent.opened, 3);
    assert.ok(handedOut.every(({ openedAhead }) => openedAhead));
    assert.equal(new Set(handedOut.map(({ socket }) => socket)).size, 3);
    const another = await connect(agent);
    assert.equal(another.openedAhead, false);
    assert.equal(agent.opened, 4);
    await until(() => server.sockets.length === 4);
  });

  for (const [what, end] of /** @type {[string, (socket: Socket) => unknown][]} */ ([
    ['the store has closed', (socket) => socket.end()],
    ['the store has broken off', (socket) => socket.destroy()],
    ['came with bytes that nobody asked for', (socket) => socket.write('HTTP/1.1 408 Request Timeout\r\n\r\n')],
  ])) {
    test(`a waiting connection that ${what} is not handed out, ${over}`, TIME_LIMIT, async (t) => {
      const { server, agent } = await openPair(t, useTls);
      await agent.openAhead(2, NEVER);
      await until(() => server.sockets.length === 2);
      server.sockets.forEach(end);
      await server.closed();
      // The agent hears of it a moment later, and no one is told when.
      await setTimeout(30);
      const { socket, openedAhead } = await connect(agent);
      assert.equal(openedAhead, false);
      assert.equal(socket.destroyed, false);
      assert.equal(agent.opened, 3);
    });
  }

  test(`at its end it closes every connection, waiting or handed out, ${over}`, TIME_LIMIT, async (t) => {
    const { server, agent } = await openPair(t, useTls);
    await agent.openAhead(3, NEVER);
    await connect(agent);
    await until(() => server.sockets.length === 3);
    agent.close();
    await server.closed();
  });
}

test('a TLS session is used again for the next connection', TIME_LIMIT, async (t) => {
  const { server, agent } = await openPair(t, true);
  const { socket } = await connect(agent);
  socket.resume();
  await once(socket, 'session');
  await connect(agent);
  await until(() => server.sockets.length === 2);
  const reused = server.sockets.map((accepted) => /** @type {TLSSocket} */ (accepted).isSessionReused());
  assert.deepEqual(reused, [false, true]);
});

test('a certificate for another name is an error', TIME_LIMIT, async (t) => {
  const certificate = await testCertificate();
  trustCertificate(t, certificate.cert);
  mockLookup(t, () => ['127.0.0.1']);
  const { port } = await startSocketServer(t, { certificate });
  const { agent } = openAgent(t, { port, hostname: 'store.test', useTls: true });
  await assert.rejects(connect(agent), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

test('the store is told the name that is wanted, though the address was looked up', TIME_LIMIT, async (t) => {
  const certificate = await testCertificate();
  trustCertificate(t, certificate.cert);
  mockLookup(t, () => ['127.0.0.1']);
  const server = await startSocketServer(t, { certificate });
  const { agent } = openAgent(t, { port: server.port, hostname: 'localhost', useTls: true });
  await connect(agent);
  await until(() => server.sockets.length === 1);
  assert.equal(/** @type {any} */ (server.sockets[0]).servername, 'localhost');
});

test('an address that refuses is left out for a minute', TIME_LIMIT, async (t) => {
  const server = await startSocketServer(t);
  const lookup = mockLookup(t, () => ['::1', '127.0.0.1']);
  let now = 0;
  const { agent } = openAgent(t, { port: server.port, hostname: 'store.test', now: () => now });
  await connect(agent);
  now = 59_999;
  await connect(agent);
  assert.equal(lookup.names.length, 1);
  now = 60_000;
  await connect(agent);
  assert.equal(lookup.names.length, 2);
});

test(
  'an address that does not answer is left out, though nobody waits for its connection any more',
  TIME_LIMIT,
  async (t) => {
    // Each answers TCP, and never the handshake.
    const server = await startSocketServer(t, { host: '0.0.0.0' });
    mockLookup(t, () => ['127.0.0.1', '127.0.0.2']);
    const { agent } = openAgent(t, {
      port: server.port,
      hostname: 'store.test',
      useTls: true,
      connectTimeout: 200,
      now: () => 0,
    });

    for (const upTo of [1, 2, 3]) {
      const isWanted = () => server.sockets.length < upTo;
      await assert.rejects(connect(agent, isWanted), { code: 'ERR_CONNECT_TIMEOUT' });
    }
    const addresses = server.sockets.map(({ localAddress }) => localAddress);
    assert.deepEqual(addresses, ['127.0.0.1', '127.0.0.2', '127.0.0.2']);
  },
);

test('an address is not left out where the agent itself gave its connection up', TIME_LIMIT, async (t) => {
  const server = await startSocketServer(t, { host: '0.0.0.0' });
  mockLookup(t, () => ['127.0.0.1', '127.0.0.2']);
  const { agent } = openAgent(t, { port: server.port, hostname: 'store.test', useTls: true, connectTimeout: 60_000 });
  for (const upTo of [2, 4]) {
    const stop = new AbortController();
    const opening = agent.openAhead(2, stop.signal);
    await until(() => server.sockets.length === upTo);
    stop.abort();
    assert.equal((await opening).failed, 2);
  }
  const addresses = server.sockets.map(({ localAddress }) => localAddress);
  assert.deepEqual(addresses.sort(), ['127.0.0.1', '127.0.0.1', '127.0.0.2', '127.0.0.2']);
});

test('each address is tried once for a connection, however often the name is looked up', TIME_LIMIT, async (t) => {
  let now = 0;
  const lookup = mockLookup(t, () => ['127.0.0.1', '127.0.0.2']);
  const { agent } = openAgent(t, { port: await closedPort(), hostname: 'store.test', now: () => (now += 5000) });
  assert.equal((await agent.openAhead(1, NEVER)).failed, 1);
  assert.ok(lookup.names.length <= 3, `${lookup.names.length} look-ups`);
});

test('connections are spread over all addresses that answer', TIME_LIMIT, async (t) => {
  const server = await startSocketServer(t, { host: '0.0.0.0' });
  mockLookup(t, () => ['127.0.0.1', '127.0.0.2']);
  const { agent } = openAgent(t, { port: server.port, hostname: 'store.test' });
  await agent.openAhead(10, NEVER);
  await until(() => server.sockets.length === 10);
  const addresses = server.sockets.map(({ localAddress }) => localAddress);
  assert.equal(addresses.filter((address) => address === '127.0.0.1').length, 5);
});

test('connections that cannot be opened ahead are counted, and the last error is told', TIME_LIMIT, async (t) => {
  const { agent } = openAgent(t, { port: await closedPort() });
  const { failed, lastError } = await agent.openAhead(5, NEVER);
  assert.equal(failed, 5);
  assert.equal(/** @type {any} */ (lastError).code, 'ECONNREFUSED');
  await assert.rejects(connect(agent), { code: 'ECONNREFUSED' });
  assert.equal(agent.opened, 0);
});

test('no more than 64 connections are being opened at one time, and a stop opens no more', TIME_LIMIT, async (t) => {
  const server = await startSocketServer(t);
  const { agent } = openAgent(t, { port: server.port, useTls: true });
  const controller = new AbortController();
  const ahead = agent.openAhead(200, controller.signal);
  await until(() => server.sockets.length === 64);
  controller.abort();
  const { failed } = await ahead;
  assert.equal(failed, 200);
  assert.equal(server.sockets.length, 64);
});

test('a connection that no one waits for any more when its turn comes is not opened', TIME_LIMIT, async (t) => {
  const server = await startSocketServer(t);
  const { agent } = openAgent(t, { port: server.port });
  const first = Array.from({ length: 64 }, () => connect(agent));
  const givenUp = Array.from({ length: 10 }, () => connect(agent, () => false));
  const last = connect(agent, () => true);
  const ends = await Promise.allSettled([...first, ...givenUp, last]);
  assert.deepEqual(
    ends.map(({ status }) => status),
    [...first.map(() => 'fulfilled'), ...givenUp.map(() => 'rejected'), 'fulfilled'],
  );
  assert.equal(agent.opened, 65);
});

/**
 * An agent whose name is not resolved before the test reports it.
 *
 * @param {TestContext} t
 */
async function openUnresolved(t) {
  const server = await startSocketServer(t);
  /** @type {(addresses: string[]) => void} */
  let resolve = () => {};
  mockLookup(t, () => new Promise((settle) => (resolve = settle)));
  const { agent } = openAgent(t, { port: server.port, hostname: 'store.test' });
  return { agent, answer: () => resolve(['127.0.0.1']) };
}

test('a stop waits for no look-up, and opens nothing behind it', TIME_LIMIT, async (t) => {
  const { agent, answer } = await openUnresolved(t);
  const controller = new AbortController();
  const ahead = agent.openAhead(3, controller.signal);
  controller.abort();
  assert.deepEqual(await ahead, { failed: 0, lastError: null });
  answer();
  assert.equal((await connect(agent)).openedAhead, false);
  assert.equal(agent.opened, 1);
});

test('a connection that was given up while the name was looked up is not opened', TIME_LIMIT, async (t) => {
  const { agent, answer } = await openUnresolved(t);
  let isWanted = true;
  const givenUp = connect(agent, () => isWanted);
  const wanted = connect(agent);
  // The look-up begins a moment later.
  await new Promise(setImmediate);
  isWanted = false;
  answer();
  await assert.rejects(givenUp, { code: 'ECONNRESET' });
  await wanted;
  assert.equal(agent.opened, 1);
});

test(
  'a name that does not resolve is looked up once for all connections that were to be opened',
  TIME_LIMIT,
  async (t) => {
    const lookup = mockLookup(t, () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND store.test'), { code: 'ENOTFOUND' });
    });
    const { agent } = openAgent(t, { port: 1, hostname: 'store.test' });
    const { failed, lastError } = await agent.openAhead(200, NEVER);
    assert.deepEqual([failed, /** @type {any} */ (lastError).code, lookup.names.length], [200, 'ENOTFOUND', 1]);
  },
);

test('what is open is counted as long as it is', TIME_LIMIT, async (t) => {
  const { port } = await startSocketServer(t);
  const { agent } = openAgent(t, { port });
  await agent.openAhead(2, NEVER);
  const { socket } = await connect(agent);
  assert.equal(agent.open, 2);
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  assert.equal(agent.open, 1);
});
