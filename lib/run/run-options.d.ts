import type { GivenStore } from '../result/config.js';

/** What a run does. In the package, `scripts/declarations.js` replaces this with a type that has all options. */
export interface RunOptions {
  store: 'local' | 'env' | GivenStore;
  threads: number | string;
  [option: string]: unknown;
}
