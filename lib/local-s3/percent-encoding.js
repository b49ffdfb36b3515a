const RESERVED_LEFT_OVER = /[!'()*]/g;
const NEEDS_NO_ENCODING = /^[A-Za-z0-9\-._~/]*$/;

/**
 * URI encoding of Signature Version 4 and S3 listings: encodes every byte of the UTF-8 form as `%XX`, except
 * `A-Z a-z 0-9 - . _ ~` and `/`, which S3 does not encode in paths.
 *
 * @param {string} text
 * @throws {URIError} if the text contains an unpaired surrogate
 */
export function percentEncode(text) {
  if (NEEDS_NO_ENCODING.test(text)) {
    return text;
  }
  return encodeURIComponent(text)
    .replace(RESERVED_LEFT_OVER, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/');
}
