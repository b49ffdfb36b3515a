import { compareAll } from '../compare/side-by-side.js';
import { readFiles, readWholeResult } from '../log/read-files.js';
import { runsApart } from '../merge/runs-apart.js';
import { sideBySidePage } from '../report/html/comparison-page.js';
import { referenceAmong } from './compare.js';
import { EXIT } from './exit-status.js';
import { errorLines, merge, withOutputs, withResults, writeAll } from './merge.js';

/**
 * @import { MergeOptions } from './command-line.js'
 * @import { Outputs, Streams } from './merge.js'
 * @import { ResultReporter } from '../report/reporter.js'
 * @import { WritableResult } from '../model/write-result.js'
 */

/**
 * `r2-benchmark report`: writes a report of saved runs. A single result is shown as it is, even if it cannot be merged,
 * such as the result of a search or of many hosts. Several files are merged, or shown side by side if they do not belong
 * together.
 *
 * @param {MergeOptions} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Streams} streams
 * @returns {Promise<number>} the exit status
 */
export function reportByCommand(options, env, streams) {
  return withOutputs(streams, env, async (outputs) => {
    const [file, ...others] = options.files;
    if (others.length > 0) {
      const { runs, warnings } = options.severalRuns
        ? { runs: [], warnings: [] }
        : await readFiles(options.files, outputs.stdin, { keepsDetails: true });
      const apart = runs.length < 2 ? null : runsApart(runs);
      if (apart === null) {
        return merge(options, outputs, () => [], { runs, warnings });
      }
      const all = compareAll(apart, referenceAmong(apart, options.reference));
      return show(apart[0].result, options, outputs, { format: () => sideBySidePage(all) });
    }
    const read = await readWholeResult(file);
    if (read === null) {
      return merge(options, outputs, () => []);
    }
    for (const warning of read.warnings) {
      await errorLines(outputs.stderr)(`warning: ${file}: ${warning}`);
    }
    return show(read.result, options, outputs);
  });
}

/**
 * @param {WritableResult} result
 * @param {MergeOptions} options
 * @param {Outputs} outputs
 * @param {Partial<ResultReporter>} [format] instead of the page of one result
 */
function show(result, options, outputs, format = {}) {
  return withResults(options, async (results) => {
    const shown = results.map(({ reporter, ...rest }) => ({ ...rest, reporter: { ...reporter, ...format } }));
    const isWritten = await writeAll({ result }, shown, outputs, () => []);
    return isWritten ? EXIT.complete : EXIT.incomplete;
  });
}
