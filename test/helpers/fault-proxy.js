import { once } from 'node:events';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { route } from '../../lib/local-s3/router.js';
import { freePort } from './free-port.js';

/**
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 * @import { Socket } from 'node:net'
 * @import { TestContext } from 'node:test'
 * @import { Operation } from '../../lib/local-s3/router.js'
 *
 * @typedef {object} StoreAnswer
 * @property {number} status
 * @property {string[]} headers alternating names and values
 * @property {Buffer} body
 *
 * @typedef {(exchange: Exchange) => Promise<void> | void} Treatment handles a request
 * @typedef {'reset' | 'close'} ConnectionEnd with RST, or with FIN
 */

const OBJECT_NAME = /\/[0-9a-f]{8}-(\d+)$/;

/** A request on its way to the store, and its response. */
export class Exchange {
  #request;
  #response;
  #upstream;

  /**
   * @param {object} parts
   * @param {IncomingMessage} parts.request
   * @param {ServerResponse} parts.response
   * @param {Buffer} parts.body
   * @param {http.RequestOptions} parts.upstream address of the store
   * @param {number} parts.earlier
   */
  constructor({ request, response, body, upstream, earlier }) {
    this.#request = request;
    this.#response = response;
    this.#upstream = upstream;
    this.earlier = earlier;
    const { operation, target } = routeOf(request);
    this.operation = operation;
    this.query = target.query;
    this.bucket = target.bucket;
    this.headers = request.headers;
    this.body = body;
    /** Index of the object in its run; -1 if the request is not for an object. */
    this.index = Number(OBJECT_NAME.exec(target.key)?.[1] ?? -1);
  }

  async pass() {
    this.respond(await this.forward());
  }

  /**
   * Forwards the request to the store, but withholds the response.
   *
   * @returns {Promise<StoreAnswer>}
   */
  async forward() {
    const { method, url, rawHeaders } = this.#request;
    const request = http.request({ ...this.#upstream, method, path: url, headers: rawHeaders, setHost: false });
    request.end(this.body);
    const [answer] = /** @type {[IncomingMessage]} */ (await once(request, 'response'));
    return { status: Number(answer.statusCode), headers: answer.rawHeaders, body: await buffer(answer) };
  }

  /** @param {StoreAnswer} answer */
  respond({ status, headers, body }) {
    if (!this.#response.destroyed) {
      this.#response.writeHead(status, headers).end(body);
    }
  }

  /**
   * @param {number} status
   * @param {string} code of the S3 error
   * @param {Record<string, string | number>} [headers]
   */
  refuse(status, code, headers = {}) {
    const body = Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>So it is.</Message></Error>`);
    const all = { 'Content-Type': 'application/xml', 'Content-Length': body.length, ...headers };
    this.respond({ status, headers: Object.entries(all).flat().map(String), body });
  }

  /** Confirms a deletion without carrying it out. */
  confirmDeletion() {
    if (this.operation === 'DELETE') {
      this.respond({ status: 204, headers: [], body: Buffer.alloc(0) });
    } else {
      this.#respondPerKey((key) => `<Deleted>${key}</Deleted>`);
    }
  }

  /**
   * Refuses every key of a batch deletion.
   *
   * @param {string} code of the S3 error
   */
  refuseEach(code) {
    this.#respondPerKey((key) => `<Error>${key}<Code>${code}</Code><Message>So it is.</Message></Error>`);
  }

  /**
   * Responds to a list with one new key, and claims that there are more.
   *
   * @param {string} name of the key, which sorts after all others
   */
  listOneMore(name) {
    const content = `<Contents><Key>${this.query.prefix ?? ''}${name}</Key><Size>1</Size></Contents>`;
    this.respondDocument(`<ListBucketResult><IsTruncated>true</IsTruncated>${content}</ListBucketResult>`);
  }

  /** @param {(key: string) => string} describe */
  #respondPerKey(describe) {
    const keys = this.body.toString().match(/<Key>[^<]*<\/Key>/g) ?? [];
    this.respondDocument(`<DeleteResult>${keys.map(describe).join('')}</DeleteResult>`);
  }

  /** @param {string} document XML */
  respondDocument(document) {
    const body = Buffer.from(`<?xml version="1.0"?>${document}`);
    this.respond({ status: 200, headers: ['Content-Length', String(body.length)], body });
  }

  /**
   * Sends the first half of a response, and ends the connection.
   *
   * @param {StoreAnswer} answer
   * @param {ConnectionEnd} how
   */
  respondHalf({ status, headers, body }, how) {
    const lines = headers.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
    const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
    const whole = Buffer.concat([Buffer.from(head, 'latin1'), this.operation === 'HEAD' ? Buffer.alloc(0) : body]);
    this.#request.socket.write(whole.subarray(0, whole.length >>> 1), () => this.end(how));
  }

  /**
   * Ends the connection without a response.
   *
   * @param {ConnectionEnd} how
   */
  end(how) {
    const { socket } = this.#request;
    // Node 20 spins for ever in its own clean-up after a reset of a socket that has ended.
    if (how === 'reset' && !socket.writableEnded) {
      socket.resetAndDestroy();
    } else {
      socket.destroySoon();
    }
  }
}

/** A proxy between the program and its store. Tests control what it does to each request. */
class FaultProxy {
  #server;
  #upstream;
  /** @type {WeakMap<Socket, number>} */
  #served = new WeakMap();
  /** @type {Treatment} */
  treat;
  /** Requests that arrived completely. @type {Partial<Record<Operation, number>>} */
  requests = {};
  port = 0;

  /**
   * @param {number} storePort
   * @param {Treatment} treat
   */
  constructor(storePort, treat) {
    const agent = new http.Agent({ keepAlive: true });
    this.#upstream = { host: '127.0.0.1', port: storePort, agent };
    this.treat = treat;
    this.#server = http.createServer({ keepAliveTimeout: 0 });
    this.#server.on('request', (request, response) => void this.#handle(request, response));
  }

  /** Accepts connections, on the same port as before. */
  async start() {
    // A port that stays reserved while the proxy is stopped.
    this.port ||= await freePort();
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Breaks all connections and refuses new ones. */
  stop() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   */
  async #handle(request, response) {
    const earlier = this.#served.get(request.socket) ?? 0;
    this.#served.set(request.socket, earlier + 1);
    const body = await buffer(request).catch(() => null);
    if (body === null) {
      // The client went away during its request.
      return;
    }
    const { operation } = routeOf(request);
    this.requests[operation] = (this.requests[operation] ?? 0) + 1;
    await this.treat(new Exchange({ request, response, body, upstream: this.#upstream, earlier }));
  }
}

/** @param {IncomingMessage} request */
function routeOf({ method, url }) {
  return route(String(method), String(url));
}

/**
 * Starts a proxy before a store, and stops it after the test.
 *
 * @param {TestContext} t
 * @param {{ port: number }} store
 * @param {Treatment} [treat] by default, every request passes
 * @returns {Promise<FaultProxy>}
 */
export async function startFaultProxy(t, store, treat = (exchange) => exchange.pass()) {
  const proxy = new FaultProxy(store.port, treat);
  await proxy.start();
  t.after(() => proxy.stop());
  return proxy;
}
