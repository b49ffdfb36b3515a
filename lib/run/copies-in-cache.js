import { operationsOfRun } from '../operations/registry.js';
import { formatPublicUrl } from '../options/values.js';
import { sendControlRequest } from '../preflight/control-request.js';
import { CLIENTS, S3_CALLS } from '../s3/object-store.js';
import { retriedRequest } from '../s3/retry.js';
import { globalIndex } from '../workload/shard.js';

/**
 * @import { PublicUrl } from '../model/config.js'
 * @import { Session } from './session.js'
 */

/** Enough to detect a cache that still serves removed objects. */
const SAMPLES = 20;

const MAX_TIME_MS = 5000;

/**
 * Removing objects from a store does not remove their copies from a cache. Requests a sample of the removed objects, as
 * a visitor would, and reports how many are still served.
 *
 * @param {Session} session
 */
export async function reportCopies({ config, run, result, observer }) {
  const { store, objects, load } = config;
  const hasRead = operationsOfRun(load).some(({ followsAccess }) => followsAccess) && result.stages.length > 1;
  if (!CLIENTS[load.client].readsCache || !hasRead || !run.wroteObjects || objects.keep) {
    return;
  }
  // This check does not use the run's signal, so it follows an aborted run too, but it does not take long.
  const signal = AbortSignal.timeout(MAX_TIME_MS);
  const [connection] = run.controlConnections;
  const { buckets } = run.keyspace;
  const samples = Math.min(SAMPLES, objects.count);
  let served = 0;
  for (let sample = 0; sample < samples && !signal.aborted; sample++) {
    const index = globalIndex(objects.shard, Math.floor((sample * objects.count) / samples));
    const [bucket, key] = [buckets[run.keyspace.slotOf(index, buckets.length)], run.keyspace.keyOf(index)];
    const object = { bucket, key, size: 0, body: null, sink: { accept() {} } };
    const request = retriedRequest(() => connection.send(S3_CALLS.HeadObject, object), connection);
    const { error, attempts } = await sendControlRequest({ run, maxAttempts: 1, signal }, request);
    run.requests.cleanup += attempts;
    served += Number(error === null);
  }
  if (served > 0) {
    const url = formatPublicUrl(/** @type {PublicUrl} */ (store.publicUrl));
    observer.notice(
      `The cache of ${url} still serves ${served} of ${samples} removed objects in a sample: copies stay in the cache until they expire or are purged`,
    );
  }
}
