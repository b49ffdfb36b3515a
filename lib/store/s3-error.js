import { decodeEntities } from '../text/entities.js';
import { plainText } from '../text/plain-text.js';
import { WITHHELD } from '../text/redact.js';
import { readXml } from '../text/xml.js';

/** @import { NotedOperation } from '../result/result.js' */

// Decides from its status, code or failure whether a failed attempt is retried; retry.js decides when.

/**
 * How a failed attempt is handled:
 * - `retry`: the operation tries again
 * - `fail`: the operation fails; the stage continues
 * - `stop`: no operation of the run can succeed; the run ends
 *
 * @typedef {'retry' | 'fail' | 'stop'} Handling
 */

/**
 * @typedef {object} AttemptErrorDetails
 * @property {string} kind a short name under which errors are counted
 * @property {Handling} handling
 * @property {string} message one line without secrets
 * @property {number} [status] HTTP status; 0 without a response
 * @property {string} [code] the S3 or system error code
 * @property {number} [retryAfter] minimum wait in ms that the store asked for or the failure requires
 * @property {number} [serverTime] epoch ms of the response's Date header
 * @property {boolean} [sent] whether the attempt had a connection; without one it cannot have reached the store
 * @property {boolean} [outcomeUnknown] the request may have been carried out despite an error or a missing response
 * @property {boolean} [wasMoving] the attempt timed out while its object was in transit: more time might be enough
 * @property {boolean} [isOverload] the store was overloaded, although it did not ask for fewer requests
 * @property {string} [publicUrl] the public URL that the attempt used; '' if it used the S3 API
 * @property {string} [advice] what the user can do about it
 * @property {boolean} [staleConnection] the store had closed the kept-alive connection; a new connection will work
 */

export class AttemptError extends Error {
  /** @param {AttemptErrorDetails} details */
  constructor(details) {
    super(details.message);
    this.name = 'AttemptError';
    this.kind = details.kind;
    this.handling = details.handling;
    this.status = details.status ?? 0;
    this.code = details.code ?? '';
    this.retryAfter = details.retryAfter ?? 0;
    this.serverTime = details.serverTime ?? 0;
    this.sent = details.sent ?? true;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.wasMoving = details.wasMoving ?? false;
    this.isOverload = details.isOverload ?? false;
    this.staleConnection = details.staleConnection ?? false;
    this.publicUrl = details.publicUrl ?? '';
    this.advice = details.advice ?? '';
    /** The response to the attempt. @type {Pick<NotedOperation, 'status' | 'requestId' | 'ray'> | undefined} */
    this.answer = undefined;
  }
}

/** Whether a write's condition did not hold, or a concurrent write of the key conflicted. @param {unknown} error */
export function isConditionRefused(error) {
  return error instanceof AttemptError && (error.status === 412 || error.status === 409);
}

/** @param {string} message on a response that no S3 store should send @param {Handling} [handling] */
export function protocolError(message, handling = 'fail') {
  return new AttemptError({ kind: 'protocol', handling, message });
}

/** @param {string} message on a response that does not confirm the request, which another attempt may */
export function unconfirmed(message) {
  return new AttemptError({ kind: 'protocol', handling: 'retry', outcomeUnknown: true, message });
}

/**
 * @param {unknown} error
 * @param {string} kind
 * @returns {error is AttemptError}
 */
export function isKind(error, kind) {
  return error instanceof AttemptError && error.kind === kind;
}

/**
 * @param {unknown} error
 * @returns {AttemptError}
 * @throws any other error
 */
export function asAttemptError(error) {
  if (error instanceof AttemptError) {
    return error;
  }
  throw error;
}

/**
 * @param {AttemptError} error
 * @returns {AttemptErrorDetails} a form that can be sent to another thread
 */
export function detailsOf({ name, message, ...details }) {
  return { ...details, message };
}

// Kinds of errors that other modules handle.

/** The store asks for fewer requests. */
export const THROTTLED = 'throttled';

/** The error kind of an attempt that got no response in time. */
export const TIMEOUT = 'timeout';

export const NOT_FOUND = 'not-found';

/** The object must be restored from an archive before it can be read. */
export const ARCHIVED = 'archived';

export const NO_UPLOAD = 'no-upload';

