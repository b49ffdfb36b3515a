import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withFigureTable } from './figure-table.js';
import { withOptionTables } from './option-tables.js';
import { table } from './table.js';

/**
 * @typedef {{ [keyword: string]: any }} Schema
 * @typedef {ReadonlyMap<Schema, string>} Links to the headings above the tables of objects
 */

const SCHEMA = new URL('../lib/result/result.schema.json', import.meta.url);
const TYPES = new URL('../lib/result/result.schema.d.ts', import.meta.url);
const PAGE = new URL('../docs/reference/result-schema.md', import.meta.url);
const COMMAND_LINE = new URL('../docs/reference/command-line.md', import.meta.url);
const CI = new URL('../docs/use/ci.md', import.meta.url);

const BANNER = '// Generated from result.schema.json by `npm run generate`. Change the schema, not this file.\n';
const LINE_LENGTH = 120;

/** A marker on the page names the definition that its table shows; `result` is the whole schema. */
const TABLE = /(?<=^<!-- fields of (\w+) -->\n).*?(?=^<!-- end of fields -->$)/gms;
const HEADING_OR_TABLE = /^#+ (.+)$|^<!-- fields of (\w+) -->$/gm;

/** @type {Schema} */
const root = JSON.parse(readFileSync(SCHEMA, 'utf8'));

/**
 * @returns {{ file: URL, text: string }[]} the types of a result, and the pages with tables of its fields, the options
 *   and the figures
 */
export function generate() {
  return [
    { file: TYPES, text: [BANNER, ...titled(root).map(declaration)].join('\n') },
    { file: PAGE, text: withTables(readFileSync(PAGE, 'utf8')) },
    { file: COMMAND_LINE, text: withOptionTables(readFileSync(COMMAND_LINE, 'utf8')) },
    { file: CI, text: withFigureTable(readFileSync(CI, 'utf8')) },
  ];
}

/**
 * @param {unknown} value
 * @returns {Schema[]} the schemas in it with a title, which names a type
 */
function titled(value) {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const parts = Object.values(value).flatMap(titled);
  return 'title' in value && typeof value.title === 'string' ? [value, ...parts] : parts;
}

/** @param {Schema} schema */
function declaration({ title, ...schema }) {
  if (schema.properties === undefined) {
    const types = typesOf(schema).filter((type) => type !== 'null');
    return `${comment(schema, '')}export type ${title} = ${types.join(' | ')};\n`;
  }
  const fields = Object.entries(schema.properties).map(([name, part]) => {
    const isRequired = schema.required?.includes(name);
    return `${comment(described(part), '  ')}  ${name}${isRequired ? '' : '?'}: ${typesOf(part).join(' | ')};\n`;
  });
  const base = schema.$ref === undefined ? '' : ` extends ${target(schema).title}`;
  return `${comment(schema, '')}export interface ${title}${base} {\n${fields.join('')}}\n`;
}

/**
 * @param {Schema} schema
 * @returns {string[]} the types of a value, in TypeScript
 */
function typesOf({ title, ...schema }) {
  const { $ref, anyOf, enum: values, type, items, properties, additionalProperties } = schema;
  if (title !== undefined) {
    return typesOf(schema).includes('null') ? [title, 'null'] : [title];
  }
  if (properties !== undefined) {
    return [type].flat();
  }
  if ($ref !== undefined) {
    return typesOf(target(schema));
  }
  if (anyOf !== undefined) {
    return anyOf.flatMap(typesOf);
  }
  if (values !== undefined) {
    return values.map((/** @type {string | null} */ value) => (value === null ? 'null' : `'${value}'`));
  }
  if (Array.isArray(type)) {
    return type.flatMap((each) => typesOf({ ...schema, type: each }));
  }
  if (type === 'array') {
    const item = typesOf(items);
    return [item.length > 1 ? `readonly (${item.join(' | ')})[]` : `readonly ${item}[]`];
  }
  if (type === 'object') {
    return [`Record<string, ${typesOf(additionalProperties).join(' | ')}>`];
  }
  return [type === 'integer' ? 'number' : type];
}

/** @param {Schema} schema that references or extends another */
function target({ $ref }) {
  const names = /** @type {string[]} */ ($ref.split('/').slice(1));
  return names.reduce((schema, name) => schema[name], root);
}

/**
 * @param {Schema} schema
 * @returns {Schema} the schema, with its target's description and unit as defaults
 */
function described(schema) {
  return schema.$ref === undefined ? schema : { ...target(schema), ...schema };
}

/**
 * @param {Schema} schema
 * @param {string} indent
 * @returns {string} its description as JSDoc
 */
function comment({ description = '', 'x-unit': unit }, indent) {
  const text = `${description}${unit === undefined ? '' : ` Unit: ${unit}.`}`.trim();
  const length = LINE_LENGTH - indent.length;
  if (text.length <= length - '/**  */'.length) {
    return text === '' ? '' : `${indent}/** ${text} */\n`;
  }
  const lines = text.replace(new RegExp(`(.{1,${length - ' * '.length}})(?: |$)`, 'g'), `${indent} * $1\n`);
  return `${indent}/**\n${lines}${indent} */\n`;
}

/** @param {string} page */
function withTables(page) {
  const schemaNamed = (/** @type {string} */ name) => (name === 'result' ? root : root.$defs[name]);
  /** @type {Map<Schema, string>} */
  const links = new Map();
  let heading = '';
  for (const [, title = heading, name] of page.matchAll(HEADING_OR_TABLE)) {
    heading = title;
    links.set(schemaNamed(name), `[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`);
  }
  return page.replace(
    TABLE,
    (_, name) => `\n${table([['field', 'type', 'meaning'], ...rowsOf(schemaNamed(name), links)])}\n`,
  );
}

/**
 * @param {Schema} schema of an object
 * @param {Links} links
 * @param {string} [path] of the object
 * @returns {string[][]} a row for each field, including those of nested objects without a table
 */
function rowsOf(schema, links, path = '') {
  const isExtended = schema.$ref !== undefined && !links.has(target(schema));
  const fields = Object.entries({ ...(isExtended ? target(schema).properties : {}), ...schema.properties });
  return fields.flatMap(([name, part]) => {
    const types = typesOf(part);
    const value = valueIn(part);
    const fieldPath = path + name + (types[0].endsWith('[]') ? '[]' : '');
    const type = (links.get(value) ?? typeInWords(value)) + (types.includes('null') ? ' or null' : '');
    const row = [`\`${fieldPath}\``, type, described(part).description ?? ''];
    return value.properties === undefined || links.has(value) ? [row] : [row, ...rowsOf(value, links, `${fieldPath}.`)];
  });
}

/**
 * @param {Schema} schema
 * @returns {Schema} the schema of the non-null value, or of a list's items
 */
function valueIn(schema) {
  const isReference = schema.$ref !== undefined && schema.properties === undefined;
  const inner = isReference ? target(schema) : (schema.items ?? schema.anyOf?.[0]);
  return inner === undefined ? schema : valueIn(inner);
}

/** @param {Schema} schema */
function typeInWords({ type, enum: values, 'x-unit': unit }) {
  /** @type {string[]} */
  const types = values?.map((/** @type {unknown} */ value) => JSON.stringify(value)) ?? [type].flat();
  return types.filter((each) => each !== 'null').join(', ') + (unit === undefined ? '' : ` (${unit})`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  generate().forEach(({ file, text }) => writeFileSync(file, text));
}
