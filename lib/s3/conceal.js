const STAND_IN = '[secret]';

/** What is shorter may stand in any message by chance, and is no secret of a store's. */
const SHORTEST_SECRET = 8;

/** A secret that was given as the access key id is longer; a shorter id may be a word of any sentence. */
const SHORTEST_MISTAKEN = 16;

/** A secret is known by so many characters of its beginning: a store may cut it, and a token has thousands. */
const LONGEST_BEGINNING = 32;

/** How a character that has a meaning somewhere may come back: as it is, behind a backslash, as an entity, as a percentage. */
const ESCAPED = '&#?[0-9A-Za-z]{1,8};|%[0-9A-Fa-f]{2}';

/**
 * A store is sent the access key id and the session token with every request, and may tell in an error what it was sent.
 * What it tells is shown to the user, and kept in logs. The id is no secret, but the secret may have been given in its
 * place.
 *
 * @param {import('./sigv4.js').Credentials} credentials in which there are no blanks
 * @returns {(text: string) => string} takes the secrets out of a text, each up to the next blank, also where it is escaped
 */
export function concealer({ accessKeyId, secretAccessKey, sessionToken = '' }) {
  const mistaken = accessKeyId.length >= SHORTEST_MISTAKEN ? accessKeyId : '';
  const secrets = [mistaken, secretAccessKey, sessionToken].filter(({ length }) => length >= SHORTEST_SECRET);
  if (secrets.length === 0) {
    return (text) => text;
  }
  const beginnings = secrets.map((secret) => patternOf(secret.slice(0, LONGEST_BEGINNING)));
  const pattern = new RegExp(`(?:${beginnings.join('|')})\\S*`, 'g');
  return (text) => text.replace(pattern, STAND_IN);
}

/** @param {string} text */
function patternOf(text) {
  return text.replace(/[^0-9A-Za-z]/g, (character) => `(?:\\\\?\\u${hexadecimal(character)}|${ESCAPED})`);
}

/** @param {string} character */
function hexadecimal(character) {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}
