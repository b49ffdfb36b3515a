/**
 * How one value stands in a line of the log. `parse` sees only text that the pattern matches, and returns undefined where
 * it means nothing. `format` may return anything for a value out of range: the text is read back before it is used.
 *
 * @typedef {object} Notation
 * @property {string} pattern a regular expression without capturing groups, in which every repetition is bounded and no
 *   text can match in two ways: the time to match stays linear
 * @property {string} expected what a value must be, for the error message
 * @property {boolean} [isExact] whether the pattern alone assures that a value that was read is written with the same text
 * @property {(text: string) => any} parse
 * @property {(value: any) => string} format
 */

/** @type {Notation} */
export const count = {
  pattern: '(?:0|[1-9][0-9]{0,15})',
  expected: `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
  isExact: true,
  parse: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : undefined),
  format: String,
};

/** @type {Notation} */
export const timeOfDay = {
  pattern: '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]',
  expected: 'a time of day from 00:00:00 to 23:59:59',
  isExact: true,
  parse: (text) => text,
  format: String,
};

/** Text in words and figures, of this tool's own making. @type {Notation} */
export const sentence = {
  pattern: '[\\x20-\\x7e]{1,600}',
  expected: 'up to 600 printable ASCII characters',
  isExact: true,
  parse: (text) => text,
  format: String,
};

/** Letters, digits and hyphens that may follow the capital letter of a {@link capitalizedWord}. */
const MAX_FURTHER_LETTERS = 31;

/**
 * A name such as `Write`. The capital keeps text of other programs, and the names of properties that all objects have, from
 * being taken for one.
 *
 * @type {Notation}
 */
export const capitalizedWord = {
  pattern: wordPattern(`{0,${MAX_FURTHER_LETTERS}}`),
  expected: 'a word of at most 32 letters, digits and hyphens that begins with a capital letter',
  isExact: true,
  parse: (text) => text,
  format: String,
};

/**
 * The name of an operation in a stage that mixes several. `attempt` is none: lines of the stage have the word there.
 *
 * @type {Notation}
 */
export const operationName = {
  pattern: `(?!attempt(?![a-z0-9-]))${namePattern(`{0,${MAX_FURTHER_LETTERS}}`)}`,
  expected: 'a word of at most 32 small letters, digits and hyphens, other than attempt',
  isExact: true,
  parse: (text) => text,
  format: String,
};

/**
 * Twelve digits before the point and two after it are still exact in a float, so that they come back as they were.
 *
 * @param {1 | 2} places digits after the point, to which a value is rounded
 * @param {string} unit
 * @returns {Notation}
 */
export function decimal(places, unit) {
  return {
    pattern: `(?:0|[1-9][0-9]{0,11})\\.[0-9]{${places}}${unit}`,
    expected: 'a number from 0 to below 1e12',
    isExact: true,
    parse: Number.parseFloat,
    format: (value) => (typeof value === 'number' ? value.toFixed(places) : String(value)) + unit,
  };
}

/**
 * @param {Readonly<Record<string, string>>} texts of each value that may be chosen
 * @returns {Notation}
 */
export function choice(texts) {
  const values = new Map(Object.entries(texts).map(([value, text]) => [text, value]));
  return {
    pattern: `(?:${Object.values(texts).join('|')})`,
    expected: `one of ${Object.keys(texts).join(', ')}`,
    isExact: true,
    parse: (text) => values.get(text),
    format: (value) => (Object.hasOwn(texts, value) ? texts[value] : String(value)),
  };
}

/**
 * One value that is written in a way of its own.
 *
 * @param {number | null} special
 * @param {string} specialText without characters that mean something in a regular expression
 * @param {Notation} otherwise
 * @returns {Notation}
 */
export function either(special, specialText, otherwise) {
  return {
    pattern: `(?:${specialText}|${otherwise.pattern})`,
    expected: special === null ? `null or ${otherwise.expected}` : otherwise.expected,
    parse: (text) => (text === specialText ? special : otherwise.parse(text)),
    format: (value) => (value === special ? specialText : otherwise.format(value)),
  };
}

/**
 * @param {string} before
 * @param {Notation} inner
 * @param {string} after
 * @returns {Notation}
 */
export function between(before, inner, after) {
  return {
    pattern: escapePattern(before) + inner.pattern + escapePattern(after),
    expected: inner.expected,
    parse: (text) => inner.parse(text.slice(before.length, text.length - after.length)),
    format: (value) => before + inner.format(value) + after,
  };
}

/**
 * A right-aligned column of a table. A value that is too wide pushes the rest to the right, after one blank.
 *
 * @param {number} width characters, the blank before it included
 * @param {Notation} inner
 * @returns {Notation}
 */
export function column(width, inner) {
  return {
    pattern: ` {1,${width}}${inner.pattern}`,
    expected: inner.expected,
    parse: (text) => inner.parse(text.trimStart()),
    format: (value) => ` ${inner.format(value).padStart(width - 1)}`,
  };
}

/**
 * A left-aligned column of a table that holds a {@link capitalizedWord}. A longer word pushes the rest to the right.
 *
 * @param {number} width characters
 * @returns {Notation}
 */
export function leftColumn(width) {
  return paddedColumn(width, wordPattern, capitalizedWord.expected);
}

/**
 * Likewise, of an {@link operationName}.
 *
 * @param {number} width characters
 * @returns {Notation}
 */
export function operationColumn(width) {
  return paddedColumn(width, namePattern, operationName.expected);
}

/**
 * @param {number} width characters
 * @param {(furtherLetters: string) => string} patternOf a word with so many letters after the first, as a quantifier
 * @param {string} expected
 * @returns {Notation}
 */
function paddedColumn(width, patternOf, expected) {
  // One alternative for each length: how many of the blanks belong to the word must not be a question of trying.
  const padded = Array.from({ length: width - 1 }, (_, further) =>
    patternOf(`{${further}}`).concat(' '.repeat(width - 1 - further)),
  );
  return {
    pattern: `(?:${[patternOf(`{${width - 1},${MAX_FURTHER_LETTERS}}`), ...padded].join('|')})`,
    expected,
    isExact: true,
    parse: (text) => text.trimEnd(),
    format: (value) => String(value).padEnd(width),
  };
}

/** @param {string} furtherLetters how many of them, as a quantifier */
function wordPattern(furtherLetters) {
  return `[A-Z][A-Za-z0-9-]${furtherLetters}`;
}

/** @param {string} furtherLetters how many of them, as a quantifier */
function namePattern(furtherLetters) {
  return `[a-z][a-z0-9-]${furtherLetters}`;
}

/**
 * What opening connections took: `p50 12.10ms max 40.20ms`, an object of `p50` and `maximum` in ms.
 *
 * @returns {Notation}
 */
export function openingCost() {
  const milliseconds = decimal(2, 'ms');
  return {
    pattern: `p50 ${milliseconds.pattern} max ${milliseconds.pattern}`,
    expected: `p50 and maximum, each ${milliseconds.expected}`,
    parse: (text) => {
      const [, p50, , maximum] = text.split(' ');
      return { p50: milliseconds.parse(p50), maximum: milliseconds.parse(maximum) };
    },
    format: (cost) => `p50 ${milliseconds.format(cost?.p50)} max ${milliseconds.format(cost?.maximum)}`,
  };
}

/**
 * An interval: `(95% CI 798.1 to 808.4)`, an object of `low` and `high`.
 *
 * @param {Notation} inner
 * @returns {Notation}
 */
export function confidenceInterval(inner) {
  const before = '(95% CI ';
  return {
    pattern: `${escapePattern(before)}${inner.pattern} to ${inner.pattern}\\)`,
    expected: `low and high, each ${inner.expected}`,
    parse: (text) => {
      const [low, high] = text.slice(before.length, -1).split(' to ');
      return { low: inner.parse(low), high: inner.parse(high) };
    },
    format: (interval) => `${before}${inner.format(interval?.low)} to ${inner.format(interval?.high)})`,
  };
}

/**
 * Any JSON object, in the one form in which JSON.stringify writes it.
 *
 * @param {number} longest characters
 * @returns {Notation}
 */
export function jsonObject(longest) {
  return {
    pattern: `\\{[^\\n]{0,${longest - 1}}`,
    expected: `an object whose JSON has at most ${longest} characters`,
    parse: parseJson,
    format: (value) => String(JSON.stringify(value)),
  };
}

/** @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} literal
 * @returns {string} a regular expression that matches the text and nothing else
 */
export function escapePattern(literal) {
  return literal.replace(/[.()]/g, '\\$&');
}