/** The server has an object that cannot exist: a website, a login page or a captive portal answers anything. */
export const NO_STORE = 'no-store';

/** There is no free local port or address to connect from. */
export const NO_PORT = 'no-port';

export const CLOCK_SKEW = 'clock-skew';

/** The bucket or the account has no room left. */
export const FULL = 'full';

/** Codes that take precedence over the status. @type {Record<string, [kind: string, handling: Handling]>} */
const BY_CODE = {
  RequestTimeTooSkewed: [CLOCK_SKEW, 'stop'],
  NoSuchBucket: ['no-bucket', 'stop'],
  InvalidBucketName: ['no-bucket', 'stop'],
  AuthorizationHeaderMalformed: ['denied', 'stop'],
  // versitygw sends this code with status 404 if the access key is unknown.
  XAdminUserNotFound: ['denied', 'stop'],
  NoSuchKey: [NOT_FOUND, 'fail'],
  NoSuchUpload: [NO_UPLOAD, 'fail'],
  // S3 sends this code with status 403, although permissions are not the problem.
  InvalidObjectState: [ARCHIVED, 'fail'],
  SlowDown: [THROTTLED, 'retry'],
  TooManyRequests: [THROTTLED, 'retry'],
  TooMuchConcurrency: [THROTTLED, 'retry'],
  ClientDisconnect: ['incomplete-request', 'retry'],
  IncompleteBody: ['incomplete-request', 'retry'],
  BadDigest: ['incomplete-request', 'retry'],
  // MinIO sends this code if the checksum of a write is wrong.
  XAmzContentChecksumMismatch: ['incomplete-request', 'retry'],
  RequestTimeout: ['incomplete-request', 'retry'],
};

/** Codes of an expired or invalid session token. AWS sends them with status 400. */
const TOKEN = /(Expired|Invalid|Security|Session)Token|Token(Expired|Refresh)|(Request|Credentials?)Expired/;

/** Codes and messages about a quota or a disk, in the words of several stores. */
const NO_ROOM =
  /quota|(bucket|account) is full|(storage|disk|space|capacity|total.?size).{0,12}(full|exceeded|exhausted|reached)|(insufficient|not enough|no|out of) ?(storage|disk|space|capacity)/i;

/**
 * Codes that prove that the request was not carried out, because they state what is wrong with the request itself. Any
 * other error may come from a proxy that had already forwarded the request, or may have occurred after the work.
 */
const NOT_CARRIED_OUT =
  /^(AuthorizationQueryParametersError|BadDigest|EntityToo(Large|Small)|IncompleteBody|Invalid(Argument|Digest|Request|URI)|KeyTooLongError|MetadataTooLarge|MethodNotAllowed|MissingContentLength|NotImplemented|XAmzContent(Checksum|SHA256)Mismatch)$/;

/** Statuses that prove that the request was not carried out: the address is wrong, or access was denied. */
const NOT_CARRIED_OUT_STATUSES = new Set([301, 302, 307, 308, 401, 403]);

/** Kinds that prove the same, whatever the status. */
const NOT_CARRIED_OUT_KINDS = new Set(['denied', 'no-bucket']);

const CLOSED = /^(ECONNRESET|EPIPE|ECONNABORTED|ETIMEDOUT)$/;

/** Kinds of failures by the error's code. @type {readonly (readonly [code: RegExp, kind: string])[]} */
const FAILURES = [
  [/^EADDRNOTAVAIL$/, NO_PORT],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EMFILE|ENFILE|ERR_CONNECT_TIMEOUT|ERR_PROXY_REFUSED)$/, 'connect'],
  [/^(ENOTFOUND|EAI_AGAIN|EAI_FAIL|ENODATA|EAI_NODATA)$/, 'name'],
  [
    /^(ERR_TLS_CERT_|CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_EXCEEDED)/,
    'certificate',
  ],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO$)/, 'tls'],
  [CLOSED, 'connection'],
  // With the SDK, node:http reads the responses.
  [/^HPE_/, 'protocol'],
];

/** The error's name in http/response-parser.js. */
const UNREADABLE = 'ProtocolError';

/** Failures before the request had a connection, so that it cannot have been carried out. */
const BEFORE_REQUEST = new Set(['connect', NO_PORT, 'name', 'certificate']);

const REQUEST_ID = /^[\w=+/-]{1,128}$/;

