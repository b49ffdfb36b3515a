import { measureEventLoop } from '../meter/client-load.js';

/**
 * @import { StageSnapshot } from '../model/records.js'
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
export function snapshotTaker({ kinds }, { engine, recorder, connections }) {
  const { lookAtConnections = null } = engine;
  if (lookAtConnections === null) {
    return [];
  }
  let loop = measureEventLoop();
  const take = () => {
    const utilization = loop();
    loop = measureEventLoop();
    const ofKinds = kinds.map(({ operation }, kind) => ({
      operation: operation.name,
      ...recorder.meters.kinds[kind].toRecord(),
      seconds: [],
    }));
    return {
      isFinal: false,
      kinds: ofKinds,
      buckets: recorder.bucketRecords(ofKinds),
      connections: lookAtConnections(),
      inFlight: connections.reduce((sum, { startedAt }) => sum + Number(startedAt !== 0), 0),
      loops: [utilization],
    };
  };
  return [take];
}
