import { writeResult } from '../model/write-result.js';

/** @import { ResultReporter } from './reporter.js' */

/** @satisfies {ResultReporter} */
export const jsonReporter = {
  option: { name: 'json', help: 'write the whole result to a file; - is stdout' },
  needsSecondLatencies: true,
  format: writeResult,
};