/** A local port becomes free a second to a minute after its connection closed. An earlier attempt would fail. */
const PORT_PAUSE_MS = 1000;

/**
 * @param {object} answer
 * @param {number} answer.status
 * @param {string} [answer.code] S3's error code; the response to a HEAD has none
 * @param {string} [answer.message]
 * @param {string} [answer.requestId]
 * @param {string | null} [answer.retryAfter] the header's value
 * @param {string | null} [answer.date] the header's value
 * @param {boolean} [answer.isR2] whether the response comes from R2
 * @param {number} answer.now epoch ms
 */
export function classifyAnswer({ status, code = '', message = '', requestId = '', ...answer }) {
  const { retryAfter = null, date = null, isR2 = false, now } = answer;
  // The code is untrusted text: looking up `constructor` must not find an inherited property.
  const [kind, handling] = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : byStatus(status, code, message);
  const shownCode = Object.hasOwn(BY_CODE, code) || NOT_CARRIED_OUT.test(code) ? code : plainText(code);
  const shownMessage = plainText(message);
  const request = shownMessage === WITHHELD && REQUEST_ID.test(requestId) ? `request ${plainText(requestId)}` : '';
  const details = [shownCode, shownMessage, request].filter((part) => part !== '').join(': ');
  return new AttemptError({
    kind,
    handling,
    message: `HTTP ${status}${status < 300 ? ' with an error in its body:' : ''}${details === '' ? '' : ` ${details}`}`,
    status,
    code,
    retryAfter: parseRetryAfter(retryAfter, now),
    serverTime: date === null ? 0 : Date.parse(date) || 0,
    // According to its documentation, R2's 500 «usually» means an overload. The response to a HEAD has no code.
    isOverload: isR2 && status === 500 && (code === 'InternalError' || code === ''),
    outcomeUnknown:
      !NOT_CARRIED_OUT_STATUSES.has(status) && !NOT_CARRIED_OUT.test(code) && !NOT_CARRIED_OUT_KINDS.has(kind),
  });
}

/**
 * @param {number} status
 * @param {string} code without a dedicated rule
 * @param {string} message
 * @returns {[kind: string, handling: Handling]}
 */
function byStatus(status, code, message) {
  if (status === 429 || status === 503) {
    return [THROTTLED, 'retry'];
  }
  if (status === 507 || (status >= 400 && status < 500 && NO_ROOM.test(`${code} ${message}`))) {
    return [FULL, 'stop'];
  }
  if (status === 401 || status === 403 || isTokenError(code)) {
    return ['denied', 'stop'];
  }
  // A 404 with an unknown code can mean anything.
  if (status === 404 && code === '') {
    return [NOT_FOUND, 'fail'];
  }
  // A status below 300 comes with an error in its body: S3 had begun to respond before the request was carried out.
  if (status < 300 || status === 500 || status === 502 || status === 504 || (status >= 520 && status <= 529)) {
    return ['server-error', 'retry'];
  }
  // Unexpected, because no read is conditional.
  if (status === 304) {
    return ['protocol', 'fail'];
  }
  if (status >= 300 && status < 400) {
    return ['redirect', 'stop'];
  }
  return status >= 500 ? ['server-error', 'fail'] : ['client-error', 'fail'];
}

/** Whether the session token has expired or is invalid. @param {string} code */
export function isTokenError(code) {
  return TOKEN.test(code);
}

/**
 * In errors from OpenSSL, the message is full of internals, but `reason` is readable. EPROTO has it in its message only.
 *
 * @typedef {NodeJS.ErrnoException & { reason?: string }} TransportError
 */

/**
 * @param {unknown} error what the transport threw
 * @param {object} context
 * @param {boolean} context.sent some of the request had been written to a connection
 * @param {boolean} context.answered some of the response had arrived
 * @param {boolean} context.stale the connection had been kept alive, and it is safe to resend the request at once
 */
