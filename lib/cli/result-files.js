import { RESULT_REPORTERS } from '../report/reporters.js';
import { STANDARD_OUTPUT } from '../options/values.js';
import { ReportFile } from './output-file.js';

/**
 * @import { ResultReporter } from '../report/reporter.js'
 * @import { Checks } from '../options/usage-error.js'
 *
 * @typedef {object} ResultOutput
 * @property {ResultReporter} reporter
 * @property {ReportFile | null} file null for stdout
 */

/**
 * Opens the result files before the run, so that an unwritable path is reported early.
 *
 * @param {Readonly<Record<string, string>>} files paths by the option of their reporter
 * @param {Checks} checks
 * @returns {Promise<ResultOutput[]>} without unwritable files: `checks` records their problems
 */
export async function openResults(files, checks) {
  /** @type {ResultOutput[]} */
  const results = [];
  for (const reporter of RESULT_REPORTERS) {
    const { option: name } = reporter;
    if (files[name] === STANDARD_OUTPUT) {
      results.push({ reporter, file: null });
    } else if (files[name] !== undefined) {
      // All steps of a job on GitHub add to this file.
      const append = name === 'summary' && files[name] === process.env.GITHUB_STEP_SUMMARY;
      const file = await checks.run(() => new ReportFile(files[name], `--${name}`, { append }));
      results.push(...(file instanceof ReportFile ? [{ reporter, file }] : []));
    }
  }
  return results;
}
