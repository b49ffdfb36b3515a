/** Shells for which there is a completion script. @typedef {'bash' | 'zsh' | 'fish'} Shell */

/** @type {readonly Shell[]} */
export const SHELLS = Object.freeze(['bash', 'zsh', 'fish']);
