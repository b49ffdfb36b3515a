import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { AddressBook } from './address-book.js';
import {
  closedWhileOpening,
  connectTimeoutError,
  givenUpWhileOpening,
  isOurs,
  proxyRefused,
} from './connection-errors.js';
import { openSharing, readFrom } from './socket-reader.js';

/**
 * @import { Socket } from 'node:net'
 * @import { SecureContext } from 'node:tls'
 */

/** Limit on connections being opened at once: with thousands, many would time out. */
const OPENING_AT_ONCE = 64;

const TCP_KEEP_ALIVE_DELAY_MS = 30_000;

/**
 * @typedef {object} ConnectionHooks
 * @property {(milliseconds: { tcp: number, tls: number | null }) => void} opened called with the time of each step
 * @property {(socket: Socket) => void} [ready] called before a connection carries its first request
 */

/**
 * @callback SocketCallback
 * @param {Error | null} error
 * @param {Socket | null} socket
 * @param {boolean} openedAhead whether the connection was opened earlier, so that the store may have closed it since
 * @returns {void}
 */

/** @typedef {{ socket: Socket, release: () => void }} IdleConnection not yet in use; `release` stops watching it */

/**
 * The only class that opens connections to a store. Our own connections take their sockets from it, and so does the
 * SDK's agent, through `createConnection`. This class resolves the host's name once, shares one TLS session cache and
 * one set of trusted certificates, opens a run's connections before the first request, and counts them.
 */
export class KeepAliveAgent {
  #options;
  /** Agents for other hosts. @type {Map<string, KeepAliveAgent>} */
  #beside = new Map();
  /** Connections that were opened ahead and are not in use yet. @type {Set<IdleConnection>} */
  #idle = new Set();
  /** All sockets that have not closed yet. @type {Set<Socket>} */
  #open = new Set();
  #isClosed = false;
  #gate = new Gate(OPENING_AT_ONCE);
  /** Sockets whose connection is still being established. @type {Set<Socket>} */
  #opening = new Set();
  /** @type {SecureContext | undefined} */
  #secureContext;
  /** @type {Buffer | undefined} */
  #session;
  /** Number of open sockets that carry a tunnel. The connection inside the tunnel is a separate socket. */
  #carriers = 0;
  /** Number of connections opened so far. */
  opened = 0;
  /** Number of requests on a connection that had already carried one. The clients increment this count. */
  reused = 0;
  /** Total ms that requests waited for a socket, for a client with a limit on its sockets. The client adds to it. */
  socketWait = 0;

  /**
   * @param {object} options
   * @param {string} options.hostname expected in the server's certificate
   * @param {AddressBook} options.addresses of the host, or of the proxy
   * @param {number} options.port
   * @param {boolean} options.useTls
   * @param {string} [options.certificate] PEM of the only authority to trust, in place of the system's
   * @param {Proxy} [options.proxy] for all connections
   * @param {number} options.connectTimeout ms for TCP, tunnel and TLS together
   * @param {Buffer | null} [options.readBuffer] a buffer that all sockets read into; their bytes are then available
   *   only through socket-reader.js. Without it, the sockets are ordinary streams
   * @param {() => number} options.now monotonic ms
   * @param {ConnectionHooks} options.hooks
   */
  constructor(options) {
    this.#options = options;
  }

