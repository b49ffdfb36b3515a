/**
 * What the kinds are called under which failed attempts are counted: the short names in the log stand for programs, and
 * some are hard to tell apart.
 *
 * @type {Readonly<Record<string, string>>}
 */
const LABELS = {
  abandoned: 'abandoned at the end',
  certificate: 'certificate refused',
  changed: 'object or list changed meanwhile',
  'client-error': 'request not accepted (4xx)',
  'clock-skew': 'clock of the client wrong',
  connect: 'no connection made',
  connection: 'connection lost',
  denied: 'access denied',
  'incomplete-request': 'request did not arrive whole',
  integrity: 'wrong content',
  name: 'host name not resolved',
  'no-bucket': 'bucket missing',
  'no-port': 'no free local port',
  'no-upload': 'upload missing',
  'not-deleted': 'keys not deleted',
  'not-found': 'object missing',
  other: 'other error',
  others: 'rarer errors',
  protocol: 'answer not understood',
  redirect: 'redirected (3xx)',
  'rewritten-too-soon': 'key rewritten within a second',
  'server-error': 'server error (5xx)',
  'short-page': 'page without all of its keys',
  'stale-connection': 'idle connection closed by the store',
  throttled: 'throttled (503, 429)',
  timeout: 'timeout',
  tls: 'TLS failed',
  truncated: 'answer cut short',
};

/**
 * @param {Readonly<Record<string, number>>} errors failed attempts by kind
 * @returns {string} such as `no connection made 281, connection lost 10`
 */
export function formatErrors(errors) {
  const kinds = Object.entries(errors).map(([kind, count]) => `${labelOf(kind)} ${count}`);
  return kinds.length === 0 ? 'none' : kinds.join(', ');
}

/** @param {string} kind which is text from outside: of a later version, or made up */
function labelOf(kind) {
  return Object.hasOwn(LABELS, kind) ? LABELS[kind] : kind;
}
