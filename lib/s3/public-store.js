import { plainText } from '../text/plain-text.js';
import { AddressBook } from '../http/address-book.js';
import { isNamed } from '../http/response-parser.js';
import { endpointUrl } from './address.js';
import { CACHE_HEADERS, cacheStatusOf, isCopy } from './cache-status.js';
import { DirectConnection, DirectStore } from './direct-store.js';
import { S3_CALLS } from './s3-calls.js';
import { AttemptError, THROTTLED } from './s3-error.js';

/**
 * @import { KeepAliveAgent } from '../http/keep-alive-agent.js'
 * @import { ObjectConnection, ObjectRequest, ObjectStore, StoreOptions } from './object-store.js'
 * @import { S3Call } from './s3-calls.js'
 * @import { RequestSigner } from './sigv4.js'
 */

/** The headers that every read sends. Without `identity`, a server could compress the objects that we verify. */
const HEADERS = Object.freeze(['accept-encoding', 'identity', 'user-agent', 'r2-benchmark']);

/** @type {Pick<RequestSigner, 'sign' | 'signHeaders' | 'signCopy' | 'presign'>} */
const UNSIGNED = Object.freeze({
  sign: () => [...HEADERS],
  signHeaders: (_method, _path, _hashed, _query, headers) => [...headers.flat(), ...HEADERS],
  presign: (_method, path) => path,
  signCopy() {
    throw new RangeError('expected a request that reads an object');
  },
});

/**
 * The public client reads objects as visitors do, with unsigned requests to a public address, such as a custom domain
 * with a cache. All other requests use the S3 API, as the direct client's do.
 *
 * @implements {ObjectStore}
 */
export class PublicStore {
  #options;
  #url;
  #api;
  /** Keyed by host. @type {ReadonlyMap<string, KeepAliveAgent>} */
  #agents;
  /** @type {PublicConnection[]} */
  #connections = [];

  /** @param {StoreOptions} options */
  constructor(options) {
    if (options.publicUrl === undefined) {
      throw new RangeError('expected the public URL to read from (--public-url or PUBLIC_URL)');
    }
    this.#options = options;
    this.#url = options.publicUrl;
    this.#api = new DirectStore(options);
    const hosts = new Set(options.buckets.map((bucket) => this.#hostOf(bucket)));
    this.#agents = new Map([...hosts].map((hostname) => [hostname, this.#openAgent(hostname)]));
  }

  openConnection() {
    const connection = new PublicConnection(
      this.#api.openConnection(),
      (bucket) => this.#hostOf(bucket),
      this.#openReader,
    );
    this.#connections.push(connection);
    return connection;
  }

  async close() {
    this.#connections.forEach((connection) => connection.close());
    await this.#api.close();
  }

  /** @param {string} bucket */
  #hostOf(bucket) {
    return this.#url.hostname.replace('{bucket}', bucket);
  }

  /** @type {(hostname: string) => PublicReader} */
  #openReader = (hostname) => {
    const { port, useTls, basePath, bucketInPath } = this.#url;
    const url = endpointUrl({ hostname, port, useTls, basePath });
    return new PublicReader(new URL(url).host, url, {
      ...this.#options,
      hostname,
      port,
      useTls,
      basePath,
      agent: /** @type {KeepAliveAgent} */ (this.#agents.get(hostname)),
      addressing: bucketInPath ? 'path' : 'virtual',
    });
  };

  /** @param {string} hostname */
  #openAgent(hostname) {
    const { port, useTls, proxy } = this.#url;
    const { agent, family, now } = this.#options;
    const addresses = new AddressBook(proxy?.hostname ?? hostname, now, family);
    return agent.openBeside({ hostname, port, useTls, proxy, addresses });
  }
}

/**
 * One thread's connections: one to the S3 API, and one to each public host that it reads from. Only one attempt runs at
 * a time. Most properties are those of the connection that the last attempt used.
 *
 * @implements {ObjectConnection}
 */
class PublicConnection {
  #api;
  #hostOf;
  #openReader;
  /** Keyed by host. @type {Map<string, PublicReader>} */
  #readers = new Map();
  /** @type {DirectConnection} */
  #active;
  #startedAt = 0;
  movedBefore = 0;

  /**
   * @param {DirectConnection} api
   * @param {(bucket: string) => string} hostOf
   * @param {(hostname: string) => PublicReader} openReader
   */
  constructor(api, hostOf, openReader) {
    this.#api = api;
    this.#hostOf = hostOf;
    this.#openReader = openReader;
    this.#active = api;
  }

  /**
   * @param {S3Call} call
   * @param {ObjectRequest} request
   */
  send(call, request) {
    this.movedBefore = this.moved;
    const reader = readsObject(call) && request.byApi !== true ? this.#readerFor(request.bucket) : null;
    this.#active = reader ?? this.#api;
    this.#active.startedAt = this.#startedAt;
    const sent = this.#active.send(call, request);
    return reader === null
      ? sent
      : sent.catch((error) => {
          throw reader.explained(error);
        });
  }

