import { isIP, isIPv6 } from 'node:net';
import { isRegion } from '../store/aws/settings.js';
import { parseFaults } from '../local-s3/faults.js';
import { escapeUnprintable } from '../text/plain-text.js';
import { quote } from '../text/quote.js';
import { keepNames, keepSecrets } from '../text/redact.js';
import { parseDuration, parseSize } from '../text/units.js';
import { MAX_OBJECT_BYTES, MAX_PART_BYTES, MIN_PART_BYTES } from '../load/operations/multipart.js';
import { OPERATIONS, operationsOf } from '../load/operations/registry.js';
import { isPrefix, isRunId } from '../load/workload/keyspace.js';
import { largestSize, parseSizes } from '../load/workload/size-distribution.js';

/** @import { MixedShare, ProxyConfig, PublicUrl } from '../result/config.js' */

// Readers for the values of options and variables. Each takes the text as the user wrote it, and throws a RangeError
// with what was expected.

/**
 * @template Value
 * @param {(text: string) => Value} parse
 * @param {(value: Value) => boolean} fits
 * @param {string} expected
 * @returns {(text: string) => Value}
 */
function reader(parse, fits, expected) {
  return (given) => {
    const value = parse(given);
    if (!fits(value)) {
      throw new RangeError(`expected ${expected}, got ${quote(given)}`);
    }
    return value;
  };
}

/**
 * @param {RegExp} form whose first group is the number
 * @returns {(text: string) => number} NaN if the text has another form
 */
function numberIn(form) {
  return (given) => Number(form.exec(given)?.[1] ?? NaN);
}

/**
 * @param {number} least
 * @param {number} most
 * @returns {(value: number) => boolean}
 */
function within(least, most) {
  return (value) => value >= least && value <= most;
}

/**
 * @param {number} least
 * @param {number} most
 */
export function wholeNumber(least, most) {
  return reader(numberIn(/^([0-9]{1,15})$/), within(least, most), `a whole number from ${least} to ${most}`);
}

/** @param {string} given */
export function someText(given) {
  if (given === '') {
    throw new RangeError('expected a value, got nothing');
  }
  return given;
}

/**
 * @template {string} Choice
 * @param {readonly Choice[]} choices
 * @returns {((text: string) => Choice) & { choices: readonly Choice[] }}
 */
export function oneOf(...choices) {
  const read = (/** @type {string} */ given) => {
    const found = choices.find((choice) => choice === given);
    if (found === undefined) {
      throw new RangeError(`expected ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}, got ${quote(given)}`);
    }
    return found;
  };
  return Object.assign(read, { choices });
}

