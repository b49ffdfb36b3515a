import { writeResult } from '../model/write-result.js';

/** @import { ResultReporter } from './reporter.js' */

/** @satisfies {ResultReporter} */
export const jsonReporter = {
  option: 'json',
  needsSecondLatencies: true,
  format: writeResult,
};
