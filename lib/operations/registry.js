import { read } from './read.js';
import { remove } from './remove.js';
import { stat } from './stat.js';
import { write } from './write.js';

/** @import { Stage } from './operation.js' */

/** The stages in the order in which they run. @type {readonly Stage[]} */
export const STAGES = Object.freeze([write, read, stat, remove]);

export { IntegrityError } from './operation.js';
