// Reads the few forms of XML that S3 uses, in linear time, whatever a document contains.

/** @type {Record<string, string>} */
const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Whether the text is XML that includes the end of its root element. @param {string} text */
export function isWholeDocument(text) {
  const [, root] = /^\s*(?:<\?[^>]*\?>\s*)?<([A-Za-z][\w.-]*)[\s>]/.exec(text) ?? [];
  return root !== undefined && text.trimEnd().endsWith(`</${root}>`);
}

/**
 * @param {string} document
 * @param {string} element
 * @returns {string | undefined} the text of the first element of that name; undefined if there is none
 */
export function textOf(document, element) {
  const start = document.indexOf(`<${element}>`);
  const end = start < 0 ? -1 : document.indexOf(`</${element}>`, start);
  return end < 0 ? undefined : decodeEntities(document.slice(start + element.length + 2, end));
}

/**
 * Takes linear time, whatever the document contains.
 *
 * @param {string} document
 * @param {string} element
 * @returns {Generator<string, void, undefined>} the content of each element of that name, as XML
 */
export function* contentsOf(document, element) {
  const opening = `<${element}>`;
  const closing = `</${element}>`;
  let next = 0;
  for (;;) {
    const start = document.indexOf(opening, next);
    const end = start < 0 ? -1 : document.indexOf(closing, start);
    if (end < 0) {
      return;
    }
    yield document.slice(start + opening.length, end);
    next = end + closing.length;
  }
}

/** Leaves invalid references unchanged. @param {string} text of XML */
export function decodeEntities(text) {
  return text.replace(
    /&(?:(lt|gt|amp|quot|apos)|#0*(\d{1,6})|#x0*([0-9A-Fa-f]{1,5}));/g,
    (_, name, decimal, hexadecimal) =>
      name === undefined
        ? String.fromCodePoint(decimal === undefined ? parseInt(hexadecimal, 16) : Number(decimal))
        : ENTITIES[name],
  );
}
