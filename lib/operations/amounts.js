/** @import { OperationAmounts } from '../model/config.js' */

/** How much an operation takes at a time where nobody says otherwise. @type {Readonly<OperationAmounts>} */
export const DEFAULT_AMOUNTS = Object.freeze({ rangeSize: 4096, pageSize: 1000, batch: 1000 });
