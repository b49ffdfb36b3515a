import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { AddressBook } from '../../lib/store/http/address-book.js';
import { HttpConnection } from '../../lib/store/http/http-connection.js';
import { KeepAliveAgent } from '../../lib/store/http/keep-alive-agent.js';
import { createReadBuffer } from '../../lib/store/http/socket-reader.js';
import { cases } from '../helpers/cases.js';
import { testCertificate } from '../helpers/local-s3.js';
import { startSocketServer, until } from '../helpers/socket-server.js';

/**
 * @import * as net from 'node:net'
 * @import { TestContext } from 'node:test'
 * @import { HttpRequest } from '../../lib/store/http/http-connection.js'
 */

const TIME_LIMIT = { timeout: 120_000 };
const PIECE_BYTES = 256 * 1024;
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const REFUSAL = 'HTTP/1.1 403 Forbidden\r\ncontent-length: 7\r\n\r\nrefused';

/**
 * How the bytes travel: what is said of one holds for all of them.
 *
 * @typedef {object} Transport
 * @property {string} over
 * @property {boolean} useTls
 * @property {boolean} sharesBuffer
 */

/** @type {Transport[]} */
const TRANSPORTS = [
  { over: 'over TCP', useTls: false, sharesBuffer: true },
  { over: 'over TLS', useTls: true, sharesBuffer: true },
  { over: 'over TLS, without a shared buffer', useTls: true, sharesBuffer: false },
];

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {number} contentLength
 * @property {string[]} headers
 * @property {Buffer} body
 */

/** Sends requests over one connection, and keeps what the connection tells of each. */
class Client {
  /** @type {(answer: Answer) => void} */
  #resolve = () => {};
  /** @type {(error: Error) => void} */
  #reject = () => {};
  /** @type {Answer} */
  answer = { status: 0, contentLength: -1, headers: [], body: Buffer.alloc(0) };
  /** @type {Buffer[]} */
  chunks = [];
  /** Bytes of bodies that were taken, over all requests. */
  sent = 0;
  /** How often a request was said to be over, of those that were sent. */
  endings = 0;
  requests = 0;
  /** That the agent has handed out. @type {net.Socket[]} */
  sockets = [];
  /** What a test does when a chunk has come. */
  onChunk = () => {};

  /** @param {ConstructorParameters<typeof HttpConnection>[1]} options */
  constructor(options) {
    const { agent } = options;
    const connect = agent.connect.bind(agent);
    agent.connect = (callback, isWanted) =>
      connect((error, socket, openedAhead) => {
        if (socket !== null) {
          this.sockets.push(socket);
        }
        callback(error, socket, openedAhead);
      }, isWanted);
    this.agent = agent;
    this.connection = new HttpConnection(this, options);
  }

  /**
   * @param {Partial<HttpRequest>} [request]
   * @returns {Promise<Answer>}
   */
  send(request) {
    this.requests += 1;
    this.answer = { status: 0, contentLength: -1, headers: [], body: Buffer.alloc(0) };
    this.chunks = [];
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.connection.send({ method: 'GET', target: '/', headers: [], body: null, size: 0, ...request });
    });
  }

  /** What it says of the last request. */
  get traces() {
    const { isSent, hasWaited, hasAnswerBegun } = this.connection;
    return { isSent, hasWaited, hasAnswerBegun };
  }

  /** @returns {number} bytes of the body that have come */
  get received() {
    return this.chunks.reduce((sum, { length }) => sum + length, 0);
  }

  /** @param {number} bytes */
  onSent(bytes) {
    this.sent += bytes;
  }

  /** @type {import('../../lib/store/http/response-parser.js').ResponseHandler['onHeader']} */
  onHeader(bytes, name, nameEnd, value, valueEnd) {
    this.answer.headers.push(bytes.toString('latin1', name, nameEnd), bytes.toString('latin1', value, valueEnd));
  }

  /**
   * @param {number} status
   * @param {number} contentLength
   */
  onHead(status, contentLength) {
    Object.assign(this.answer, { status, contentLength });
  }

  /** @param {Buffer} chunk */
  onBody(chunk) {
    this.chunks.push(Buffer.from(chunk));
    this.onChunk();
  }

  onEnd() {
    this.endings += 1;
    this.#resolve({ ...this.answer, body: Buffer.concat(this.chunks) });
  }

  /** @param {Error} error */
  onError(error) {
    this.endings += 1;
    this.#reject(error);
  }
}

