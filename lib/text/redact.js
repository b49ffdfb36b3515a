const STAND_IN = '[secret]';

/** Minimum length of a secret's fragment to remove. A shorter fragment might be in any message by chance. */
const SECRET_WINDOW = 8;

/**
 * Minimum length of a fragment of an access key ID to remove. A secret entered as an ID is longer than this, but a
 * shorter ID might be an ordinary word.
 */
const ID_WINDOW = 16;

/** At most offsets, this many characters are enough to rule out that a secret starts there. */
const PREFIX_LENGTH = 4;

/** Enough, for example, for a URL in JSON in a URL. */
const MAX_NESTED_ESCAPES = 3;

/** HTML's names for printable characters other than letters and digits. */
// prettier-ignore
const ENTITIES = new Map(Object.entries({
  excl: '!', quot: '"', num: '#', dollar: '$', percnt: '%', amp: '&', apos: "'", lpar: '(', rpar: ')',
  ast: '*', midast: '*', plus: '+', comma: ',', hyphen: '-', dash: '-', period: '.', sol: '/', colon: ':',
  semi: ';', lt: '<', equals: '=', gt: '>', quest: '?', commat: '@', lsqb: '[', lbrack: '[', bsol: '\\',
  rsqb: ']', rbrack: ']', hat: '^', lowbar: '_', underbar: '_', grave: '`', diacriticalgrave: '`', lcub: '{',
  lbrace: '{', verbar: '|', vert: '|', verticalline: '|', rcub: '}', rbrace: '}',
}));

const BEGINS_ESCAPE = /[%\\&]/;

/** Character codes after the start of an escape. */
const CODE_AFTER_PERCENT = /([0-9a-f]{2})/iy;
const CODE_AFTER_BACKSLASH = /(?:u\{0{0,8}([0-9a-f]{1,2})\}|u00([0-9a-f]{2})|x([0-9a-f]{2}))/iy;
const ENTITY_NUMBER = /(?:x0{0,64}([0-9a-f]{1,2})|0{0,64}([0-9]{1,3}))/iy;
const ENTITY_NAME = /[a-z]{2,16}/iy;

const LETTER_OR_DIGIT = /[0-9a-z]/;

/** Runs of characters that might be encoded text, and the number of alignments to try. */
const ENCODED_RUNS = /** @type {const} */ ([
  { encoding: 'hex', run: /(?:[0-9a-f]{2}[ :]?){8,}[0-9a-f]?/gi, alignments: 2 },
  { encoding: 'base64', run: /[A-Za-z0-9+/_-]{11,}/g, alignments: 4 },
]);

/**
 * @typedef {{ character: string, end: number }} Reading one way to read an offset of a text: as a plain character or as
 *   an escape; `end` is the offset after it
 *
 * @typedef {{ secrets: readonly string[], ids?: readonly string[] }} Secrets values that must not be shown. An access
 *   key ID is not secret, but the user may have entered the secret in its field
 */

/** By holder. @type {Map<unknown, Secrets>} */
const kept = new Map();

/** Derived from all secrets; null after a change. @type {Windows | null} */
let knownWindows = null;

/** A failing store sends the same message thousands of times, so the last result is kept. */
let [lastText, lastRedacted] = ['', ''];

/**
 * Call this for each secret as soon as it is read: the host that receives the secret might echo it in a message.
 *
 * @param {Secrets} secrets
 * @param {unknown} [holder] whose previous secrets these replace
 */
export function keepSecrets(secrets, holder = secrets) {
  kept.set(holder, secrets);
  knownWindows = null;
  lastText = lastRedacted = '';
}

/** @returns {Required<Secrets>} this thread's secrets, for another thread */
export function keptSecrets() {
  const all = [...kept.values()];
  return { secrets: all.flatMap(({ secrets }) => secrets), ids: all.flatMap(({ ids = [] }) => ids) };
}

/**
 * Removes whatever can be read as SECRET_WINDOW or more consecutive characters of a secret, in any letter case and
 * escaping. Takes time linear in the text's length.
 *
 * @param {string} text from outside
 */
