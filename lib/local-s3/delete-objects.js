import { S3Error } from './s3-error.js';
import { MAX_KEYS } from './list-objects.js';
import { escapeXml, unescapeXml, xmlDocument } from './xml.js';

/** @import { ObjectTable } from './object-table.js' */

const DOCUMENT = /^\s*(?:<\?xml[^>]*\?>\s*)?<Delete(?:\s[^>]*)?>(.*)<\/Delete>\s*$/s;
const OBJECT = /<Object>(.*?)<\/Object>/gs;
const KEY = /<Key>([^<]+)<\/Key>/;
const QUIET = /<Quiet>\s*true\s*<\/Quiet>/;

/**
 * DeleteObjects: a key that does not exist counts as deleted.
 *
 * @param {ObjectTable} table
 * @param {Buffer} body the XML request
 * @returns {string} the XML response, which lists no keys in quiet mode
 * @throws {S3Error} MalformedXML
 */
export function deleteObjects(table, body) {
  const { keys, quiet } = parseDeleteRequest(body.toString('utf8'));
  keys.forEach((key) => table.delete(key));
  const deleted = quiet ? [] : keys.map((key) => `<Deleted><Key>${escapeXml(key)}</Key></Deleted>`);
  return deleteResult(deleted.join(''));
}

/** @param {string} content XML */
function deleteResult(content) {
  return xmlDocument(`<DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</DeleteResult>`);
}

/** @param {string} text */
function parseDeleteRequest(text) {
  const content = DOCUMENT.exec(text)?.[1];
  if (content === undefined) {
    throw malformed();
  }
  const keys = [...content.matchAll(OBJECT)].map(([, object]) => {
    const key = KEY.exec(object)?.[1];
    if (key === undefined) {
      throw malformed();
    }
    return unescapeXml(key);
  });
  if (keys.length === 0 || keys.length > MAX_KEYS) {
    throw malformed();
  }
  return { keys, quiet: QUIET.test(content) };
}

function malformed() {
  return new S3Error(
    'MalformedXML',
    `The XML you provided was not well-formed or does not name 1 to ${MAX_KEYS} keys.`,
  );
}
