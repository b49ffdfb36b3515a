const MAX_LISTED = 8;

/**
 * Shortens a name in its middle, because names of hosts differ at either end.
 *
 * @param {string} name
 * @param {number} longest characters
 */
export function shorten(name, longest) {
  const half = Math.floor((longest - 1) / 2);
  return name.length > longest ? `${name.slice(0, longest - 1 - half)}…${name.slice(-half)}` : name;
}

/**
 * @param {readonly string[]} names
 * @param {string} [separator]
 * @returns {string} the first names, then the number of further names
 */
export function listed(names, separator = ', ') {
  const shown = names.slice(0, MAX_LISTED);
  const more = names.length - shown.length;
  return shown.join(separator) + (more > 0 ? ` and ${more} more` : '');
}
