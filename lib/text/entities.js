/** @type {Record<string, string>} */
const ENTITIES = { lt: '<', gt: '>', amp: '&', apos: "'" };

/** Leaves invalid references unchanged. @param {string} text of XML */
export function decodeEntities(text) {
  // ETags have quotes, and usually no other references.
  const unquoted = text.replaceAll('&quot;', '"');
  if (!unquoted.includes('&')) {
    return unquoted;
  }
  return unquoted.replace(
    /&(?:(lt|gt|amp|apos)|#0*(\d{1,6})|#x0*([0-9A-Fa-f]{1,5}));/g,
    (_, name, decimal, hexadecimal) =>
      name === undefined
        ? String.fromCodePoint(decimal === undefined ? parseInt(hexadecimal, 16) : Number(decimal))
        : ENTITIES[name],
  );
}
