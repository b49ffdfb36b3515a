/**
 * The colours of the page's style, as charts take them.
 *
 * @typedef {object} Colors
 * @property {string} text
 * @property {string} grid
 * @property {string} mark
 * @property {string[]} stages
 * @property {Record<'p50' | 'p99' | 'longest' | 'throttled' | 'other', string>} lines
 * @property {string[]} ramp from the least to the most
 */

/** @returns {Colors} of the present scheme */
export function currentColors() {
  const style = getComputedStyle(document.documentElement);
  const of = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of('muted'),
    grid: of('grid'),
    mark: of('mark'),
    stages: Array.from({ length: 6 }, (_, place) => of(`stage-${place}`)),
    lines: { p50: of('p50'), p99: of('p99'), longest: of('longest'), throttled: of('throttled'), other: of('other') },
    ramp: Array.from({ length: 5 }, (_, place) => of(`ramp-${place}`)),
  };
}

/** How the lines of stages differ where colours cannot be told apart. */
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 4]];

/**
 * @param {number} place of a stage
 * @param {Colors} colors
 * @returns {{ stroke: string, dash: number[] }}
 */
export function stageLine(place, colors) {
  return { stroke: colors.stages[place % colors.stages.length], dash: DASHES[place % DASHES.length] };
}

/**
 * @param {readonly string[]} ramp `#rrggbb` from the least to the most
 * @param {number} share 0 to 1
 * @returns {string} the colour there
 */
export function colorAt(ramp, share) {
  const position = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const place = Math.min(Math.floor(position), ramp.length - 2);
  const [low, high] = [ramp[place], ramp[place + 1]].map((color) =>
    [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)),
  );
  const mixed = low.map((value, channel) => Math.round(value + (high[channel] - value) * (position - place)));
  return `rgb(${mixed.join(' ')})`;
}
