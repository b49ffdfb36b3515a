import { CLOCK_RESOLUTION_MS, runsSlices } from '../edge/slice.js';
import { escapeUnprintable } from '../text/plain-text.js';
import { operationsOfRun } from '../operations/registry.js';
import { formatAccess } from '../workload/access.js';
import { formatSizes } from '../workload/size-distribution.js';

/**
 * @import { ClockFacts, RunFacts, RunOptions } from '../model/result.js'
 * @import { MixedShare, MultipartConfig, OperationAmounts, RampPlan, RunConfig } from '../model/run-config.js'
 */

/** How `--existing` spells the prefix that all keys have. */
const EVERYTHING = '*';

/**
 * @param {object} parts
 * @param {RunConfig} parts.config
 * @param {string} parts.host
 * @param {number} parts.startedAt epoch ms
 * @param {ClockFacts | null} parts.clock
 * @param {Record<string, string>} parts.versions
 * @returns {RunFacts}
 */
export function runFacts({ config, host, startedAt, clock, versions }) {
  const { objects, threads, size, stages, client, prefix, timeout, retries, keepAlive, cores, runId, store } = config;
  const { shard, duration = null } = config;
  const endpoint = `${store.useTls ? 'https' : 'http'}://${store.hostname}:${store.port}${store.basePath ?? ''}`;
  return {
    run: runId,
    host,
    shard: `${shard.index}/${shard.count}`,
    start: new Date(startedAt).toISOString(),
    clock,
    versions,
    options: {
      objects,
      threads,
      size,
      stages,
      client,
      endpoint,
      buckets: store.buckets.length,
      prefix,
      timeout,
      retries,
      keepAlive,
      cores,
      duration,
      ...furtherOptions(config),
    },
  };
}

/**
 * Options that most runs do not have are left out where they were not given: the room on a machine line is limited.
 *
 * @param {RunConfig} config
 * @returns {Pick<RunOptions, FurtherOption>}
 *
 * @typedef {'through' | 'local' | 'faults' | 'clockResolution' | 'mix' | 'multipart' | 'partSize' | 'partThreads' | 'checksum' | 'sizes' | 'access' | 'gap' | 'rate' | 'arrival' | 'warmup' | 'keep' | 'findPeak' | 'peakOf' | 'target' | 'slo' | 'ramp' | 'rampHosts' | 'stepTime' | 'untilStable' | 'existing' | keyof OperationAmounts} FurtherOption
 */
function furtherOptions({ stages, mix, amounts, duration, gap, rate, arrival, warmup, keep, ...config }) {
  const { findPeak, peakOf, target, slo, rampPlan, sizes, access, untilStable, existing } = config;
  return {
    ...(config.through ? { through: true } : {}),
    ...(config.local ? { local: true } : {}),
    ...(config.faults ? { faults: config.faults } : {}),
    ...(runsSlices(config) ? { clockResolution: CLOCK_RESOLUTION_MS } : {}),
    ...(sizes === undefined ? {} : { sizes: formatSizes(sizes) }),
    ...(access === undefined ? {} : { access: formatAccess(access) }),
    ...(mix === undefined ? {} : { mix: formatMix(mix) }),
    ...amountsOf({ stages, mix }, amounts),
    ...(config.multipart === undefined ? {} : multipartOptions(config.multipart)),
    ...(config.checksum === undefined ? {} : { checksum: config.checksum }),
    ...(duration === undefined && rampPlan === undefined ? {} : { gap }),
    ...(rate === undefined ? {} : { rate, arrival }),
    ...(warmup === 0 ? {} : { warmup }),
    ...(keep ? { keep } : {}),
    ...(findPeak ? { findPeak } : {}),
    ...(rampPlan === undefined ? {} : rampOptions(rampPlan)),
    ...(peakOf === undefined || peakOf === 'threads' ? {} : { peakOf }),
    ...(target === undefined ? {} : { target }),
    ...(untilStable === undefined ? {} : { untilStable }),
    ...(existing === undefined ? {} : { existing: existing === '' ? EVERYTHING : escapeUnprintable(existing) }),
    ...(peakOf === 'rate' ? { slo, arrival } : {}),
  };
}

/**
 * @param {Pick<RunConfig, 'stages' | 'mix'>} config
 * @param {OperationAmounts} amounts
 * @returns {Partial<OperationAmounts>} those that matter to the stages
 */
function amountsOf(config, amounts) {
  const names = operationsOfRun(config).flatMap(({ amount }) => amount ?? []);
  return Object.fromEntries(names.map((name) => [name, amounts[name]]));
}

/**
 * @param {MultipartConfig} multipart
 * @returns {Pick<RunOptions, 'multipart' | 'partSize' | 'partThreads'>}
 */
function multipartOptions({ minSize, partSize, partThreads }) {
  return { ...(minSize === 0 ? { multipart: true } : {}), partSize, partThreads };
}

/**
 * @param {readonly MixedShare[]} mix
 * @returns {string} as --mix takes it
 */
export function formatMix(mix) {
  return mix.map(({ operation, share }) => `${operation}=${share}`).join(',');
}

/**
 * The threads of hosts that join one after the other follow from the shard and from those of this host. Sixty hosts have more
 * slots than there is room for on a machine line.
 *
 * @param {RampPlan} plan
 * @returns {Pick<RunOptions, 'ramp' | 'rampHosts' | 'stepTime'>}
 */
function rampOptions({ of, threads, stepTime }) {
  return of === 'hosts' ? { rampHosts: true, stepTime } : { ramp: threads, stepTime };
}
