import { SaxesParser } from 'saxes';
import { decodeEntities } from './entities.js';

// Reads the documents of stores, with an XML parser. The two forms that make up nearly all responses of a measured
// stage are scanned instead, which takes a fraction of the time. A scanner reads a document as the parser does, or
// leaves it to the parser; test/fuzz/xml.test.js compares both.

/** S3 documents have five levels. The limit keeps hostile documents cheap. */
const MAX_DEPTH = 16;

/** A code point of a private use area for each control character, which XML 1.0 cannot represent, but S3's keys may have. */
const SHELTER = 0xf0000;

const FLAT_START =
  /^(?:<\?xml version="1\.0"(?: encoding="UTF-8")?(?: standalone="(?:yes|no)")?\?>)?\n?<([A-Za-z]+)(?: xmlns="[\w:/.-]*")?>/;
const FLAT_LEAF =
  /<([A-Za-z]+)>([\t\n -%'-;=-\\^-~]*(?:&(?:quot|amp|lt|gt|apos|#34|#39);[\t\n -%'-;=-\\^-~]*)*)<\/\1>/y;
const PLAIN_KEY = /[ -%'-;=-\\^-~]*<\/Key>/y;
const KEY_END = '</Key>'.length;

/** An element without its namespace prefix. S3 documents have one namespace, which many stores omit or prefix. */
export class XmlElement {
  /** @type {XmlElement[]} */
  children = [];

  /**
   * @param {string} name
   * @param {string} [text]
   */
  constructor(name, text = '') {
    this.name = name;
    this.text = text;
  }

  /** @param {string} name */
  all(name) {
    return this.children.filter((child) => child.name === name);
  }

  /** The text of the first child of that name; undefined if there is none. @param {string} name */
  textOf(name) {
    return this.children.find((child) => child.name === name)?.text;
  }
}

/**
 * @typedef {object} XmlDocument
 * @property {XmlElement} root without a name if there is none
 * @property {boolean} isWhole whether the document is well-formed; otherwise, `root` has what precedes the first error
 * @property {string[]} keys the keys of its entries, see readXml()
 */

/**
 * @param {string} text
 * @param {string | null} [entry] name of children of the root of which only the key matters. They may be left out of the
 *   root, and nothing else in them needs to be well-formed
 * @returns {XmlDocument}
 */
export function readXml(text, entry = null) {
  const scanned = entry === null ? null : scanEntries(text, entry);
  if (scanned !== null) {
    return scanned;
  }
  const flat = scanFlat(text);
  const { root, isWhole } = flat === null ? parseXml(text) : { root: flat, isWhole: true };
  return { root, isWhole, keys: entry === null ? [] : root.all(entry).map((each) => each.textOf('Key') ?? '') };
}

/**
 * Cuts a sequence of entries that begin with their keys out of a document, and reads the rest of it.
 *
 * @param {string} text
 * @param {string} entry
 * @returns {XmlDocument | null} null if the document has another form
 */
function scanEntries(text, entry) {
  const opening = `<${entry}><Key>`;
  const closing = `</${entry}>`;
  const start = text.indexOf(opening);
  // A comment or the like could contain anything.
  if (start < 0 || text.includes('!', start) || text.includes('?', start)) {
    return null;
  }
  /** @type {string[]} */
  const keys = [];
  let next = start;
  while (text.startsWith(opening, next)) {
    PLAIN_KEY.lastIndex = next + opening.length;
    if (!PLAIN_KEY.test(text)) {
      return null;
    }
    keys.push(text.slice(next + opening.length, PLAIN_KEY.lastIndex - KEY_END));
    const end = text.indexOf(closing, PLAIN_KEY.lastIndex);
    if (end < 0) {
      return null;
    }
    next = end + closing.length;
  }
  const { root, isWhole } = readXml(`${text.slice(0, start)}<${entry}>${closing}${text.slice(next)}`);
  return isWhole && root.all(entry).length === 1 ? { root, isWhole, keys } : null;
}

/**
 * @param {string} text
 * @returns {XmlElement | null} the root element; null unless all its children are simple elements
 */
function scanFlat(text) {
  const start = FLAT_START.exec(text);
  if (start === null) {
    return null;
  }
  const root = new XmlElement(start[1]);
  let next = start[0].length;
  FLAT_LEAF.lastIndex = next;
  for (let leaf = FLAT_LEAF.exec(text); leaf !== null; leaf = FLAT_LEAF.exec(text)) {
    root.children.push(new XmlElement(leaf[1], leaf[2].includes('&') ? decodeEntities(leaf[2]) : leaf[2]));
    next = FLAT_LEAF.lastIndex;
  }
  return text.slice(next).trimEnd() === `</${root.name}>` ? root : null;
}

/**
 * @param {string} text
 * @returns {Pick<XmlDocument, 'root' | 'isWhole'>}
 */
export function parseXml(text) {
  const open = [new XmlElement('')];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentagstart', ({ name }) => {
    if (open.length > MAX_DEPTH) {
      throw new RangeError('too many levels');
    }
    const element = new XmlElement(name.slice(name.indexOf(':') + 1));
    open[open.length - 1].children.push(element);
    open.push(element);
  });
  const addText = (/** @type {string} */ part) => (open[open.length - 1].text += unsheltered(part));
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => open.pop());
  let isWhole = true;
  try {
    parser.write(sheltered(text.trimStart())).close();
  } catch {
    isWhole = false;
  }
  return { root: open[0].children[0] ?? open[0], isWhole };
}

/**
 * Makes readable for the parser what is not XML, but occurs: control characters, which S3 writes as references, and
 * ampersands that no store escaped.
 *
 * @param {string} text
 */
function sheltered(text) {
  const escaped = text.includes('<![CDATA[')
    ? text
    : text.replace(/&(?!(?:lt|gt|amp|quot|apos|#\d+|#x[\da-f]+);)/gi, '&amp;');
  return escaped.replace(/\p{Cc}|&#(?:0*(\d{1,7})|x0*([\da-f]{1,6}));/giu, (part, decimal, digits) => {
    const code = digits === undefined ? Number(decimal ?? part.charCodeAt(0)) : parseInt(digits, 16);
    if (code < 0x20 && !'\t\n\r'.includes(String.fromCharCode(code))) {
      return String.fromCodePoint(SHELTER + code);
    }
    // A request's URL cannot contain half of a surrogate pair.
    return (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? '\ufffd' : part;
  });
}

/** @param {string} text */
function unsheltered(text) {
  return text.replace(/[\u{f0000}-\u{f001f}]/gu, (part) => String.fromCharCode(part.charCodeAt(1) & 0x1f));
}