  get reply() {
    return this.#active.reply;
  }

  get startedAt() {
    return this.#startedAt;
  }

  set startedAt(moment) {
    this.#startedAt = moment;
  }

  get moved() {
    let moved = this.#api.moved;
    this.#readers.forEach((reader) => (moved += reader.moved));
    return moved;
  }

  get answeredAt() {
    return this.#active.answeredAt;
  }

  get idleSince() {
    return this.#active.idleSince;
  }

  set idleSince(moment) {
    this.#active.idleSince = moment;
  }

  transfer() {
    return this.#active.transfer();
  }

  /** @param {AttemptError} error */
  abort(error) {
    this.#active.abort(error);
  }

  close() {
    this.#readers.forEach((reader) => reader.close());
  }

  /** @param {string} bucket */
  #readerFor(bucket) {
    const hostname = this.#hostOf(bucket);
    const reader = this.#readers.get(hostname) ?? this.#openReader(hostname);
    this.#readers.set(hostname, reader);
    return reader;
  }
}

const DECIMAL = /^[0-9]{1,9}$/;

const HTML = /^text\/html\b/i;

/** In messages, the address of a redirect is cut to this many characters. */
const MAX_LOCATION = 200;

/**
 * @param {AttemptError} error of a request to the public URL
 * @param {string} location the Location header of the response
 * @returns {string} what the user can check
 */
function adviceOf({ kind, status }, location) {
  if (kind === 'redirect') {
    const place = location === '' ? 'elsewhere' : `to ${plainText(location)}`;
    return `it redirects ${place}, but redirects are not followed: set --public-url to the address that serves the objects`;
  }
  if (kind === THROTTLED) {
    return 'it rate-limits requests: check for a rate limiting rule, or Cloudflare error 1015; r2.dev addresses are always rate-limited';
  }
  if (status === 401 || status === 403) {
    return 'the objects must be publicly readable: check that public access is on, and that no bot challenge, WAF rule or Access login blocks it';
  }
  if (status === 404) {
    return "it does not have an object that the S3 API has: check that it is this bucket's address, and that the bucket's public access is on";
  }
  return status === 0
    ? 'check --public-url, or PUBLIC_URL'
    : "the server at this address does not serve the bucket's objects";
}

class PublicReader extends DirectConnection {
  #url;
  /** The index in CACHE_HEADERS of the first header found so far. */
  #header = CACHE_HEADERS.length;
  /** The target of a redirect. */
  #location = '';

  /**
   * @param {string} host the value of the Host header
   * @param {string} url for messages
   * @param {StoreOptions} options
   */
  constructor(host, url, options) {
    super(host, UNSIGNED, options);
    this.#url = url;
    this.reply.publicUrl = url;
  }

  /** Adds the public URL, and advice on what to check, to an attempt's error. @param {unknown} error */
  explained(error) {
    if (error instanceof AttemptError) {
      error.publicUrl = this.#url;
      error.advice = adviceOf(error, this.#location);
    }
    return error;
  }

  /**
   * @param {S3Call} call
   * @param {ObjectRequest} request
   */
  send(call, request) {
    this.#header = CACHE_HEADERS.length;
    this.reply.cacheStatus = 'none';
    this.reply.isCopy = false;
    this.reply.isPage = false;
    this.#location = '';
    this.reply.age = -1;
    return super.send(call, request);
  }

  /**
   * @param {Buffer} bytes
   * @param {number} name
   * @param {number} nameEnd
   * @param {number} value
   * @param {number} valueEnd
   * @param {number} status
   */
  onHeader(bytes, name, nameEnd, value, valueEnd, status) {
    super.onHeader(bytes, name, nameEnd, value, valueEnd, status);
    const header = CACHE_HEADERS.findIndex((each) => isNamed(bytes, name, nameEnd, each));
    if (header >= 0 && header < this.#header) {
      this.#header = header;
      const cacheStatus = cacheStatusOf(header, bytes.toString('latin1', value, valueEnd));
      this.reply.cacheStatus = cacheStatus;
      this.reply.isCopy = isCopy(cacheStatus);
    } else if (isNamed(bytes, name, nameEnd, 'age')) {
      const age = bytes.toString('latin1', value, valueEnd);
      this.reply.age = DECIMAL.test(age) ? Number(age) : -1;
    } else if (isNamed(bytes, name, nameEnd, 'content-type')) {
      this.reply.isPage = HTML.test(bytes.toString('latin1', value, valueEnd));
    } else if (status >= 300 && isNamed(bytes, name, nameEnd, 'location')) {
      this.#location = bytes.toString('latin1', value, Math.min(valueEnd, value + MAX_LOCATION));
    }
  }
}

/** @param {S3Call} call */
function readsObject(call) {
  return call === S3_CALLS.GetObject || call === S3_CALLS.HeadObject;
}
