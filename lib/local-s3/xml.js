const ENTITIES = /** @type {Record<string, string>} */ ({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" });
const NAMES = new Map(Object.entries(ENTITIES).map(([name, character]) => [character, name]));
const ENTITY_PATTERN = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos));/gi;
const SPECIAL = /[&<>"']|\p{Cc}/gu;
const LAST_CODE_POINT = 0x10ffff;

/**
 * Keys can contain control characters. Like S3, this function writes them as numeric references, although XML 1.0
 * forbids most of them.
 *
 * @param {string} text
 * @returns {string} the content of an element
 */
export function escapeXml(text) {
  return text.replace(SPECIAL, (character) => `&${NAMES.get(character) ?? `#${character.charCodeAt(0)}`};`);
}

/** Leaves invalid references unchanged. @param {string} text the content of an element */
export function unescapeXml(text) {
  return text.replace(ENTITY_PATTERN, (reference, hexadecimal, decimal, name) => {
    if (name !== undefined) {
      return ENTITIES[name] ?? reference;
    }
    const codePoint = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
    return codePoint <= LAST_CODE_POINT ? String.fromCodePoint(codePoint) : reference;
  });
}

/** @param {string} root the root element */
export function xmlDocument(root) {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}`;
}
