import { decodeEntities } from './entities.js';

/** Shown instead of a text that contains a secret, or part of one. */
export const WITHHELD = '[text withheld: it contains a secret]';

/** This many consecutive characters of a secret reveal it. A shorter secret is matched as a whole. */
const PIECE_LENGTH = 8;

/** A shorter secret might be in any text by chance. */
const MIN_SECRET_LENGTH = 4;

/**
 * Minimum length of an access key ID to withhold. A secret entered as an ID is at least this long, but a shorter ID might
 * be an ordinary word.
 */
const MIN_ID_LENGTH = 16;

/** Long enough for the shortest secret. */
const BASE64 = /[A-Za-z0-9+/_-]{6,}/g;

/** The ways to read a text. The start of a base64 text may be hidden in what precedes it, hence four alignments. */
const READINGS = /** @type {readonly ((text: string) => string)[]} */ ([
  (text) => text,
  (text) => text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString()),
  (text) =>
    text.replace(/\\(?:u([0-9a-f]{4})|(["\\/]))/gi, (_, code, character) =>
      code === undefined ? character : String.fromCharCode(parseInt(code, 16)),
    ),
  decodeEntities,
  ...[0, 1, 2, 3].map(
    (skipped) => (/** @type {string} */ text) =>
      text.replace(BASE64, (digits) => Buffer.from(digits.slice(skipped), 'base64').toString()),
  ),
]);

/**
 * @typedef {{ secrets: readonly string[], ids?: readonly string[] }} Secrets values that must not be shown. An access
 *   key ID is not secret, but the user may have entered the secret in its field
 */

/** By holder. @type {Map<unknown, readonly string[]>} */
const kept = new Map();

/** @type {Set<string>} */
const names = new Set();

/** Derived from all secrets and names; null after a change. @type {{ short: string[], pieces: Set<string> } | null} */
let revealing = null;

/** A failing store sends the same message thousands of times, so the last result is kept. */
let [lastText, lastShown] = ['', ''];

/**
 * Call this for each secret as soon as it is read: the host that receives the secret might echo it in a message.
 *
 * @param {Secrets} secrets
 * @param {unknown} [holder] whose previous secrets these replace
 */
export function keepSecrets({ secrets, ids = [] }, holder = {}) {
  kept.set(holder, [...secrets, ...ids.filter((id) => id.length >= MIN_ID_LENGTH)]);
  forgetDerived();
}

/**
 * Names of the run's bucket, prefix, host and id, which messages show anyway: pieces of them reveal no secret.
 *
 * @param {readonly string[]} shown
 */
export function keepNames(shown) {
  shown.forEach((name) => names.add(name));
  forgetDerived();
}

/** @returns this thread's secrets and names, for another thread */
export function keptSecrets() {
  return { secrets: [...kept.values()].flat(), names: [...names] };
}

/**
 * Withholds a text that contains a secret or PIECE_LENGTH consecutive characters of one, as it is or decoded once.
 *
 * @param {string} text from outside
 */
export function redact(text) {
  if (text !== lastText) {
    [lastText, lastShown] = [text, READINGS.some((read) => reveals(read(text))) ? WITHHELD : text];
  }
  return lastShown;
}

/** @param {string} text */
function reveals(text) {
  revealing ??= derive();
  const { short, pieces } = revealing;
  return short.some((secret) => text.includes(secret)) || piecesOf(text).some((piece) => pieces.has(piece));
}

function derive() {
  const { secrets } = keptSecrets();
  const isOpen = (/** @type {string} */ piece) => [...names].some((name) => name.includes(piece));
  return {
    short: secrets.filter(
      (secret) => secret.length >= MIN_SECRET_LENGTH && secret.length < PIECE_LENGTH && !isOpen(secret),
    ),
    pieces: new Set(secrets.flatMap(piecesOf).filter((piece) => !isOpen(piece))),
  };
}

/** @param {string} text */
function piecesOf(text) {
  return Array.from({ length: Math.max(text.length - PIECE_LENGTH + 1, 0) }, (_, start) =>
    text.slice(start, start + PIECE_LENGTH),
  );
}

function forgetDerived() {
  revealing = null;
  lastText = lastShown = '';
}