export function redact(text) {
  knownWindows ??= windowsOf(keptSecrets());
  if (knownWindows.isEmpty) {
    return text;
  }
  if (text !== lastText) {
    [lastText, lastRedacted] = [text, withoutWindows(text, knownWindows)];
  }
  return lastRedacted;
}

/** @param {Required<Secrets>} all */
function windowsOf({ secrets, ids }) {
  const windows = new Windows();
  new Set(secrets).forEach((secret) => windows.addAllOf(secret, SECRET_WINDOW));
  new Set(ids).forEach((id) => windows.addAllOf(id, ID_WINDOW));
  return windows;
}

/** Fragments of secrets to remove. Each is stored with its prefixes, which guide the search. */
class Windows {
  /** Whether a prefix is a complete window. @type {Map<string, boolean>} */
  #beginnings = new Map();

  get isEmpty() {
    return this.#beginnings.size === 0;
  }

  /**
   * @param {string} secret
   * @param {number} length of each window
   */
  addAllOf(secret, length) {
    const folded = fold(secret);
    for (let start = 0; start + length <= folded.length; start++) {
      for (let end = start + 1; end <= start + length; end++) {
        const beginning = folded.slice(start, end);
        this.#beginnings.set(beginning, end === start + length || this.isWhole(beginning));
      }
    }
  }

  /** @param {string} text */
  isBeginning(text) {
    return this.#beginnings.has(text);
  }

  /** @param {string} text */
  isWhole(text) {
    return this.#beginnings.get(text) ?? false;
  }
}

class Spellings {
  #text;
  /** @type {Map<string, Reading[]>} */
  #known = new Map();

  /** @param {string} text */
  constructor(text) {
    this.#text = fold(text);
  }

