/**
 * Descriptions of the kinds of failed attempts, because some of their names in the log look alike.
 *
 * @type {Readonly<Record<string, string>>}
 */
const LABELS = {
  abandoned: 'abandoned at the end',
  certificate: 'certificate rejected',
  changed: 'object or list changed',
  'client-error': 'request rejected (4xx)',
  'clock-skew': 'client clock wrong',
  connect: 'could not connect',
  connection: 'connection lost',
  denied: 'access denied',
  full: 'bucket or account full',
  'incomplete-request': 'request arrived incomplete',
  integrity: 'wrong content',
  name: 'host name not resolved',
  'no-bucket': 'bucket missing',
  'no-port': 'no free local port',
  'no-upload': 'upload missing',
  'no-winner': 'race without a winner',
  'not-deleted': 'keys not deleted',
  'not-found': 'object missing',
  other: 'other error',
  others: 'rarer errors',
  protocol: 'invalid response',
  redirect: 'redirected (3xx)',
  'rewritten-too-soon': 'key rewritten within a second',
  'retried-by-sdk': 'retried by the SDK',
  'server-error': 'server error (5xx)',
  'short-page': 'list page incomplete',
  'start-after': 'start of a list page ignored',
  'stale-connection': 'idle connection closed by the store',
  throttled: 'throttled (503, 429)',
  timeout: 'timeout',
  tls: 'TLS failed',
  truncated: 'response cut short',
};

/** Such as `timeout 281, connection lost 10`. @param {Readonly<Record<string, number>>} errors attempts by kind */
export function formatErrors(errors) {
  const kinds = Object.entries(errors).map(([kind, count]) => `${labelOf(kind)} ${count}`);
  return kinds.length === 0 ? 'none' : kinds.join(', ');
}

/** @param {string} kind external text, possibly from a later version or forged */
function labelOf(kind) {
  return Object.hasOwn(LABELS, kind) ? LABELS[kind] : kind;
}
