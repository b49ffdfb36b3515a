import { OPERATIONS } from '../load/operations/registry.js';
import { resolveShard } from '../options/resolve.js';
import { UsageError } from '../options/usage-error.js';
import { makeTrace } from '../load/replay/make-trace.js';
import { readLogs } from '../load/replay/read-logs.js';
import { listedSizes } from '../load/workload/size-distribution.js';

/**
 * @import { OptionValues } from '../options/read-options.js'
 * @import { ReadLogs } from '../load/replay/read-logs.js'
 * @import { Trace } from '../result/config.js'
 */

/**
 * Reads the logs of a replay, which determine its load.
 *
 * @param {OptionValues} options
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ logs: ReadLogs, trace: Trace, options: OptionValues }>} the options with those that follow from
 *   the logs
 * @throws {UsageError}
 */
export async function readTraffic(options, env) {
  const { replay: files = [], format, from, for: length = Infinity, limit = Infinity } = options;
  const shard = resolveShard(options.shard, env);
  try {
    const logs = await readLogs(files, { format, shard });
    const trace = makeTrace(logs.recorded, { from, length, limit });
    if (trace.objects === 0) {
      throw new RangeError('the logs have no request of an object that can be replayed in this time');
    }
    if (options.prepareOnly && trace.unchanged === 0) {
      throw new RangeError('there is nothing to keep: the logs change all objects that they read');
    }
    const { size, sizes } = listedSizes(trace.sizes);
    return { logs, trace, options: { ...options, trace, objects: trace.objects, size, sizes, mix: sharesOf(trace) } };
  } catch (error) {
    if (error instanceof RangeError) {
      throw new UsageError([`replay: ${error.message}`]);
    }
    throw error;
  }
}

/** @param {Trace} trace */
function sharesOf({ codes, requests }) {
  const counts = OPERATIONS.map(() => 0);
  for (const code of codes.subarray(0, requests)) {
    counts[code] += 1;
  }
  return OPERATIONS.map(({ name }, code) => ({ operation: name, share: (100 * counts[code]) / requests })).filter(
    ({ share }) => share > 0,
  );
}