  /**
   * The agent for another host. Its connections are opened ahead, counted and closed together with this agent's.
   *
   * @param {Pick<ConstructorParameters<typeof KeepAliveAgent>[0], 'hostname' | 'port' | 'useTls' | 'proxy'> &
   *   { family?: 4 | 6 }} address
   */
  beside({ family, ...address }) {
    const { hostname, proxy } = address;
    const agent =
      this.#beside.get(hostname) ??
      new KeepAliveAgent({
        ...this.#options,
        // It is for the S3 API alone.
        certificate: undefined,
        ...address,
        addresses: new AddressBook(proxy?.hostname ?? hostname, this.#options.now, family),
      });
    this.#beside.set(hostname, agent);
    return agent;
  }

  /** The sums of the counts of this agent and its agents for other hosts. */
  get counts() {
    return [...this.#beside.values()].reduce(
      ({ opened, reused, open }, agent) => ({
        opened: opened + agent.opened,
        reused: reused + agent.reused,
        open: open + agent.open,
      }),
      { opened: this.opened, reused: this.reused, open: this.open },
    );
  }

  /** Number of connections that are open and ready. */
  get open() {
    return Math.max(this.#open.size - this.#opening.size - this.#carriers, 0);
  }

  /** @returns {number | null} duration of the name look-up in ms; null if there was none since the last call */
  takeLookupTime() {
    return this.#options.addresses.takeLookupTime();
  }

  /**
   * Opens up to `count` connections to each host and keeps them until requests need them. A connection that fails to
   * open now is opened when a request needs it.
   *
   * @param {number} count
   * @param {AbortSignal} signal stops opening more
   * @returns {Promise<{ failed: number, lastError: Error | null }>}
   */
  async openAhead(count, signal) {
    const own = this.#openAhead(count, signal);
    const all = await Promise.all([own, ...[...this.#beside.values()].map((agent) => agent.openAhead(count, signal))]);
    return {
      failed: all.reduce((sum, { failed }) => sum + failed, 0),
      lastError: all.find(({ lastError }) => lastError !== null)?.lastError ?? null,
    };
  }

  /**
   * @param {number} count
   * @param {AbortSignal} signal
   * @returns {Promise<{ failed: number, lastError: Error | null }>}
   */
  async #openAhead(count, signal) {
    const missing = Math.max(count - this.#idle.size, 0);
    const aborted = signal.aborted ? null : once(signal, 'abort');
    try {
      // The look-up itself cannot be aborted.
      await Promise.race([this.#options.addresses.peek(), aborted]);
    } catch (error) {
      return { failed: missing, lastError: /** @type {Error} */ (error) };
    }
    if (signal.aborted) {
      return { failed: 0, lastError: null };
    }
    const giveUp = () => this.#giveUpOpening();
    signal.addEventListener('abort', giveUp, { once: true });
    const opened = await Promise.allSettled(
      Array.from({ length: missing }, async () => this.#keepIdle(await this.#openSocket(() => !signal.aborted))),
    );
    signal.removeEventListener('abort', giveUp);
    const failures = opened.filter((each) => each.status === 'rejected');
    return { failed: failures.length, lastError: failures.at(-1)?.reason ?? null };
  }

  /**
   * Provides a connection: one that was opened ahead if available, otherwise a new one.
   *
   * @param {SocketCallback} callback
   * @param {() => boolean} [isWanted] called just before a new connection is opened, possibly after a long wait;
   *   returns false if no request needs the connection any more
   */
  connect(callback, isWanted = () => true) {
    for (const idle of this.#idle) {
      this.#idle.delete(idle);
      idle.release();
      if (!idle.socket.destroyed) {
        // Call back asynchronously, as for a new connection.
        queueMicrotask(() => callback(null, idle.socket, true));
        return;
      }
    }
    this.#openSocket(isWanted).then(
      (socket) => callback(null, socket, false),
      (error) => callback(error, null, false),
    );
  }

  close() {
    this.#isClosed = true;
    this.#beside.forEach((agent) => agent.close());
    this.#giveUpOpening();
    for (const socket of this.#open) {
      socket.destroy();
    }
  }

  #giveUpOpening() {
    this.#opening.forEach((socket) => socket.destroy(givenUpWhileOpening()));
  }

  /** @param {() => boolean} isWanted */
  async #openSocket(isWanted) {
    await this.#gate.enter();
    try {
      return await this.#openToSomeAddress(() => !this.#isClosed && isWanted());
    } finally {
      this.#gate.leave();
    }
  }

  /** @param {() => boolean} isWanted */
  async #openToSomeAddress(isWanted) {
    // Each address is tried once, even if the name is looked up again in the meantime.
    /** @type {Set<string>} */
    const tried = new Set();
    for (;;) {
      const address = await this.#options.addresses.next();
      if (!isWanted()) {
        throw closedWhileOpening();
      }
      tried.add(address);
      try {
        const socket = await this.#connectTo(address);
        this.opened += 1;
        this.#options.hooks.ready?.(socket);
        return socket;
      } catch (error) {
        // Skip an unresponsive address even if no request needs this connection any more: others will need one.
        const hasOther = !isOurs(error) && (await this.#options.addresses.drop(address));
        if (!hasOther || !isWanted() || tried.has(await this.#options.addresses.peek())) {
          throw error;
        }
      }
    }
  }

  /** @param {string} host an address */
  #connectTo(host) {
    const startedAt = this.#options.now();
    if (this.#options.proxy !== undefined) {
      return this.#connectThrough(this.#options.proxy, host, startedAt);
    }
    let connectedAt = startedAt;
    const socket = this.#startConnecting({ host, port: this.#options.port });
    socket.once('connect', () => (connectedAt = this.#options.now()));
    return this.#untilReady(socket, this.#options.useTls, () => this.#reportCost(startedAt, connectedAt));
  }

  /**
   * @param {Proxy} proxy
   * @param {string} host an address of the proxy
   * @param {number} startedAt monotonic ms
   */
  async #connectThrough({ port, authorization }, host, startedAt) {
    const carrier = connectTcp({ host, port });
    // Without a listener, an error would end the process. Users of the connection are notified when it closes.
    carrier.on('error', () => {});
    await this.#untilReady(carrier, false, () => {});
    this.#opening.add(carrier);
    const timeout = this.#options.connectTimeout;
    carrier.setTimeout(timeout, () => carrier.destroy(connectTimeoutError(timeout)));
    try {
      await openTunnel(carrier, { hostname: this.#options.hostname, port: this.#options.port }, authorization);
    } catch (error) {
      carrier.destroy();
      throw error;
    }
    this.#opening.delete(carrier);
    carrier.setTimeout(0).removeAllListeners('timeout');
    const connectedAt = this.#options.now();
    if (!this.#options.useTls) {
      this.#reportCost(startedAt, connectedAt);
      return carrier;
    }
    this.#carriers += 1;
    carrier.once('close', () => (this.#carriers -= 1));
    return this.#untilReady(this.#startConnecting({ socket: carrier }), true, () =>
      this.#reportCost(startedAt, connectedAt),
    );
  }

  /**
   * @param {number} startedAt monotonic ms
   * @param {number} connectedAt monotonic ms
   */
  #reportCost(startedAt, connectedAt) {
    this.#options.hooks.opened({
      tcp: connectedAt - startedAt,
      tls: this.#options.useTls ? this.#options.now() - connectedAt : null,
    });
  }

  /**
   * @param {Socket} socket that is being connected
   * @param {boolean} isTls
   * @param {() => void} onReady called synchronously once it is connected
   * @returns {Promise<Socket>}
   */
  #untilReady(socket, isTls, onReady) {
    this.#open.add(socket);
    this.#opening.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#opening.delete(socket);
    });
    socket.setNoDelay(true).setKeepAlive(true, TCP_KEEP_ALIVE_DELAY_MS);
    if (isTls) {
      socket.on('session', (/** @type {Buffer} */ session) => (this.#session = session));
    }
    return new Promise((resolve, reject) => {
      const fail = (/** @type {Error} */ error) => {
        socket.destroy();
        reject(error);
      };
      socket.setTimeout(this.#options.connectTimeout, () => fail(connectTimeoutError(this.#options.connectTimeout)));
      socket.once('error', fail);
      socket.once('close', () => reject(closedWhileOpening()));
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        this.#opening.delete(socket);
        socket.setTimeout(0).removeAllListeners('timeout').removeListener('error', fail);
        onReady();
        resolve(socket);
      });
    });
  }

  /** @param {{ host: string, port: number } | { socket: Socket }} target an address, or an existing connection */
  #startConnecting(target) {
    const options = { ...target, ...(this.#options.useTls ? this.#tlsOptions() : {}) };
    const connect = /** @type {(options: object) => Socket} */ (this.#options.useTls ? connectTls : connectTcp);
    // Node does not support a shared read buffer for TLS over another socket.
    return !this.#options.readBuffer || 'socket' in target
      ? connect(options)
      : openSharing(this.#options.readBuffer, (onread) => connect({ ...options, onread }));
  }

  #tlsOptions() {
    this.#secureContext ??= createSecureContext({ ca: this.#options.certificate });
    return {
      secureContext: this.#secureContext,
      session: this.#session,
      ALPNProtocols: ['http/1.1'],
      servername: isIP(this.#options.hostname) === 0 ? this.#options.hostname : '',
    };
  }

  /**
   * Keeps a connection until a request needs it. Any event before then means that it has ended, or that the other side
   * has sent unsolicited bytes.
   *
   * @param {Socket} socket
   */
  #keepIdle(socket) {
    const discard = () => {
      this.#idle.delete(idle);
      socket.destroy();
    };
    const idle = { socket, release: () => {} };
    if (!this.#options.readBuffer) {
      socket.once('readable', discard).once('error', discard);
      idle.release = () => socket.removeListener('readable', discard).removeListener('error', discard);
    } else {
      readFrom(socket, discard);
      socket.once('end', discard).once('error', discard);
      idle.release = () => socket.removeListener('end', discard).removeListener('error', discard);
    }
    this.#idle.add(idle);
  }
}

/** A semaphore: it admits a limited number of callers at a time, and the others wait in order of arrival. */
class Gate {
  #free;
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @param {number} width */
  constructor(width) {
    this.#free = width;
  }

  /** @returns {Promise<void>} resolves when the caller is admitted; the caller must call `leave` afterwards */
  async enter() {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
  }

  leave() {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#free += 1;
    } else {
      next();
    }
  }
}

/** @typedef {{ hostname: string, port: number, authorization?: string }} Proxy `authorization`: a header value */

/**
 * Asks a proxy for a tunnel (CONNECT, RFC 9110, section 9.3.6).
 *
 * @param {Socket} socket connected to the proxy
 * @param {{ hostname: string, port: number }} target
 * @param {string} [authorization] see {@link Proxy}
 * @returns {Promise<void>} resolves once bytes written to the socket reach the target; rejects if the proxy refuses or
 *   the socket closes
 */
export function openTunnel(socket, { hostname, port }, authorization) {
  const authority = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
  const headers = { host: authority, ...(authorization !== undefined && { 'proxy-authorization': authorization }) };
  return new Promise((resolve, reject) => {
    httpRequest({ createConnection: () => socket, method: 'CONNECT', path: authority, headers })
      .once('connect', ({ statusCode = 0, statusMessage }) =>
        statusCode >= 200 && statusCode < 300
          ? resolve()
          : reject(proxyRefused(`${statusCode} ${statusMessage}`.trim())),
      )
      .once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
        reject(error.code?.startsWith('HPE_') ? proxyRefused('with something other than HTTP') : error),
      )
      .end();
  });
}
