/** @import { ResultReporter } from '../reporter.js' */

/** Loads the modules for the page on demand, because they would slow down --help. @type {ResultReporter} */
export const htmlReporter = {
  option: 'report',
  needsSecondLatencies: true,
  format: async (result) => {
    const { reportPage } = await import('./report-page.js');
    return reportPage(result);
  },
};
