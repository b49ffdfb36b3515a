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
export const CACHE_HEADERS = Object.freeze(['cf-cache-status', 'x-cache', 'x-cache-status', 'cache-status']);

/** The RFC 9211 header, which has its own syntax. */
const STANDARD = CACHE_HEADERS.indexOf('cache-status');

/** Statuses of responses that the cache served from a stored copy. @type {ReadonlySet<string | undefined>} */
const COPIES = new Set(['HIT', 'STALE', 'UPDATING', 'REVALIDATED']);

/** Limit on remembered header values, because a response can contain anything. */
const MAX_REMEMBERED = 1000;

/** @type {Map<string, CacheStatus>[]} by header */
const remembered = CACHE_HEADERS.map(() => new Map());

/** Whether the cache may have served an older copy. @param {CacheStatus | undefined} status */
export function isCopy(status) {
  return COPIES.has(status);
}

/**
 * @param {number} header its index in CACHE_HEADERS
 * @param {string} value
 * @returns {CacheStatus}
 */
export function cacheStatusOf(header, value) {
  const known = remembered[header].get(value);
  if (known !== undefined) {
    return known;
  }
  // In a list, the cache nearest to the client comes last.
  const last = value.slice(value.lastIndexOf(',') + 1).trim();
  const status = header === STANDARD ? standardStatus(last) : namedStatus(last);
  if (remembered[header].size < MAX_REMEMBERED) {
    remembered[header].set(value, status);
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

/** Keyed by the reason for forwarding the request (RFC 9211). @type {Readonly<Record<string, CacheStatus>>} */
const FORWARDED = Object.freeze({
  miss: 'MISS',
  'uri-miss': 'MISS',
  'vary-miss': 'MISS',
  partial: 'MISS',
  stale: 'EXPIRED',
  bypass: 'BYPASS',
  request: 'BYPASS',
  method: 'DYNAMIC',
});

/**
 * @param {string} member such as `Nginx; hit; ttl=30` or `Varnish; fwd=stale; fwd-status=304`
 * @returns {CacheStatus}
 */
function standardStatus(member) {
  const [name, ...parameters] = member
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const values = new Map(parameters.map((parameter) => /** @type {[string, string]} */ (parameter.split('=', 2))));
  const forwarded = values.get('fwd');
  if (values.has('hit')) {
    return Number(values.get('ttl') ?? 0) < 0 ? 'STALE' : 'HIT';
  }
  if (forwarded === 'stale' && values.get('fwd-status') === '304') {
    return 'REVALIDATED';
  }
  if (forwarded === undefined) {
    return name === '' ? 'none' : 'other';
  }
  return Object.hasOwn(FORWARDED, forwarded) ? FORWARDED[forwarded] : 'other';
}
