import { readFileSync } from 'node:fs';

/** @import { ResultSchema } from './schema-type.js' */

/** What a result is, as it is published. @type {ResultSchema} */
export const SCHEMA = JSON.parse(readFileSync(new URL('./result.schema.json', import.meta.url), 'utf8'));

/**
 * Version of the shape: 2 since seconds are named `secondStart`, 3 since results of one host and of several are one shape,
 * with a histogram for each second.
 */
export const FORMAT = SCHEMA.properties.format.minimum;
