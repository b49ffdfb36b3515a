import { readFileSync } from 'node:fs';

/** @import { ResultSchema } from './schema-type.js' */

/** @type {ResultSchema} */
export const SCHEMA = JSON.parse(readFileSync(new URL('./result.schema.json', import.meta.url), 'utf8'));

/** Version 2 renamed seconds to `secondStart`; 3 unified one and several hosts, and added a histogram per second. */
export const FORMAT = SCHEMA.properties.format.minimum;
