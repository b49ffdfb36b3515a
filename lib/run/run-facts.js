import { stagesOf } from '../load/operations/registry.js';
import { recordedOptions } from '../options/recorded-options.js';
import { USUAL_GAP_MS } from './stage-schedule.js';

/**
 * @import { ClockFacts, RunFacts } from '../result/result.js'
 * @import { Config, LoadConfig, ReplayConfig } from '../result/config.js'
 */

/**
 * @param {{ config: Config, host: string, startedAt: number, clock: ClockFacts | null,
 *   versions: Record<string, string> }} parts `startedAt` in epoch ms
 * @returns {RunFacts}
 */
export function runFacts({ config, host, startedAt, clock, versions }) {
  const { store, objects, load, schedule } = config;
  const { shard } = objects;
  const endpoint = `${store.useTls ? 'https' : 'http'}://${store.hostname}:${store.port}${store.basePath ?? ''}`;
  return {
    run: objects.runId,
    host,
    shard: `${shard.index}/${shard.count}`,
    start: new Date(startedAt).toISOString(),
    clock,
    versions,
    options: {
      objects: objects.count,
      threads: load.threads,
      endpoint,
      buckets: store.buckets.length,
      duration: schedule.duration ?? null,
      ...recordedOptions(valuesOf(config)),
    },
  };
}

/**
 * The values of the configured options. Defaults of a search are omitted.
 *
 * @param {Config} config
 * @returns {Record<string, unknown>} by option name
 */
function valuesOf({ store, objects, load, schedule, search }) {
  return {
    ...objects,
    ...load,
    ...load.amounts,
    ...load.multipart,
    multipart: load.multipart?.minSize === 0,
    ...(load.replay === undefined ? {} : ofReplay(load, load.replay)),
    ...schedule,
    gap: schedule.gap ?? (schedule.sharesSlots ? USUAL_GAP_MS : undefined),
    ramp: schedule.ramp?.threads,
    stepTime: schedule.ramp?.stepTime,
    ...search,
    findPeak: search !== null,
    peakOf: search?.peakOf === 'threads' ? undefined : load.replay ? 'speed' : search?.peakOf,
    publicUrl: store.publicUrl,
    local: store.isEmbedded,
    faults: store.faults,
  };
}

/**
 * @param {LoadConfig} load
 * @param {ReplayConfig} replay
 */
function ofReplay(load, { files, speed }) {
  return { mix: undefined, stages: stagesOf(load).map(({ name }) => name.toLowerCase()), replay: files, speed };
}