/** Omits empty names. @param {string} given comma-separated */
export function listOf(given) {
  return given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Removes a user, a password and a query. @param {string} given possibly a URL that contains them */
export function withoutSecrets(given) {
  const place = given.replace(/[?#][^]*/, '?…');
  // A password may contain any character, so that only what follows the last @ is a host.
  return given.includes('@') ? `…${/@[^@]*$/.exec(place)?.[0] ?? ''}` : place;
}

const MAX_THREAD_COUNT = 100_000;
const MIN_DURATION_MS = 1000;
const MIN_RATE = 0.1;
const MAX_RATE = 1_000_000;

/** Well below the limit of a timer. */
const MAX_DURATION_MS = 7 * 24 * 3_600_000;

const MIN_SPEED = 0.01;
const MAX_SPEED = 1000;
const STAGE_NAMES = OPERATIONS.map(({ name }) => name);
const MIXABLE = OPERATIONS.filter(({ refuses }) => refuses?.mix === undefined).map(({ name }) => name);

/** As a result file, this means standard output. */
export const STANDARD_OUTPUT = '-';

export const objectCount = wholeNumber(1, 1e9);
export const threadCount = wholeNumber(1, MAX_THREAD_COUNT);
/** S3's limit per request. */
export const keyCount = wholeNumber(1, 1000);
export const contenderCount = wholeNumber(2, 64);
export const retryCount = wholeNumber(0, 1000);

/** Other tools' names of operations. @type {Readonly<Record<string, string>>} */
const METHODS = Object.freeze({ get: 'read', put: 'write', head: 'stat', delete: 'remove' });

/** Shares of a mix add up to this. */
const WHOLE_MIX = 100;

/**
 * @param {string} given `read=70,write=20,…`
 * @returns {MixedShare[]} in the order of OPERATIONS
 */
export function mix(given) {
  const shares = new Map();
  for (const part of listOf(given)) {
    const [name, share = '', ...rest] = part.split('=').map((text) => text.trim());
    if (!STAGE_NAMES.includes(name) || rest.length > 0) {
      const meant = Object.hasOwn(METHODS, name) ? `; did you mean ${METHODS[name]}?` : '';
      throw new RangeError(
        `expected shares of ${MIXABLE.join(', ')}, such as read=70,write=30, got ${quote(part)}${meant}`,
      );
    }
    if (!/^[0-9]{1,3}$/.test(share) || Number(share) < 1 || Number(share) >= WHOLE_MIX) {
      throw new RangeError(`expected a share of ${name} from 1 to ${WHOLE_MIX - 1}, got ${quote(share)}`);
    }
    if (shares.has(name)) {
      throw new RangeError(`expected one share of ${name}, got two`);
    }
    shares.set(name, Number(share));
  }
  const sum = [...shares.values()].reduce((total, share) => total + share, 0);
  if (sum !== WHOLE_MIX) {
    throw new RangeError(`expected shares that add up to ${WHOLE_MIX}, got ${sum} in ${quote(given)}`);
  }
  return operationsOf([...shares.keys()]).map(({ name }) => ({ operation: name, share: shares.get(name) }));
}

/** Operations per second. */
export const rate = reader(
  numberIn(/^([0-9]{1,7}(?:\.[0-9]{1,3})?)$/),
  within(MIN_RATE, MAX_RATE),
  `operations per second from ${MIN_RATE} to ${MAX_RATE}`,
);

/**
 * @param {string} given
 * @returns {number | 'auto'}
 */
export function coreCount(given) {
  return given === 'auto' ? given : wholeNumber(1, 1024)(given);
}

/** Bytes. */
export const objectSize = reader(
  parseSize,
  (bytes) => bytes <= MAX_OBJECT_BYTES,
  'at most 5TiB, the limit of an object',
);

/** One or more sizes in bytes. @param {string} given */
export function objectSizes(given) {
  const sizes = parseSizes(given);
  if (typeof sizes === 'number') {
    return objectSize(given);
  }
  const largest = largestSize(sizes);
  if (largest > MAX_OBJECT_BYTES) {
    throw new RangeError(
      `expected objects of at most 5TiB, the limit of an object, got ${quote(given)} with up to ${largest} bytes`,
    );
  }
  return sizes;
}

/** Bytes. */
export const partSize = reader(parseSize, within(MIN_PART_BYTES, MAX_PART_BYTES), 'a size from 5MiB to 5GiB');

export const partThreads = wholeNumber(1, 1000);

/** Bytes. */
export const rangeSize = reader(objectSize, (bytes) => bytes > 0, 'at least one byte');

/** ms */
export const timeout = reader(parseDuration, within(1, 3_600_000), 'a time from 1ms to 1h');

/** @param {string} given */
export function faultScript(given) {
  parseFaults(given);
  return given;
}

/** ms */
export const stageDuration = reader(parseDuration, within(MIN_DURATION_MS, MAX_DURATION_MS), 'a time from 1s to 168h');

/** ms; 0 is allowed. */
export const anyTime = reader(parseDuration, within(0, MAX_DURATION_MS), 'a time up to 168h');

/** A factor. */
export const speed = reader(
  numberIn(/^([0-9]{1,4}(?:\.[0-9]{1,3})?)x?$/),
  within(MIN_SPEED, MAX_SPEED),
  `a factor from ${MIN_SPEED}x to ${MAX_SPEED}x`,
);

/** @param {number} factor */
export function formatSpeed(factor) {
  return `${factor}x`;
}

const percentage = numberIn(/^([0-9]{1,2}(?:\.[0-9]{1,3})?)%$/);

/** A larger margin would hide every change. */
const MAX_MARGIN = 0.5;

/** A share. @type {(text: string) => number} */
export const margin = reader(
  (given) => percentage(given) / 100,
  within(0, MAX_MARGIN),
  `a percentage from 0% to ${100 * MAX_MARGIN}%, such as 3% or 0.5%`,
);

/** Seconds. In a shorter step, less than two seconds count. The record of a longer step does not fit on a log line. */
const MIN_STEP_SECONDS = 4;
const MAX_STEP_SECONDS = 60;

/** ms */
export const stepTime = reader(
  parseDuration,
  (time) => Number.isInteger(time / 1000) && within(MIN_STEP_SECONDS, MAX_STEP_SECONDS)(time / 1000),
  `whole seconds from ${MIN_STEP_SECONDS}s to ${MAX_STEP_SECONDS}s`,
);

const MIN_STEPS = 2;
const MAX_STEPS = 20;

export const rampThreads = reader(
  (given) => listOf(given).map(numberIn(/^([0-9]{1,6})$/)),
  (steps) =>
    within(MIN_STEPS, MAX_STEPS)(steps.length) &&
    steps.every((each, place) => each > (steps[place - 1] ?? 0) && each <= MAX_THREAD_COUNT),
  `${MIN_STEPS} to ${MAX_STEPS} increasing numbers of threads, such as 8,16,32,64`,
);

export const dollars = reader(
  numberIn(/^([0-9]{1,9}(?:\.[0-9]{1,6})?)$/),
  (value) => value > 0,
  'an amount in dollars above 0, such as 0.5 or 2',
);

/** The index or count is null if the environment decides it. @param {string} given `i/N`, `auto` or `auto/N` */
export function shard(given) {
  const match = /^(auto|[0-9]{1,6})(?:\/([1-9][0-9]{0,5}))?$/.exec(given);
  const index = match === null || match[1] === 'auto' ? null : Number(match[1]);
  const count = match?.[2] === undefined ? null : Number(match[2]);
  if (match === null || (index !== null && (count === null || index >= count))) {
    throw new RangeError(`expected i/N with i from 0 to N-1, or auto, or auto/N, got ${quote(given)}`);
  }
  return { index, count };
}

/** Returns the names in the order in which the stages run. @param {string} given comma-separated */
export function stageNames(given) {
  const names = listOf(given);
  const strange = names.filter((name) => !STAGE_NAMES.includes(name));
  if (names.length === 0 || strange.length > 0) {
    throw new RangeError(`expected one or more of ${STAGE_NAMES.join(',')}, got ${quote(strange[0] ?? given)}`);
  }
  return operationsOf(names).map(({ name }) => name);
}

/** As --mix accepts them. @param {readonly MixedShare[]} shares */
export function formatMix(shares) {
  return shares.map(({ operation, share }) => `${operation}=${share}`).join(',');
}

/** Selects all objects. An empty prefix is rejected, because it may come from an unset variable. */
const EVERYTHING = '*';

const MAX_KEY_BYTES = 1024;

/** As --existing accepts it, with unprintable characters escaped. @param {string} start of the keys */
export function formatExisting(start) {
  return start === '' ? EVERYTHING : escapeUnprintable(start);
}

/** Returns the prefix; '' for all objects. @param {string} given */
export function existingPrefix(given) {
  if (given === EVERYTHING) {
    return '';
  }
  if (given === '' || Buffer.byteLength(given) > MAX_KEY_BYTES) {
    const got = given === '' ? 'nothing' : `${Buffer.byteLength(given)} bytes`;
    throw new RangeError(
      `expected a key prefix of at most ${MAX_KEY_BYTES} bytes, or '${EVERYTHING}' for all objects, got ${got}`,
    );
  }
  return given;
}

/** With fewer quads, the p-value of the sign-flip test cannot fall below 5%. */
export const MIN_QUADS = 6;

/** The time and memory of the sign-flip test grow as 2^(quads ÷ 2). */
export const MAX_QUADS = 40;

export const quadCount = wholeNumber(MIN_QUADS, MAX_QUADS);

export const repeatCount = wholeNumber(1, 100);
export const seed = wholeNumber(0, 2 ** 32 - 1);

/** @param {string} given */
export function logFile(given) {
  if (given === '' || given === STANDARD_OUTPUT) {
    throw new RangeError(`expected a file, got ${quote(given)}; without this option, the log goes to stdout`);
  }
  return given;
}

export const runId = reader(
  String,
  isRunId,
  '1 to 64 characters from A-Z a-z 0-9 . _ -, not only dots, not list, and no leading -',
);

export const prefix = reader(String, isPrefix, 'names of characters from A-Z a-z 0-9 . _ -, separated by /');

// Values of S3_… variables.

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;
const SECRET = /^[\x21-\x7e]+$/;

const YES = ['1', 'true', 'yes', 'on'];
const NO = ['0', 'false', 'no', 'off'];

export const port = wholeNumber(1, 65535);

/** The names can contain duplicates. @param {string} given comma-separated */
export function bucketNames(given) {
  const names = listOf(given);
  const strange = names.find((name) => !BUCKET.test(name));
  if (names.length === 0 || strange !== undefined) {
    // If the text contains a password, any part between commas may belong to it.
    const shown = withoutSecrets(given.includes('@') ? given : (strange ?? given));
    throw new RangeError(
      `expected comma-separated bucket names of 3 to 63 characters from A-Z a-z 0-9 . _ -, got ${quote(shown)}`,
    );
  }
  keepNames(names);
  return names;
}

/** @param {string} given */
export function region(given) {
  if (!isRegion(given)) {
    throw new RangeError(`expected a region such as auto, got ${quote(withoutSecrets(given))}`);
  }
  return given;
}

/** @param {string} given never shown */
export function secret(given) {
  if (!SECRET.test(given)) {
    throw new RangeError('expected printable characters without spaces');
  }
  return given;
}

/** @param {string} given */
export function yesOrNo(given) {
  const lowerCase = given.toLowerCase();
  if (!YES.includes(lowerCase) && !NO.includes(lowerCase)) {
    throw new RangeError(`expected ${YES.join(', ')} or ${NO.join(', ')}, got ${quote(given)}`);
  }
  return YES.includes(lowerCase);
}

const HOSTNAME = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

/**
 * @param {string} given only a host
 * @throws {RangeError} whose message omits a password
 */
export function hostname(given) {
  // 1.2.3.999 has the form of a name but is not valid. A URL cannot contain an IPv6 address with a zone.
  const isName = HOSTNAME.test(given) && URL.canParse(`http://${given}`);
  if (!isName && !(isIPv6(given) && !given.includes('%'))) {
    const reason = given.includes('_') ? ': a host name has no underscore, so use its address or another name' : '';
    throw new RangeError(`expected a host name such as s3.example.com, got ${quote(withoutSecrets(given))}${reason}`);
  }
  keepNames([given]);
  return given;
}

// Addresses in options and in variables of other tools.

/** Paths that the SDK and the store sign the same way: no percent-encoding, no special segments. */
const BASE_PATH = /^(\/[A-Za-z0-9._~-]+)*$/;

/**
 * @typedef {object} EndpointUrl
 * @property {string} hostname
 * @property {number} port
 * @property {boolean} useTls
 * @property {string} basePath the path before the bucket, such as `/storage/v1/s3`, or ''
 */

/**
 * @param {string} given a URL, or a host with or without a port
 * @returns {EndpointUrl}
 */
export function endpointUrl(given) {
  const text = urlMeant(given);
  const url = URL.canParse(text) ? new URL(text) : null;
  const basePath = url?.pathname.replace(/\/$/, '') ?? '';
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol) || !BASE_PATH.test(basePath)) {
    throw new RangeError(
      `expected a URL such as https://s3.example.com or https://example.com/storage/v1/s3, got ${quote(withoutSecrets(given))}`,
    );
  }
  const useTls = url.protocol === 'https:';
  return {
    hostname: hostname(url.hostname.replace(/^\[|\]$/g, '')),
    port: url.port === '' ? (useTls ? 443 : 80) : Number(url.port),
    useTls,
    basePath,
  };
}

/** Adds the scheme to a host without one. @param {string} given */
function urlMeant(given) {
  const [, name = ''] = /^([A-Za-z0-9.-]+)(?::[0-9]+)?(?:\/.*)?$/.exec(given) ?? [];
  const isNear = name === 'localhost' || isIP(name) !== 0;
  return HOSTNAME.test(name) ? `${isNear ? 'http' : 'https'}://${given}` : given;
}

/**
 * Reads S3_HOSTNAME: a host, with or without a port, or a URL.
 *
 * @param {string} given
 * @returns {Pick<EndpointUrl, 'hostname' | 'basePath'> & Partial<EndpointUrl>} what it does not state is absent
 */
export function storeAddress(given) {
  if (isIPv6(given) || !/[:/]/.test(given)) {
    return { hostname: hostname(given), basePath: '' };
  }
  const { useTls, port: number, ...address } = endpointUrl(given);
  return {
    ...address,
    ...(given.includes('://') ? { useTls } : {}),
    ...(/:\d+(?:\/|$)/.test(given) ? { port: number } : {}),
  };
}

/**
 * @param {string} given
 * @returns {EndpointUrl} of a Worker, without a path
 * @throws {RangeError}
 */
export function edgeUrl(given) {
  const url = endpointUrl(given);
  if (url.basePath !== '') {
    throw new RangeError(
      `expected a URL without a path, such as https://r2-benchmark-edge.NAME.workers.dev, got ${quote(given)}`,
    );
  }
  return url;
}

/** @param {EndpointUrl} address */
export function urlOf({ hostname: name, port: number, useTls, basePath }) {
  const host = name.includes(':') ? `[${name}]` : name;
  const isUsual = number === (useTls ? 443 : 80);
  return `${useTls ? 'https' : 'http'}://${host}${isUsual ? '' : `:${number}`}${basePath}`;
}

/** Placeholder for the name of a bucket. */
const BUCKET_NAME = '{bucket}';
const BUCKET_AS_HOST = 'bucket-of-a-host';

/**
 * @param {string} given
 * @returns {PublicUrl} to which the caller adds the proxy
 */
export function publicUrl(given) {
  const [, beforePath = '', path = ''] = /^([a-z]+:\/\/[^/]*)(\/.*)?$/i.exec(given) ?? [];
  const basePath = path.replace(/\/$/, '');
  const bucketInPath = basePath.endsWith(`/${BUCKET_NAME}`);
  const plainPath = bucketInPath ? basePath.slice(0, -BUCKET_NAME.length - 1) : basePath;
  const isRepeated = given.split(BUCKET_NAME).length > 2;
  try {
    const url = endpointUrl(isRepeated ? '' : `${beforePath.replace(BUCKET_NAME, BUCKET_AS_HOST)}${plainPath}`);
    return { ...url, hostname: url.hostname.replace(BUCKET_AS_HOST, BUCKET_NAME), bucketInPath };
  } catch {
    throw new RangeError(
      `expected a URL such as https://cdn.example.com, with ${BUCKET_NAME} in its host or at its end for several buckets, got ${quote(withoutSecrets(given))}`,
    );
  }
}

/** As {@link publicUrl} reads it. @param {PublicUrl} url */
export function formatPublicUrl({ bucketInPath, ...url }) {
  return `${urlOf(url)}${bucketInPath ? `/${BUCKET_NAME}` : ''}`;
}

/** Whether the URL contains the bucket's name. @param {Pick<PublicUrl, 'hostname' | 'bucketInPath'>} url */
export function namesBucket({ hostname: name, bucketInPath }) {
  return bucketInPath || name.includes(BUCKET_NAME);
}

/** Use the proxy that the environment names. */
export const OF_ENVIRONMENT = 'env';

/** Use no proxy, even if the environment names one. */
export const NO_PROXY = 'none';

/**
 * @param {string} given value of --proxy
 * @returns {ProxyConfig | typeof OF_ENVIRONMENT | typeof NO_PROXY}
 */
export function proxyChoice(given) {
  if (given === OF_ENVIRONMENT || given === NO_PROXY) {
    return given;
  }
  // Reject a password, because the program prints commands with this option for copying.
  if (given.includes('@')) {
    throw new RangeError(
      'expected a URL without a password: put the URL with its password into HTTPS_PROXY, and pass --proxy env',
    );
  }
  return proxyUrl(given, `${OF_ENVIRONMENT}, ${NO_PROXY} or `);
}

/** As --proxy accepts it. @param {ProxyConfig | typeof OF_ENVIRONMENT | typeof NO_PROXY} proxy */
export function formatProxy(proxy) {
  return typeof proxy === 'string' ? proxy : urlOf({ ...proxy, useTls: false, basePath: '' });
}

/**
 * @param {string} given
 * @param {string} [others] what else would be valid
 * @returns {ProxyConfig}
 */
export function proxyUrl(given, others = '') {
  const text = given.includes('://') ? given : `http://${given}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== 'http:' || !['', '/'].includes(url.pathname) || url.search + url.hash !== '') {
    throw new RangeError(
      `expected ${others}a proxy such as http://proxy.example.com:3128, got ${quote(withoutSecrets(given))}`,
    );
  }
  const { username, password } = url;
  const address = endpointUrl(`http://${url.host}`);
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  keepSecrets({ secrets: [decodeURIComponent(password)] });
  return {
    hostname: address.hostname,
    port: address.port,
    ...(user === ':' ? {} : { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
  };
}

/** The default address: other hosts cannot read the metrics. */
const LOOPBACK = '127.0.0.1';

const MAX_PORT = 65_535;

/** @param {string} given a port, optionally after an address of this host */
export function listenAddress(given) {
  const [, host = LOOPBACK, digits] = /^(?:(.+):)?([0-9]{1,5})$/.exec(given) ?? [];
  // Brackets are optional: Kubernetes passes the IPv6 address of a pod without them.
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (digits === undefined || Number(digits) > MAX_PORT || (isIP(address) === 0 && !HOSTNAME.test(address))) {
    throw new RangeError(
      `expected a port from 0 to ${MAX_PORT}, optionally after an address, as in 0.0.0.0:9464 or [::]:9464, got ${quote(given)}`,
    );
  }
  return { host: address, port: Number(digits) };
}

/** @param {string} given */
export function collectorUrl(given) {
  const url = URL.canParse(given) ? new URL(given) : null;
  const isPlain = url !== null && url.username + url.password + url.hash === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) {
    throw new RangeError(
      `expected a URL such as http://localhost:4318, without credentials (set OTEL_EXPORTER_OTLP_HEADERS instead), got ${quote(withoutSecrets(given))}`,
    );
  }
  return url;
}
