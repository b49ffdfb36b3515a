import { isNamed } from './http/response-parser.js';
import { plainText } from '../text/plain-text.js';
import { endpointUrl } from './address.js';
import { DirectConnection, DirectStore } from './direct-store.js';
import { S3_CALLS } from './s3-calls.js';
import { AttemptError, THROTTLED } from './s3-error.js';

/**
 * @import { ObjectRequest, StoreOptions } from './object-store.js'
 * @import { PublicUrl } from '../result/config.js'
 * @import { S3Call } from './s3-calls.js'
 * @import { RequestSigner } from './sigv4.js'
 */

/** The headers that every read sends. Without `identity`, a server could compress the objects that we verify. */
const HEADERS = Object.freeze(['accept-encoding', 'identity', 'user-agent', 'r2-benchmark']);

/** @type {Pick<RequestSigner, 'sign' | 'signHeaders' | 'presign'>} */
const UNSIGNED = Object.freeze({
  sign: () => [...HEADERS],
  signHeaders: (_method, _path, _hashed, _query, headers) => [...headers.flat(), ...HEADERS],
  presign: (_method, path) => path,
});

/**
 * The public client reads objects as visitors do, with unsigned requests to a public address, such as a custom domain
 * with a cache. All other requests use the S3 API, as the direct client's do.
 */
export class PublicStore extends DirectStore {
  /** @param {StoreOptions} options */
  constructor(options) {
    super(options, PublicConnection);
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

/** One thread's connections: one to the S3 API, and one to each public host that it reads from. */
class PublicConnection extends DirectConnection {
  #api;
  /** Keyed by bucket. @type {Map<string, { url: string, route: DirectConnection['route'] }>} */
  #readers = new Map();
  /** The index in CACHE_HEADERS of the first header found so far. */
  #header = CACHE_HEADERS.length;
  /** The target of a redirect. */
  #location = '';

  /** @param {ConstructorParameters<typeof DirectConnection>} parameters */
  constructor(...parameters) {
    super(...parameters);
    const [, , options] = parameters;
    this.#api = this.route;
    const publicUrl = /** @type {PublicUrl} */ (options.publicUrl);
    const { port, useTls, basePath, bucketInPath, proxy } = publicUrl;
    /** @type {Map<string, DirectConnection['route']>} */
    const routes = new Map();
    for (const bucket of options.buckets) {
      const hostname = publicUrl.hostname.replace('{bucket}', bucket);
      const url = endpointUrl({ hostname, port, useTls, basePath });
      const route =
        routes.get(hostname) ??
        this.openRoute(new URL(url).host, UNSIGNED, {
          ...options,
          hostname,
          useTls,
          basePath,
          agent: options.agent.beside({ hostname, port, useTls, proxy, family: options.family }),
          addressing: bucketInPath ? 'path' : 'virtual',
        });
      routes.set(hostname, route);
      this.#readers.set(bucket, { url, route });
    }
  }

  /**
   * @param {S3Call} call
   * @param {ObjectRequest} request
   */
  send(call, request) {
    const isRead = call === S3_CALLS.GetObject || call === S3_CALLS.HeadObject;
    const reader = isRead && request.byApi !== true ? this.#readers.get(request.bucket) : undefined;
    this.route = reader?.route ?? this.#api;
    this.#header = CACHE_HEADERS.length;
    this.#location = '';
    this.reply.publicUrl = reader?.url;
    this.reply.cacheStatus = reader && 'none';
    this.reply.isCopy = false;
    this.reply.isPage = false;
    this.reply.age = -1;
    const sent = super.send(call, request);
    return reader === undefined
      ? sent
      : sent.catch((error) => {
          if (error instanceof AttemptError) {
            error.publicUrl = reader.url;
            error.advice = adviceOf(error, this.#location);
          }
          throw error;
        });
  }

  close() {
    this.#api.http.close();
    this.#readers.forEach(({ route }) => route.http.close());
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
    if (this.route === this.#api) {
      return;
    }
    const header = CACHE_HEADERS.findIndex((each) => isNamed(bytes, name, nameEnd, each));
    if (header >= 0 && header < this.#header) {
      this.#header = header;
      const cacheStatus = cacheStatusOf(bytes.toString('latin1', value, valueEnd));
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

/**
 * How a cache handled a request, in Cloudflare's terms:
 * https://developers.cloudflare.com/cache/concepts/cache-responses/.
 *
 * @typedef {'HIT' | 'MISS' | 'EXPIRED' | 'REVALIDATED' | 'STALE' | 'UPDATING' | 'BYPASS' | 'DYNAMIC' | 'other' |
 *   'none'} CacheStatus `none` if no header gives a status; `other` for any other status
 */

/** @type {readonly CacheStatus[]} */
const CACHE_STATUSES = ['HIT', 'MISS', 'EXPIRED', 'REVALIDATED', 'STALE', 'UPDATING', 'BYPASS', 'DYNAMIC'];

/** Headers that give the status. The first one present in a response counts. */
export const CACHE_HEADERS = Object.freeze(['cf-cache-status', 'x-cache', 'x-cache-status']);

/** Statuses of responses that the cache served from a stored copy. @type {ReadonlySet<string | undefined>} */
const COPIES = new Set(['HIT', 'STALE', 'UPDATING', 'REVALIDATED']);

/** Limit on remembered header values, because a response can contain anything. */
const MAX_REMEMBERED = 1000;

/** @type {Map<string, CacheStatus>} */
const remembered = new Map();

/** Whether the cache may have served an older copy. @param {CacheStatus | undefined} status */
export function isCopy(status) {
  return COPIES.has(status);
}

/**
 * @param {string} value of one of CACHE_HEADERS
 * @returns {CacheStatus}
 */
export function cacheStatusOf(value) {
  const known = remembered.get(value);
  if (known !== undefined) {
    return known;
  }
  // In a list, the cache nearest to the client comes last.
  const status = namedStatus(value.slice(value.lastIndexOf(',') + 1).trim());
  if (remembered.size < MAX_REMEMBERED) {
    remembered.set(value, status);
  }
  return status;
}

/**
 * @param {string} text such as `HIT`, `Hit from cloudfront` or `TCP_MISS`
 * @returns {CacheStatus}
 */
function namedStatus(text) {
  if (text === '' || text === '-') {
    return 'none';
  }
  const [, word = ''] = /^(?:TCP_)?(?:MEM_)?([A-Z]+)(?![A-Z])/.exec(text.toUpperCase()) ?? [];
  return CACHE_STATUSES.find((status) => status === word) ?? 'other';
}