export function classifyFailure(error, { sent, answered, stale }) {
  if (error instanceof AttemptError) {
    return error;
  }
  const {
    name = 'Error',
    message = String(error),
    reason = /SSL routines:\w*:([^:]+)/.exec(message)?.[1] ?? message,
    code: given,
    syscall = '',
  } = /** @type {TransportError} */ (error ?? {});
  // The code of a DOMException, such as that of AbortSignal.timeout(), is a number.
  const code = typeof given === 'string' ? given : '';
  // If a route disappears after a request was sent, the connection fails with the code of a failed connect.
  const isLostRoute = sent && /^E(HOST|NET)UNREACH$/.test(code) && syscall !== 'connect';
  const [, named] = isLostRoute ? ['', 'connection'] : (FAILURES.find(([codes]) => codes.test(code)) ?? []);
  const isStale = named === 'connection' && stale && !answered;
  const kind =
    named === 'connection' && answered
      ? 'truncated'
      : isStale
        ? 'stale-connection'
        : (named ?? (name === UNREADABLE ? 'protocol' : 'other'));
  const reachedStore = sent && !BEFORE_REQUEST.has(kind);
  return new AttemptError({
    kind,
    handling: 'retry',
    message: plainText(code === '' || reason.includes(code) ? reason : `${reason} (${code})`),
    code: code || name,
    retryAfter: kind === NO_PORT ? PORT_PAUSE_MS : 0,
    sent: reachedStore,
    outcomeUnknown: reachedStore,
    staleConnection: isStale,
  });
}

/** The system can buffer this many bytes, so having sent no more than that does not show that the network works. */
const MAX_BUFFERED_BYTES = 64 * 1024;

const MEBIBYTE = 1024 ** 2;

/**
 * @param {number} timeout ms allowed for the attempt
 * @param {number} [moved] bytes of its object
 */
export function timeoutError(timeout, moved = 0) {
  const wasMoving = moved > MAX_BUFFERED_BYTES;
  const progress = wasMoving ? `, with ${(moved / MEBIBYTE).toFixed(1)} MiB of its object: try a longer --timeout` : '';
  return new AttemptError({
    kind: TIMEOUT,
    handling: 'retry',
    message: `no complete response within ${timeout}ms${progress}`,
    code: 'timeout',
    outcomeUnknown: true,
    wasMoving,
  });
}

const CODE = /^[A-Za-z0-9.]{1,64}$/;
const MAX_SHOWN = 100;
const HTTP_DATE = /^[A-Z][a-z]{2,8}, .{1,40} GMT$/;

/** Reads an S3 error response's body, which is untrusted text. Fields are '' if it is not XML. @param {string} body */
export function parseErrorBody(body) {
  const { root } = readXml(body);
  // Some gateways wrap the error in a document of their own.
  const error = root.all('Error')[0] ?? root;
  const code = error.textOf('Code')?.trim() ?? '';
  return {
    code: CODE.test(code) ? code : '',
    message: error.textOf('Message')?.trim() ?? (CODE.test(code) || error.name === 'Error' ? '' : wordsOf(body)),
    requestId: error.textOf('RequestId')?.trim() ?? '',
  };
}

/** Reads the body of a response that reports success, and should have no such body. @param {string} body */
export function parseUnexpectedBody(body) {
  const error = parseErrorBody(body);
  return error.code + error.message === '' ? { ...error, message: body.trim().slice(0, MAX_SHOWN) } : error;
}

/**
 * A page's title, a JSON message, or the text itself: what a proxy, or a server that is not S3, says.
 *
 * @param {string} body untrusted text
 */
export function wordsOf(body) {
  const said =
    /<title[^<>]*>([^<]*[^<\s])/i.exec(body) ??
    /"(?:message|msg|error_?description|detail|error|title|reason)" ?: ?"((?:[^"\\]|\\.)*)"/i.exec(body);
  const words = decodeEntities(said?.[1] ?? body.replace(/<[^<>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
  // Titles such as «404 Not Found» repeat the status.
  return words.replace(/^[1-5]\d\d (?=\S)/, '');
}

/**
 * The Retry-After header contains a number of seconds or an HTTP date (RFC 9110, section 10.2.3).
 *
 * @param {string | null} value
 * @param {number} now epoch ms
 * @returns {number} ms; 0 if there is no need to wait
 */
export function parseRetryAfter(value, now) {
  if (value === null) {
    return 0;
  }
  const text = value.trim();
  if (/^\d+$/.test(text)) {
    return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER);
  }
  // Date.parse() accepts nearly any text that ends in a number.
  return HTTP_DATE.test(text) ? Math.max((Date.parse(text) || 0) - now, 0) : 0;
}
