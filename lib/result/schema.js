import { readFileSync } from 'node:fs';

/** @import { ResultSchema } from './schema-type.js' */

/** @type {ResultSchema} */
export const SCHEMA = JSON.parse(readFileSync(new URL('./result.schema.json', import.meta.url), 'utf8'));

/**
 * Format 2 renamed the start of a second to `secondStart`. Format 3 is the same for one and several hosts, and has a
 * histogram per second.
 */
export const FORMAT = SCHEMA.properties.format.minimum;

/** @typedef {{ [keyword: string]: any }} Schema a part of the schema */

/** @param {Schema} schema @returns {Schema} with the fields of the schema that it refers to */
export function resolved({ $ref, ...own }) {
  const target = $ref
    ?.split('/')
    .slice(1)
    .reduce((/** @type {Schema} */ within, /** @type {string} */ name) => within[name], SCHEMA);
  return { ...target, ...own };
}

/** @param {Schema} schema @returns {{ [name: string]: Schema }} properties of an object, including those that it extends */
export function propertiesOf({ $ref, properties = {} }) {
  return $ref === undefined ? properties : { ...propertiesOf(resolved({ $ref })), ...properties };
}
