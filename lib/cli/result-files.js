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
 * @param {Readonly<Record<string, string | undefined>>} files paths by the option of their reporter
 * @param {Checks} checks
 * @returns {Promise<ResultOutput[]>} without unwritable files: `checks` records their problems
 */
export async function openResults(files, checks) {
  /** @type {ResultOutput[]} */
  const results = [];
  for (const reporter of RESULT_REPORTERS) {
    const { option: name } = reporter;
    const place = files[name];
    if (place === STANDARD_OUTPUT) {
      results.push({ reporter, file: null });
    } else if (place !== undefined) {
      // All steps of a job on GitHub add to this file.
      const append = name === 'summary' && place === process.env.GITHUB_STEP_SUMMARY;
      const file = await checks.run(() => new ReportFile(place, `--${name}`, { append }));
      results.push(...(file instanceof ReportFile ? [{ reporter, file }] : []));
    }
  }
  return results;
}