/**
 * @param {TestContext} t
 * @param {number} port
 * @param {Transport} transport
 * @param {{ now?: () => number, clients?: number }} [options]
 */
async function openClients(t, port, transport, { now = () => performance.now(), clients = 1 } = {}) {
  const agent = new KeepAliveAgent({
    hostname: '127.0.0.1',
    addresses: new AddressBook('127.0.0.1', now),
    port,
    useTls: transport.useTls,
    certificate: transport.useTls ? (await testCertificate()).cert : undefined,
    connectTimeout: 60_000,
    readBuffer: transport.sharesBuffer ? createReadBuffer() : null,
    now,
    hooks: { opened() {} },
  });
  t.after(() => agent.close());
  return Array.from({ length: clients }, () => new Client({ agent, host: 'store.test', keepAlive: true }));
}

/**
 * A server, over TLS or not, that can reset its connections, and a client for it.
 *
 * @param {TestContext} t
 * @param {Transport} transport
 * @param {(socket: net.Socket, reset: () => void) => void} onSocket
 * @param {Parameters<typeof openClients>[3]} [options]
 */
async function openPair(t, transport, onSocket, options) {
  const secureContext = transport.useTls ? tls.createSecureContext(await testCertificate()) : null;
  const server = await startSocketServer(t, {
    onSocket: (raw) => {
      const reset = () => void raw.resetAndDestroy();
      if (secureContext === null) {
        onSocket(raw, reset);
        return;
      }
      const socket = new tls.TLSSocket(raw, { isServer: true, secureContext });
      socket.on('error', () => {});
      onSocket(socket, reset);
    },
  });
  const clients = await openClients(t, server.port, transport, options);
  return { server, client: clients[0], clients };
}

/**
 * @typedef {object} ReceivedRequest
 * @property {string} head with the empty line that ends it
 * @property {Buffer} body
 * @property {net.Socket} socket
 * @property {() => void} reset
 * @property {number} index among those of all connections
 */

/**
 * @param {(request: ReceivedRequest) => unknown} answer called for each request that has come whole
 * @returns {(socket: net.Socket, reset: () => void) => void}
 */
function answering(answer) {
  let index = 0;
  return (socket, reset) => {
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const bodyStart = received.indexOf('\r\n\r\n') + 4;
      const head = received.toString('latin1', 0, bodyStart);
      const end = bodyStart + Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
      if (bodyStart >= 4 && received.length >= end) {
        const body = received.subarray(bodyStart, end);
        received = received.subarray(end);
        answer({ head, body, socket, reset, index: index++ });
      }
    });
  };
}

/**
 * @param {TestContext} t
 * @param {Transport} transport
 * @param {string} answer to each request
 */
function openAnswering(t, transport, answer) {
  return openPair(
    t,
    transport,
    answering(({ socket }) => socket.write(answer)),
  );
}

/**
 * @param {number} length
 * @param {number} seed
 * @returns {Buffer} bytes none of which can be taken for another of them, or for those of another seed, by chance
 */
function pattern(length, seed) {
  const bytes = Buffer.alloc(length);
  for (let place = 0; place + 4 <= length; place += 4) {
    bytes.writeUInt32LE((Math.imul(place + 1, 2654435761) ^ Math.imul(seed + 1, 40503)) >>> 0, place);
  }
  return bytes;
}

/**
 * @param {number} size
 * @param {number} [partBytes]
 */
function countedBody(size, partBytes = PIECE_BYTES) {
  const part = Buffer.alloc(partBytes);
  const body = {
    /** Bytes that were fetched. */
    walked: 0,
    *[Symbol.iterator]() {
      while (body.walked < size) {
        const length = Math.min(partBytes, size - body.walked);
        body.walked += length;
        yield part.subarray(0, length);
      }
    },
  };
  return body;
}

/** @param {number} size */
function upload(size) {
  return { method: 'PUT', body: Buffer.alloc(size, 'u'), size };
}

