import { decodeEntities } from '../text/entities.js';
import { readXml } from '../text/xml.js';

const CODE = /^[A-Za-z0-9.]{1,64}$/;
const MAX_SHOWN = 100;
const HTTP_DATE = /^[A-Z][a-z]{2,8}, .{1,40} GMT$/;

/** Reads an S3 error response's body, which is untrusted text. Fields are '' if it is not XML. @param {string} body */
export function parseErrorBody(body) {
  const { root } = readXml(body);
  // Some gateways wrap the error in a document of their own.
  const error = root.all('Error')[0] ?? root;
  const code = error.textOf('Code')?.trim() ?? '';
  return {
    code: CODE.test(code) ? code : '',
    message: error.textOf('Message')?.trim() ?? (CODE.test(code) || error.name === 'Error' ? '' : wordsOf(body)),
    region: error.textOf('Region')?.trim() ?? '',
    requestId: error.textOf('RequestId')?.trim() ?? '',
  };
}

/** Reads the body of a response that reports success, and should have no such body. @param {string} body */
export function parseUnexpectedBody(body) {
  const error = parseErrorBody(body);
  return error.code + error.message === '' ? { ...error, message: body.trim().slice(0, MAX_SHOWN) } : error;
}

/**
 * A page's title, a JSON message, or the text itself: what a proxy, or a server that is not S3, says.
 *
 * @param {string} body untrusted text
 */
export function wordsOf(body) {
  const said =
    /<title[^<>]*>([^<]*[^<\s])/i.exec(body) ??
    /"(?:message|msg|error_?description|detail|error|title|reason)" ?: ?"((?:[^"\\]|\\.)*)"/i.exec(body);
  const words = decodeEntities(said?.[1] ?? body.replace(/<[^<>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
  // Titles such as «404 Not Found» repeat the status.
  return words.replace(/^[1-5]\d\d (?=\S)/, '');
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
