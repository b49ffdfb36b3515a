import { measureEventLoop } from '../meter/client-load.js';
import { bucketSnapshots } from '../meter/stage-snapshot.js';

/**
 * @import { StageSnapshot } from '../model/run-events.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { ObjectConnection } from '../s3/object-store.js'
 * @import { Recorder } from './recorder.js'
 * @import { Engine } from './run-stage.js'
 */

/**
 * @param {Stage} stage
 * @param {{ engine: Engine, recorder: Recorder, connections: readonly ObjectConnection[] }} watched
 * @returns {(() => StageSnapshot)[]} empty if snapshots are not enabled
 */
export function snapshotTaker({ kinds }, { engine, recorder: { meters, buckets }, connections }) {
  const { lookAtConnections = null, workload } = engine;
  if (lookAtConnections === null) {
    return [];
  }
  let loop = measureEventLoop();
  const take = () => {
    const utilization = loop();
    loop = measureEventLoop();
    const ofKinds = kinds.map(({ operation }, kind) => meters.kinds[kind].snapshot(operation.name));
    const ofBuckets = workload.keyspace.buckets.map((bucket, slot) => ({ bucket, meter: buckets?.[slot] ?? null }));
    return {
      isFinal: false,
      kinds: ofKinds,
      // Encoding the histograms of many buckets every second would take too long.
      buckets: bucketSnapshots(ofBuckets, ofKinds, false),
      connections: lookAtConnections(),
      inFlight: connections.reduce((sum, { startedAt }) => sum + Number(startedAt !== 0), 0),
      loops: [utilization],
    };
  };
  return [take];
}