/** @param {Promise<unknown>} promise */
async function errorOf(promise) {
  return promise.then(
    () => assert.fail('the request has not failed'),
    (error) => error,
  );
}

/**
 * Resolves once the transfer has begun, and nothing has happened for a while.
 *
 * @param {() => number} value
 * @param {() => boolean} hasBegun
 */
async function stillness(value, hasBegun) {
  for (let before = -1; before !== value() || !hasBegun();) {
    before = value();
    await wait(100);
  }
}

for (const transport of TRANSPORTS) {
  const { over } = transport;

  test(`requests go one after the other over one connection, ${over}`, TIME_LIMIT, async (t) => {
    const { server, client } = await openAnswering(t, transport, OK);
    for (let count = 1; count <= 5; count++) {
      const { status, contentLength, headers, body } = await client.send();
      assert.deepEqual([status, contentLength, headers, String(body)], [200, 2, ['content-length', '2'], 'ok']);
      assert.deepEqual(client.traces, { isSent: true, hasWaited: count > 1, hasAnswerBegun: true });
      assert.deepEqual([client.agent.opened, client.agent.reused], [1, count - 1]);
    }
    assert.equal(server.sockets.length, 1);
  });

  for (const [what, answer] of [
    ['that says so', 'HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 0\r\n\r\n'],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
  ]) {
    test(`an answer ${what} closes the connection, ${over}`, TIME_LIMIT, async (t) => {
      const { server, client } = await openAnswering(t, transport, answer);
      await client.send();
      await server.closed();
      await client.send();
      assert.deepEqual([client.agent.opened, client.agent.reused], [2, 0]);
      assert.equal(client.connection.hasWaited, false);
    });
  }

  test(`the head of a request is what was asked for, ${over}`, TIME_LIMIT, async (t) => {
    /** @type {string[]} */
    const heads = [];
    const { client } = await openPair(
      t,
      transport,
      answering(({ head, socket }) => heads.push(head) && socket.write(OK)),
    );
    await client.send({ target: '/bucket/key?x=%20', headers: ['x-one', '1', 'X-Two', '\u00e9\u00ff'] });
    await client.send({ method: 'PUT', headers: ['x-one', '1'], body: Buffer.from('abc'), size: 3 });
    await client.send({ method: 'POST', body: Buffer.alloc(0), size: 0 });
    await client.send({ method: 'DELETE', target: '/k' });
    const common = 'HTTP/1.1\r\nhost: store.test\r\nconnection: keep-alive\r\n';
    assert.deepEqual(heads, [
      `GET /bucket/key?x=%20 ${common}x-one: 1\r\nX-Two: \u00e9\u00ff\r\n\r\n`,
      `PUT / ${common}x-one: 1\r\ncontent-length: 3\r\n\r\n`,
      `POST / ${common}content-length: 0\r\n\r\n`,
      `DELETE /k ${common}\r\n`,
    ]);
  });

  test(`a body comes as it is, and what was sent of it is counted exactly, ${over}`, TIME_LIMIT, async (t) => {
    /** @type {Buffer[]} */
    const bodies = [];
    const { client } = await openPair(
      t,
      transport,
      answering(({ body, socket }) => bodies.push(Buffer.from(body)) && socket.write(OK)),
    );
    const large = pattern(3 * PIECE_BYTES + 5, 1);
    const views = [
      large.subarray(0, 1),
      large.subarray(1, 1),
      large.subarray(1, PIECE_BYTES + 7),
      large.subarray(PIECE_BYTES + 7),
    ];
    let total = 0;
    for (const [body, expected] of /** @type {[HttpRequest['body'], Buffer][]} */ ([
      [large.subarray(0, 1), large.subarray(0, 1)],
      [large.subarray(0, PIECE_BYTES), large.subarray(0, PIECE_BYTES)],
      [large.subarray(0, PIECE_BYTES + 1), large.subarray(0, PIECE_BYTES + 1)],
      [large, large],
      [views, large],
      [[large.subarray(0, 3)], large.subarray(0, 3)],
      [[], large.subarray(0, 0)],
    ])) {
      await client.send({ method: 'PUT', body, size: expected.length });
      total += expected.length;
      assert.ok(bodies.at(-1)?.equals(expected));
      assert.equal(client.sent, total);
    }
    assert.equal(client.agent.opened, 1);
  });

  test(`an upload goes no further than a piece beyond what the other side takes, ${over}`, TIME_LIMIT, async (t) => {
    const { server, client } = await openPair(t, transport, (socket) => socket.pause());
    const size = 64 * 1024 * 1024;
    const body = countedBody(size);
    const sending = client.send({ method: 'PUT', body, size });
    await stillness(
      () => body.walked,
      () => body.walked > client.sent,
    );
    const [socket] = client.sockets;
    assert.ok(body.walked < size, 'all of the body was fetched');
    assert.equal(body.walked - client.sent, PIECE_BYTES);
    assert.ok(socket.writableLength <= PIECE_BYTES + 1024, `${socket.writableLength} bytes wait`);
    assert.equal(server.sockets.length, 1);
    client.connection.abort(new Error('enough'));
    await assert.rejects(sending, { message: 'enough' });
  });

  for (const [what, afterwards] of /** @type {[string, (socket: net.Socket, reset: () => void) => void][]} */ ([
    ['reads nothing any more', (socket) => socket.pause()],
    ['closes', (socket) => socket.destroySoon()],
    ['resets', (_, reset) => reset()],
  ])) {
    test(`the early answer of a store that then ${what} ends the upload, ${over}`, TIME_LIMIT, async (t) => {
      const { client } = await openPair(t, transport, (socket, reset) => {
        socket.on('data', (chunk) => {
          if (chunk.toString('latin1', 0, 3) === 'GET') {
            socket.write(OK);
          } else {
            socket.pause().removeAllListeners('data');
            socket.write(REFUSAL, () => afterwards(socket, reset));
          }
        });
      });
      const size = 1024 * 1024 * 1024;
      for (let count = 1; count <= 10; count++) {
        const body = countedBody(size);
        const answer = await client.send({ method: 'PUT', body, size });
        assert.deepEqual([answer.status, String(answer.body)], [403, 'refused']);
        assert.deepEqual(client.traces, { isSent: true, hasWaited: count > 1, hasAnswerBegun: true });
        const { walked } = body;
        assert.ok(walked < size);
        assert.equal((await client.send()).status, 200);
        assert.equal(body.walked, walked);
        assert.deepEqual([client.agent.opened, client.connection.hasWaited], [count + 1, false]);
        assert.equal(client.agent.reused, count - 1);
      }
    });
  }

  for (const [what, end] of /** @type {[string, (socket: net.Socket, reset: () => void) => void][]} */ ([
    ['a farewell', (socket) => socket.end('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n')],
    ['its end', (socket) => socket.end()],
    ['a reset', (_, reset) => reset()],
  ])) {
    test(`${what} between two requests closes the connection, and harms neither, ${over}`, TIME_LIMIT, async (t) => {
      /** @type {(() => void)[]} */
      const ends = [];
      const { client } = await openPair(
        t,
        transport,
        answering(({ socket, reset }) => {
          ends.push(() => end(socket, reset));
          socket.write(OK);
        }),
      );
      await client.send();
      ends[0]();
      await until(() => client.sockets[0].destroyed);
      assert.equal((await client.send()).status, 200);
      assert.deepEqual([client.agent.opened, client.agent.reused, client.endings], [2, 0, 2]);
      assert.equal(client.connection.hasWaited, false);
    });
  }

  test(`a request on a connection that ends in that moment says that it had waited, ${over}`, TIME_LIMIT, async (t) => {
    const { client } = await openPair(
      t,
      transport,
      answering(({ socket, index }) => (index === 0 ? socket.write(OK) : socket.destroy())),
    );
    await client.send();
    await assert.rejects(client.send(), { code: 'ECONNRESET' });
    assert.deepEqual(client.traces, { isSent: true, hasWaited: true, hasAnswerBegun: false });
  });

  for (const [
    what,
    answer,
    end,
    code,
  ] of /** @type {[string, string, (socket: net.Socket, reset: () => void) => void, string | undefined][]} */ ([
    ['without an answer', '', (socket) => socket.end(), 'ECONNRESET'],
    ['within the head', 'HTTP/1.1 200 OK\r\ncont', (socket) => socket.end(), 'ECONNRESET'],
    ['within the body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbody', (socket) => socket.end(), 'ECONNRESET'],
    ['with a reset', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbody', (_, reset) => reset(), 'ECONNRESET'],
    ['with what is not HTTP', 'SSH-2.0-OpenSSH\r\n', () => {}, undefined],
  ])) {
    test(`a connection that ends ${what} is an error, ${over}`, TIME_LIMIT, async (t) => {
      const { server, client } = await openPair(
        t,
        transport,
        answering(({ socket, reset }) => socket.write(answer, () => end(socket, reset))),
      );
      for (const expected of [1, 2]) {
        const error = await errorOf(client.send());
        assert.equal(error.code, code);
        assert.equal(client.connection.isSent, true);
        assert.equal(client.connection.hasWaited, false);
        assert.ok(client.connection.hasAnswerBegun || answer === '' || what === 'with a reset');
        await server.closed();
        assert.deepEqual([client.agent.opened, client.agent.reused, client.endings], [expected, 0, expected]);
      }
    });
  }

  test(`a request that is aborted before it has a connection is not sent, ${over}`, TIME_LIMIT, async (t) => {
    const { server, client } = await openPair(
      t,
      transport,
      answering(({ head, socket }) => socket.write(OK.replace('ok', head.slice(5, 7)))),
    );
    const first = client.send({ target: '/first' });
    client.connection.abort(new Error('too late'));
    await assert.rejects(first, { message: 'too late' });
    assert.deepEqual(client.traces, { isSent: false, hasWaited: false, hasAnswerBegun: false });
    assert.equal(String((await client.send({ target: '/se' })).body), 'se');
    await until(() => client.sockets.length === client.agent.opened);
    assert.deepEqual(
      client.sockets.map(({ destroyed }) => destroyed).filter((destroyed) => !destroyed),
      [false],
    );
    assert.deepEqual([client.endings, client.agent.reused], [2, 0]);
    assert.ok(server.sockets.length <= 2);
  });

  test(`a connection that comes after its request was aborted is closed, ${over}`, TIME_LIMIT, async (t) => {
    const { client } = await openAnswering(t, transport, OK);
    const { agent } = client;
    const connect = agent.connect.bind(agent);
    let isWanted = () => false;
    // As one whose turn has come already: that of the agent's opens whatever happens.
    agent.connect = (callback, isStillWanted = isWanted) => {
      isWanted = isStillWanted;
      connect(callback);
    };
    const first = client.send();
    assert.equal(isWanted(), true);
    client.connection.abort(new Error('too late'));
    assert.equal(isWanted(), false);
    await assert.rejects(first, { message: 'too late' });
    await until(() => client.sockets.length === 1 && client.sockets[0].destroyed);
    assert.equal(client.connection.isSent, false);
    assert.equal((await client.send()).status, 200);
    assert.deepEqual([agent.opened, client.endings], [2, 2]);
  });

  test(`a request that is aborted while it is sent ends its connection, ${over}`, TIME_LIMIT, async (t) => {
    const { server, client } = await openPair(t, transport, (socket) => socket.once('data', () => socket.pause()));
    const body = countedBody(64 * 1024 * 1024);
    const sending = client.send({ method: 'PUT', body, size: 64 * 1024 * 1024 });
    await until(() => client.sent > 0);
    client.connection.abort(new Error('enough'));
    const { walked } = body;
    await assert.rejects(sending, { message: 'enough' });
    assert.deepEqual(client.traces, { isSent: true, hasWaited: false, hasAnswerBegun: false });
    assert.equal(client.sockets[0].destroyed, true);
    server.sockets.forEach((socket) => socket.destroy());
    await server.closed();
    assert.deepEqual([body.walked, client.endings], [walked, 1]);
    client.connection.abort(new Error('once more'));
    assert.equal(client.endings, 1);
  });

  test(`a body that cannot be read fails its request, ${over}`, TIME_LIMIT, async (t) => {
    const { server, client } = await openPair(t, transport, (socket) => socket.resume());
    for (const parts of [0, 3]) {
      const sending = client.send({
        method: 'PUT',
        body: (function* () {
          for (let count = 0; count < parts; count++) {
            yield Buffer.alloc(10);
          }
          throw new Error('no such file');
        })(),
        size: 1000,
      });
      await assert.rejects(sending, { message: 'no such file' });
      await server.closed();
    }
    assert.equal(client.endings, 2);
  });

  // A stream of Node's hands on nothing once a write has failed.
  for (const ending of transport.sharesBuffer ? /** @type {const} */ (['close', 'reset']) : []) {
    test(`an answer is read although writing has failed already, by a ${ending}, ${over}`, TIME_LIMIT, async (t) => {
      const { port, untilConnectionEnded } = await startServerThread(t, transport.useTls, {
        answer: REFUSAL,
        ending,
        afterBytes: 1,
      });
      const [client] = await openClients(t, port, transport);
      for (let count = 1; count <= 3; count++) {
        const body = countedBody(1024 * 1024 * 1024);
        const refused = await client.send({
          method: 'PUT',
          body: callingBefore(body, 3, untilConnectionEnded),
          size: 1024 * 1024 * 1024,
        });
        assert.deepEqual([refused.status, String(refused.body)], [403, 'refused']);
        assert.deepEqual(client.traces, { isSent: true, hasWaited: false, hasAnswerBegun: true });
        assert.deepEqual([client.agent.opened, client.endings], [count, count]);
      }
    });
  }

  test(`writing that fails without an answer fails the request soon, ${over}`, TIME_LIMIT, async (t) => {
    const { port, untilConnectionEnded } = await startServerThread(t, transport.useTls, {
      answer: '',
      ending: 'reset',
      afterBytes: 1,
    });
    const [client] = await openClients(t, port, transport);
    let turns = 0;
    const body = callingBefore(countedBody(1024 * 1024 * 1024), 3, () => {
      untilConnectionEnded();
      const count = () => {
        turns += 1;
        if (client.endings === 0) {
          setImmediate(count);
        }
      };
      count();
    });
    const error = await errorOf(client.send({ method: 'PUT', body, size: 1024 * 1024 * 1024 }));
    assert.ok(['ECONNRESET', 'EPIPE'].includes(error.code), error.code);
    assert.deepEqual(client.traces, { isSent: true, hasWaited: false, hasAnswerBegun: false });
    assert.ok(turns < 20, `it took ${turns} turns of the event loop`);
  });

  test(
    `an answer that is faster than the word that all was sent keeps the connection, ${over}`,
    TIME_LIMIT,
    async (t) => {
      const { port } = await startServerThread(t, transport.useTls, { answer: OK, ending: 'none', afterBytes: 1000 });
      const [client] = await openClients(t, port, transport);
      for (const [from, later] of /** @type {[string, (send: () => void) => unknown][]} */ ([
        ['a timer', (send) => setTimeout(send)],
        ['an immediate', (send) => setImmediate(send)],
        ['a callback', (send) => send()],
      ])) {
        for (const body of [Buffer.alloc(1000), [Buffer.alloc(1000)]]) {
          client.sent = 0;
          const answer = await new Promise((resolve, reject) => {
            later(() => {
              client.send({ method: 'PUT', body, size: 1000 }).then(resolve, reject);
              blockEventLoop(30);
            });
          });
          assert.equal(answer.status, 200);
          assert.deepEqual([client.agent.opened, client.sent], [1, 1000], `from ${from}`);
        }
      }
      assert.equal(client.endings, 6);
    },
  );
}

test('requests over a connection of our own are written in one go', TIME_LIMIT, async (t) => {
  /** @type {number[]} */
  const lengths = [];
  const { client } = await openPair(t, TRANSPORTS[0], (socket) => {
    socket.on('data', (chunk) => {
      lengths.push(chunk.length);
      socket.write(OK);
    });
  });
  for (const size of [1, 10_000]) {
    await client.send(upload(size));
  }
  const [head] = lengths.map((length, index) => length - [1, 10_000][index]);
  assert.ok(head > 0);
  assert.equal(lengths.length, 2);
});

for (const transport of TRANSPORTS) {
  test(
    `whatever a server does, each request ends once, with what was sent, ${transport.over}`,
    TIME_LIMIT,
    async (t) => {
      /** @typedef {'answer' | 'part' | 'rest' | 'end' | 'reset' | 'pause' | 'resume' | 'wait' | 'garbage'} Step */
      const step = fc.constantFrom(
        .../** @type {Step[]} */ ([
          'answer',
          'answer',
          'part',
          'rest',
          'end',
          'reset',
          'pause',
          'resume',
          'wait',
          'garbage',
        ]),
      );
      const behaviour = fc.record({
        isEarly: fc.boolean(),
        steps: fc.array(step, { maxLength: 6 }),
        framing: fc.constantFrom('length', 'chunked', 'close'),
        size: fc.constantFrom(0, 1, 100, 70_000, 600_000),
      });
      const command = fc.record({
        method: fc.constantFrom('GET', 'PUT', 'HEAD'),
        size: fc.constantFrom(0, 1, 5000, 300_000, 3_000_000),
        inPieces: fc.boolean(),
        abort: fc.constantFrom('never', 'never', 'never', 'at once', 'soon', 'within'),
      });
      /** @type {{ isEarly: boolean, steps: Step[], framing: string, size: number }[]} */
      let script = [];
      let turn = 0;
      const { clients } = await openPair(
        t,
        transport,
        (socket, reset) => {
          let received = Buffer.alloc(0);
          let isAnswering = false;
          socket.on('data', async (chunk) => {
            received = Buffer.concat([received, chunk]);
            const headEnd = received.indexOf('\r\n\r\n') + 4;
            const head = received.toString('latin1', 0, headEnd);
            const end = headEnd + Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
            const { isEarly, steps, framing, size } = script[turn % script.length];
            if (headEnd < 4 || isAnswering || (!isEarly && received.length < end)) {
              return;
            }
            isAnswering = true;
            turn += 1;
            const answer = answerOf(framing, pattern(size, size), head.startsWith('HEAD'));
            let written = 0;
            for (const action of /** @type {Step[]} */ ([...steps, 'rest', 'resume'])) {
              if (action === 'answer' || action === 'rest') {
                socket.write(answer.subarray(written));
                written = answer.length;
              } else if (action === 'part') {
                socket.write(answer.subarray(written, (written += 1 + (answer.length >> 1))));
              } else if (action === 'end') {
                socket.end();
              } else if (action === 'reset' && socket.writableEnded) {
                // Node cannot reset what it has ended, and would wait for it at its own end for ever.
                socket.destroy();
              } else if (action === 'reset') {
                reset();
              } else if (action === 'pause' || action === 'resume') {
                socket[action]();
              } else if (action === 'wait') {
                await nextTurn();
              } else if (written === 0 || written >= answer.length) {
                socket.write('?');
              }
            }
            if (framing === 'close' && !head.startsWith('HEAD')) {
              socket.end();
            }
            received = received.subarray(Math.min(end, received.length));
            isAnswering = false;
          });
        },
        { clients: 1 },
      );
      const [client] = clients;
      await fc.assert(
        fc.asyncProperty(
          fc.array(behaviour, { minLength: 1, maxLength: 3 }),
          fc.array(command, { minLength: 1, maxLength: 3 }),
          async (behaviours, commands) => {
            script = behaviours;
            turn = 0;
            client.connection.close();
            for (const { method, size, inPieces, abort } of commands) {
              const before = client.endings;
              const bytes = Buffer.alloc(size);
              client.onChunk = () => {
                if (abort === 'within') {
                  client.connection.abort(new Error('aborted'));
                }
              };
              const ending = client
                .send(method === 'PUT' ? { method, body: inPieces ? [bytes] : bytes, size } : { method })
                .then(
                  (answer) => ({ answer, error: null }),
                  (error) => ({ answer: null, error }),
                );
              if (abort === 'at once') {
                client.connection.abort(new Error('aborted'));
              } else if (abort === 'soon') {
                await nextTurn();
                client.connection.abort(new Error('aborted'));
              }
              // A server that never answers is given up, as the deadline of an attempt does.
              const deadline = setTimeout(() => client.connection.abort(new Error('deadline')), 300);
              const { answer, error } = await ending;
              clearTimeout(deadline);
              assert.equal(client.endings, before + 1);
              if (answer !== null && method !== 'HEAD') {
                assert.ok(answer.body.equals(pattern(answer.body.length, answer.body.length)));
              }
              if (error !== null && error.message === 'aborted') {
                assert.notEqual(abort, 'never');
              }
              assert.equal(client.connection.isSent || error !== null, true);
              assert.equal(answer === null || client.connection.hasAnswerBegun, true);
            }
            const { endings } = client;
            await nextTurn();
            assert.equal(client.endings, endings);
            assert.equal(client.endings, client.requests);
          },
        ),
        { numRuns: cases(200) },
      );
    },
  );
}

/**
 * @param {string} framing
 * @param {Buffer} object
 * @param {boolean} isHead
 */
function answerOf(framing, object, isHead) {
  const fields = { length: `content-length: ${object.length}\r\n`, chunked: 'transfer-encoding: chunked\r\n' };
  const head = `HTTP/1.1 200 OK\r\n${fields[/** @type {'length' | 'chunked'} */ (framing)] ?? ''}\r\n`;
  if (isHead) {
    return Buffer.from(head);
  }
  return framing === 'chunked'
    ? Buffer.concat([
        Buffer.from(head),
        ...(object.length > 0 ? [Buffer.from(`${object.length.toString(16)}\r\n`), object, Buffer.from('\r\n')] : []),
        Buffer.from('0\r\n\r\n'),
      ])
    : Buffer.concat([Buffer.from(head), object]);
}

/**
 * A server that lives on while our event loop is blocked.
 *
 * @param {TestContext} t
 * @param {boolean} useTls
 * @param {{ answer: string, afterBytes: number, ending: 'none' | 'close' | 'reset' }} behaviour
 * @returns {Promise<{ port: number, untilConnectionEnded: () => void }>} the second blocks the event loop until the server
 *   has ended one more connection
 */
async function startServerThread(t, useTls, behaviour) {
  const endings = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(`(${serveInThread})(require)`, {
    eval: true,
    workerData: { ...behaviour, certificate: useTls ? await testCertificate() : null, endings },
  });
  t.after(() => worker.terminate());
  const [port] = await once(worker, 'message');
  let awaited = 0;
  return {
    port,
    untilConnectionEnded() {
      assert.notEqual(Atomics.wait(endings, 0, awaited, TIME_LIMIT.timeout), 'timed-out');
      awaited += 1;
    },
  };
}

/** @param {NodeJS.Require} load */
function serveInThread(load) {
  /** @type {typeof import('node:worker_threads')} */
  const { parentPort, workerData } = load('node:worker_threads');
  /** @type {typeof import('node:net')} */
  const { createServer } = load('node:net');
  /** @type {typeof import('node:tls')} */
  const { TLSSocket, createSecureContext } = load('node:tls');
  const { answer, afterBytes, ending, certificate, endings } = workerData;
  const secureContext = certificate === null ? undefined : createSecureContext(certificate);
  const server = createServer((raw) => {
    raw.on('error', () => {});
    raw.on('close', () => {
      Atomics.add(endings, 0, 1);
      Atomics.notify(endings, 0);
    });
    const socket = certificate === null ? raw : new TLSSocket(raw, { isServer: true, secureContext });
    socket.on('error', () => {});
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (received < afterBytes) {
        return;
      }
      received = 0;
      if (ending !== 'none') {
        socket.pause();
      }
      socket.write(answer, () => {
        if (ending === 'reset') {
          raw.resetAndDestroy();
        } else if (ending === 'close') {
          socket.destroy();
        }
      });
    });
  });
  server.listen(0, '127.0.0.1', () =>
    parentPort?.postMessage(/** @type {import('node:net').AddressInfo} */ (server.address()).port),
  );
}

/**
 * @param {Iterable<Buffer>} body
 * @param {number} place the piece before which the function is called, from 1 on
 * @param {() => void} call
 */
function* callingBefore(body, place, call) {
  let count = 0;
  for (const piece of body) {
    count += 1;
    if (count === place) {
      call();
    }
    yield piece;
  }
}

/** @param {number} milliseconds */
function blockEventLoop(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
