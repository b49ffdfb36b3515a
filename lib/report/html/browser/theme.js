/**
 * The colours of the page's style.
 *
 * @typedef {object} Colors
 * @property {string} text
 * @property {string} grid
 * @property {string} mark
 * @property {string[]} stages
 * @property {Record<'p50' | 'p99' | 'longest' | 'throttled' | 'other', string>} lines
 * @property {string[]} ramp from lowest to highest
 */

/** @returns {Colors} of the current scheme */
export function currentColors() {
  const style = getComputedStyle(document.documentElement);
  const of = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: of('muted'),
    grid: of('grid'),
    mark: of('mark'),
    stages: Array.from({ length: 6 }, (_, index) => of(`stage-${index}`)),
    lines: { p50: of('p50'), p99: of('p99'), longest: of('longest'), throttled: of('throttled'), other: of('other') },
    ramp: Array.from({ length: 5 }, (_, index) => of(`ramp-${index}`)),
  };
}

/** Dash patterns that distinguish the lines of stages for readers who cannot tell the colours apart. */
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 4]];

/**
 * @param {number} index of a stage
 * @param {Colors} colors
 */
export function stageLine(index, colors) {
  return { stroke: colors.stages[index % colors.stages.length], dash: DASHES[index % DASHES.length] };
}

/**
 * @param {readonly string[]} ramp `#rrggbb` from lowest to highest
 * @param {number} share 0 to 1
 */
export function colorAt(ramp, share) {
  const position = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const index = Math.min(Math.floor(position), ramp.length - 2);
  const [low, high] = [ramp[index], ramp[index + 1]].map((color) =>
    [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)),
  );
  const mixed = low.map((value, channel) => Math.round(value + (high[channel] - value) * (position - index)));
  return `rgb(${mixed.join(' ')})`;
}
