import { CLOCK_RESOLUTION_MS, runsSlices } from '../edge/slice.js';
import { recordedOptions } from '../options/recorded-options.js';

/**
 * @import { ClockFacts, RunFacts } from '../model/result.js'
 * @import { MultipartConfig, RampPlan, RunConfig } from '../model/run-config.js'
 */

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
  const { objects, threads, runId, store, shard, duration = null } = config;
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
      endpoint,
      buckets: store.buckets.length,
      duration,
      ...recordedOptions({ ...config, ...config.amounts, ...partsOf(config.multipart), ...stepsOf(config.rampPlan) }),
      ...(runsSlices(config) ? { clockResolution: CLOCK_RESOLUTION_MS } : {}),
    },
  };
}

/** @param {MultipartConfig | undefined} multipart */
function partsOf(multipart) {
  return { ...multipart, multipart: multipart?.minSize === 0 };
}

/**
 * The threads of hosts that join one after the other follow from the shard and from those of this host. Sixty hosts have more
 * slots than there is room for on a machine line.
 *
 * @param {RampPlan | undefined} plan
 */
function stepsOf(plan) {
  return {
    ...plan,
    ramp: plan?.of === 'threads' ? plan.threads : undefined,
    rampHosts: plan?.of === 'hosts',
    threads: undefined,
  };
}
