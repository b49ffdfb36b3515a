import { plainLine } from '../../text/plain-text.js';

/** @type {Readonly<Record<string, string>>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** What may stand in a page as it is. */
export class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * What may be put into a page: text is escaped, whatever it says; a list is put together; null is nothing.
 *
 * @typedef {Markup | string | number | null | readonly Content[]} Content
 */

/**
 * Markup with contents in it: html`<td>${name}</td>`. Attributes have to stand in double quotes.
 *
 * @param {readonly string[]} parts
 * @param {...Content} contents
 * @returns {Markup}
 */
export function html(parts, ...contents) {
  return new Markup(parts.map((part, place) => (place === 0 ? '' : textOf(contents[place - 1])) + part).join(''));
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

/**
 * @param {string} text from wherever
 * @returns {string} that is nothing but text, in an element and in an attribute; what nobody would see is made visible
 */
export function escapeHtml(text) {
  return plainLine(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/**
 * JSON for a `<script type="application/json">`: still JSON, but nothing in it can end the element, begin a comment, or end
 * a line.
 *
 * @param {string} json
 * @returns {string}
 */
export function embeddableJson(json) {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
