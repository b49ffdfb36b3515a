import { MAX_KEYS } from './list-objects.js';
import { element, itemsIn, malformed, xmlDocument } from './xml.js';

/** @import { ObjectTable } from './object-table.js' */

/**
 * DeleteObjects: a key that does not exist counts as deleted.
 *
 * @param {ObjectTable} table
 * @param {Buffer} body the XML request
 * @returns {string} the XML response, which lists no keys in quiet mode
 * @throws {S3Error} MalformedXML
 */
export function deleteObjects(table, body) {
  const { root } = itemsIn(body, 'Delete', 'Object');
  const keys = keysToDelete(body);
  if (keys.includes('') || keys.length > MAX_KEYS) {
    throw malformed('Object');
  }
  keys.forEach((key) => table.delete(key));
  const isQuiet = root.textOf('Quiet') === 'true';
  const deleted = isQuiet ? [] : keys.map((key) => `<Deleted>${element('Key', key)}</Deleted>`);
  return xmlDocument('DeleteResult', deleted.join(''));
}

/** @param {Buffer} body of a DeleteObjects request */
export function keysToDelete(body) {
  return itemsIn(body, 'Delete', 'Object').items.map((object) => object.textOf('Key') ?? '');
}