  /**
   * @param {number} offset
   * @param {number} [nesting] levels of nested escapes to decode
   * @returns {readonly Reading[]} with characters in folded form
   */
  at(offset, nesting = MAX_NESTED_ESCAPES) {
    if (offset >= this.#text.length) {
      return [];
    }
    const asItIs = { character: this.#text[offset], end: offset + 1 };
    if (nesting === 0 || !BEGINS_ESCAPE.test(asItIs.character)) {
      return [asItIs];
    }
    const known = this.#known.get(`${offset} ${nesting}`);
    const readings = known ?? distinct([asItIs, ...this.#escapesAt(offset, nesting - 1)]);
    this.#known.set(`${offset} ${nesting}`, readings);
    return readings;
  }

  /**
   * @param {number} offset
   * @param {number} length
   * @returns {string | null} the folded text at the offset; null if it contains the start of an escape
   */
  plainAt(offset, length) {
    const text = this.#text.slice(offset, offset + length);
    return BEGINS_ESCAPE.test(text) ? null : text;
  }

  /**
   * @param {number} offset
   * @param {number} nesting
   * @returns {Reading[]}
   */
  #escapesAt(offset, nesting) {
    return this.at(offset, nesting).flatMap((beginning) => {
      const { character, end } = beginning;
      switch (character) {
        case '%':
          return [beginning, ...this.#codeAt(end, CODE_AFTER_PERCENT, 16)];
        case '\\': {
          const escaped = this.at(end, nesting).filter((reading) => !LETTER_OR_DIGIT.test(reading.character));
          return [beginning, ...this.#codeAt(end, CODE_AFTER_BACKSLASH, 16), ...escaped];
        }
        case '&':
          return [beginning, ...this.#entitiesAt(end, nesting)];
        default:
          return [beginning];
      }
    });
  }

  /**
   * @param {number} offset after the `&`
   * @param {number} nesting
   * @returns {Reading[]}
   */
  #entitiesAt(offset, nesting) {
    const [name = ''] = matchAt(ENTITY_NAME, this.#text, offset) ?? [];
    const character = ENTITIES.get(name);
    const named = character === undefined ? [] : [{ character, end: offset + name.length }];
    const numbered = this.#literalAt(offset, '#', nesting).flatMap((end) => this.#codeAt(end, ENTITY_NUMBER, 10));
    return [...named, ...numbered].flatMap((reading) =>
      this.#literalAt(reading.end, ';', nesting).map((end) => ({ ...reading, end })),
    );
  }

  /**
   * @param {number} offset
   * @param {string} literal a character
   * @param {number} nesting
   * @returns {number[]} ends of its spellings that start at the offset
   */
  #literalAt(offset, literal, nesting) {
    return this.at(offset, nesting).flatMap(({ character, end }) => (character === literal ? [end] : []));
  }

  /**
   * @param {number} offset
   * @param {RegExp} pattern whose groups are hexadecimal except the last one
   * @param {number} lastRadix
   * @returns {Reading[]} one reading, or none if there is no code
   */
  #codeAt(offset, pattern, lastRadix) {
    const match = matchAt(pattern, this.#text, offset);
    if (match === null) {
      return [];
    }
    const [whole, ...groups] = match;
    const group = groups.findIndex((digits) => digits !== undefined);
    const code = parseInt(groups[group], group === groups.length - 1 ? lastRadix : 16);
    return [{ character: fold(String.fromCharCode(code)), end: offset + whole.length }];
  }
}

/**
 * @param {string} text
 * @param {Windows} windows
 */
function withoutWindows(text, windows) {
  const spellings = new Spellings(text);
  const encoded = encodedSecrets(text, windows);
  let redacted = '';
  let hiddenUntil = -1;
  for (let start = 0; start < text.length; start++) {
    const end = Math.max(encoded.get(start) ?? -1, endOfWindow(spellings, start, windows));
    if (end > 0 && start > hiddenUntil) {
      redacted += text.slice(Math.max(hiddenUntil, 0), start) + STAND_IN;
    }
    hiddenUntil = Math.max(hiddenUntil, end);
  }
  return redacted + text.slice(Math.max(hiddenUntil, 0));
}

/**
 * @param {Spellings} spellings of a text
 * @param {number} start
 * @param {Windows} windows
 * @returns {number} end of the longest spelling of a window at `start`; -1 if there is none
 */
function endOfWindow(spellings, start, windows) {
  const plain = spellings.plainAt(start, PREFIX_LENGTH);
  if (plain !== null && !windows.isBeginning(plain)) {
    return -1;
  }
  let longest = -1;
  /** @type {Reading[]} */
  let read = [{ character: '', end: start }];
  while (read.length > 0) {
    const further = read.flatMap(({ character: beginning, end: offset }) =>
      spellings
        .at(offset)
        .map(({ character, end }) => ({ character: beginning + character, end }))
        .filter((reading) => windows.isBeginning(reading.character)),
    );
    // Several paths may lead to the same reading; continue with only one of them.
    read = further.length > 1 ? distinct(further) : further;
    longest = read.reduce(
      (most, { character, end }) => (windows.isWhole(character) ? Math.max(most, end) : most),
      longest,
    );
  }
  return longest;
}

/**
 * @param {string} text
 * @param {Windows} windows
 * @returns {Map<number, number>} start and end of each secret in hexadecimal or base64
 */
function encodedSecrets(text, windows) {
  const found = new Map();
  for (const { encoding, run, alignments } of ENCODED_RUNS) {
    for (const { 0: digits, index } of text.matchAll(run)) {
      const dense = digits.replace(/[ :]/g, '');
      const decoded = Array.from({ length: alignments }, (_, skipped) =>
        Buffer.from(dense.slice(skipped), encoding).toString('latin1'),
      );
      if (decoded.some((plain) => holdsWindow(plain, windows))) {
        found.set(index, index + digits.length);
      }
    }
  }
  return found;
}

/**
 * @param {string} text
 * @param {Windows} windows
 */
function holdsWindow(text, windows) {
  const spellings = new Spellings(text);
  return Array.from(text).some((_, start) => endOfWindow(spellings, start, windows) > 0);
}

/** Ignores letter case, and reads a space as `+`, as in a form. @param {string} text */
function fold(text) {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll(' ', '+');
}

/**
 * @param {RegExp} pattern sticky
 * @param {string} text
 * @param {number} offset
 */
function matchAt(pattern, text, offset) {
  pattern.lastIndex = offset;
  return pattern.exec(text);
}

/** @param {readonly Reading[]} readings */
function distinct(readings) {
  return [...new Map(readings.map((reading) => [`${reading.end} ${reading.character}`, reading])).values()];
}
