/** @import { ResultReporter } from '../reporter.js' */

/** What it takes to write a page is loaded when there is one to write: the help has no time for it. @type {ResultReporter} */
export const htmlReporter = {
  option: 'report',
  needsSecondLatencies: true,
  format: async (result) => {
    const { reportPage } = await import('./report-page.js');
    return reportPage(result);
  },
};
