/**
 * @import { StartTime } from '../clock/start-time.js'
 * @import { StoreConfig } from '../s3/store-config.js'
 * @import { Shard } from '../workload/shard.js'
 */

/**
 * All that a run is told, checked and complete.
 *
 * @typedef {object} RunConfig
 * @property {number} objects of this host; with a duration, the most that it writes
 * @property {number} threads concurrent requests, each on a connection of its own
 * @property {readonly string[]} stages lower-case names
 * @property {'direct' | 'sdk'} client
 * @property {number} size bytes of an object
 * @property {string} prefix
 * @property {string} runId
 * @property {number} timeout ms for a whole attempt
 * @property {number} retries of an operation, beside its first attempt
 * @property {boolean} keep leave the objects where they are
 * @property {boolean} keepAlive
 * @property {boolean} [allowVersioned] write to buckets that keep versions, and remove those of the run's own objects
 * @property {boolean} preflight whether the store is asked beforehand for what the run is going to do
 * @property {number} cores
 * @property {number} availableCores that the process may use, parts of one included
 * @property {Shard} shard this host's share of the run's objects
 * @property {StartTime} [startAt]
 * @property {number} [duration] ms of each stage; without it, a stage has done when all objects are done
 * @property {number} [rate] ops/s of an open loop; without it, the loop is closed
 * @property {'constant' | 'poisson'} arrival of an open loop's operations
 * @property {number} warmup ms at the beginning of each stage whose operations are in no rate and no percentile
 * @property {number} gap ms between two stages of a fixed duration
 * @property {boolean} [findPeak] raise the concurrency up to the threads, and find what each stage can do at most
 * @property {number} [maxCost] dollars, by R2's list prices
 * @property {StoreConfig} store
 */

export {};
