const LONGEST = 80;

/**
 * Characters that a terminal would obey, that nobody sees, or that let a text read otherwise than it is: controls, formats
 * (such as the zero-width blanks and byte order marks that come along when a value is copied), and ends of lines.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Shows what was given where something else was expected: between quotation marks, with everything visible, and never at
 * length.
 *
 * @param {string} given
 * @returns {string}
 */
export function quote(given) {
  if (given === '') {
    return 'nothing';
  }
  const shown = given.length > LONGEST ? `${given.slice(0, LONGEST)}…` : given;
  return JSON.stringify(shown).replace(UNPRINTABLE, escapeCharacter);
}

/** @param {string} character */
function escapeCharacter(character) {
  return `\\u{${/** @type {number} */ (character.codePointAt(0)).toString(16)}}`;
}
