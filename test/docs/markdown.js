/**
 * @typedef {object} Fence
 * @property {string} language
 * @property {string} text
 * @property {string | null} reasonNotToRun from a preceding comment, `<!-- not run: … -->`
 */

/**
 * @param {string} text of a page
 * @returns {string} the page without fences, where GitHub finds headings and links
 */
function prose(text) {
  return text.replace(/^ *```[^]*?^ *```$/gm, '');
}

/**
 * @param {string} text of a page
 * @returns {Fence[]}
 */
export function fences(text) {
  const found = text.matchAll(/(?:<!-- not run: (.+) -->\n\n)?^( *)```(\w+)\n([^]*?)^\2```$/gm);
  return [...found].map(([, reason, indent, language, body]) => ({
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    reasonNotToRun: reason ?? null,
  }));
}

/**
 * @param {string} text of a page
 * @returns {string[]} the targets of its links and pictures, as written
 */
export function links(text) {
  return [...prose(text).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target);
}

/**
 * @param {string} text of a page
 * @returns {string[]} inline code
 */
export function codeSpans(text) {
  return [...prose(text).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code);
}

/**
 * @param {string} text of a page
 * @returns {string[]} the anchors of its headings, as GitHub derives them
 */
export function anchors(text) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return [...prose(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/**
 * @param {string} script of a shell
 * @returns {string[]} its commands, without comments and split at &&
 */
export function shellCommands(script) {
  return script
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => line.replace(/(?:^|\s)#.*$/, '').split(' && '))
    .map((command) => command.trim())
    .filter((command) => command !== '');
}
