/** @type {Record<string, string>} */
const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const HTTP_DATE = /^[A-Z][a-z]{2,8}, .{1,40} GMT$/;

/** Reads an S3 error response's body, which is untrusted text. Fields are '' if it is not XML. @param {string} body */
export function parseErrorBody(body) {
  return {
    code: /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(body)?.[1] ?? '',
    message: textOf(body, 'Message') ?? '',
    region: textOf(body, 'Region') ?? '',
  };
}

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

/**
 * The embedded endpoint has its own XML code (local-s3/xml.js), so that client and endpoint test each other.
 *
 * @param {string} text of XML
 */
export function decodeEntities(text) {
  return text.replace(
    /&(?:(lt|gt|amp|quot|apos)|#0*(\d{1,6})|#x0*([0-9A-Fa-f]{1,5}));/g,
    (_, name, decimal, hexadecimal) =>
      name === undefined
        ? String.fromCodePoint(decimal === undefined ? parseInt(hexadecimal, 16) : Number(decimal))
        : ENTITIES[name],
  );
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
