import { plainLine } from '../../text/plain-text.js';

/** @type {Readonly<Record<string, string>>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text that is inserted into a page unescaped. */
export class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * @typedef {Markup | string | number | null | readonly Content[]} Content strings are escaped, lists are joined, and
 *   null is omitted
 */

/**
 * Builds markup: html`<td>${name}</td>`. Attribute values must be in double quotes.
 *
 * @param {readonly string[]} parts
 * @param {...Content} contents
 * @returns {Markup}
 */
export function html(parts, ...contents) {
  return new Markup(parts.map((part, index) => (index === 0 ? '' : textOf(contents[index - 1])) + part).join(''));
}

/**
 * @param {Content} content
 * @returns {string}
 */
function textOf(content) {
  if (content === null) {
    return '';
  }
  if (content instanceof Markup) {
    return content.text;
  }
  return typeof content === 'object' ? content.map(textOf).join('') : escapeHtml(String(content));
}

/** The heading of a page, with a line per stage. @param {readonly string[]} lines */
export function headings(lines) {
  return html`<h1>${lines.map((line) => html`<span>${line}</span> `)}</h1>`;
}

/** Escapes text for elements and attributes, and shows invisible characters. @param {string} text from any source */
export function escapeHtml(text) {
  return plainLine(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/**
 * Escapes JSON for a `<script type="application/json">`. It stays JSON, but nothing in it can end the element, start a
 * comment, or end a line.
 *
 * @param {string} json
 */
export function embeddableJson(json) {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
