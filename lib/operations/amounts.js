/** @import { OperationAmounts } from '../model/config.js' */

/** @type {Readonly<OperationAmounts>} */
export const DEFAULT_AMOUNTS = Object.freeze({ rangeSize: 4096, pageSize: 1000, batch: 1000, contenders: 8 });
