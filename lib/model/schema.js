import { readFileSync } from 'node:fs';

/** @import { ResultSchema } from './schema-type.js' */

/** @type {ResultSchema} */
export const SCHEMA = JSON.parse(readFileSync(new URL('./result.schema.json', import.meta.url), 'utf8'));

/**
 * Format 2 renamed the start of a second to `secondStart`. Format 3 is the same for one and several hosts, and has a
 * histogram per second.
 */
export const FORMAT = SCHEMA.properties.format.minimum;
