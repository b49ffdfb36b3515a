const RESERVED_LEFT_OVER = /[!'()*]/g;
const NEEDS_NO_ENCODING = /^[A-Za-z0-9\-._~/]*$/;

/**
 * URI encoding as Signature Version 4 and S3's listings have it: every byte of the UTF-8 form becomes `%XX` except
 * `A-Z a-z 0-9 - . _ ~` and, as S3 leaves it in paths, `/`.
 *
 * @param {string} text
 * @returns {string}
 * @throws {URIError} when the text holds half of a surrogate pair
 */
export function percentEncode(text) {
  if (NEEDS_NO_ENCODING.test(text)) {
    return text;
  }
  return encodeURIComponent(text)
    .replace(RESERVED_LEFT_OVER, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/');
}
