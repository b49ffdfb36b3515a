import { readWholeResult } from '../log/read-files.js';
import { EXIT } from './exit-status.js';
import { errorLines, merge, withOutputs, withResults, writeAll } from './merge.js';

/**
 * @import { Result } from '../model/result.js'
 * @import { MergeOptions } from './command-line.js'
 * @import { Outputs, Streams } from './merge.js'
 */

/**
 * `r2-benchmark report`: writes a report of saved runs. A single result is shown as it is, even if it cannot be merged,
 * such as the result of a search or of many hosts. Several files are merged.
 *
 * @param {MergeOptions} options
 * @param {NodeJS.ProcessEnv} env
 * @param {Streams} streams
 * @returns {Promise<number>} the exit status
 */
export function reportByCommand(options, env, streams) {
  return withOutputs(streams, env, async (outputs) => {
    const [file] = options.files;
    const read = options.files.length === 1 ? await readWholeResult(file) : null;
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
 * @param {Result} result
 * @param {MergeOptions} options
 * @param {Outputs} outputs
 */
function show(result, options, outputs) {
  return withResults(options, async (results) => {
    const isWritten = await writeAll({ result }, results, outputs, () => []);
    return isWritten ? EXIT.complete : EXIT.incomplete;
  });
}
