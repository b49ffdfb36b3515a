import { parentPort, workerData } from 'node:worker_threads';
import { Clock } from '../measure/clock/clock.js';
import { LiveCredentials } from '../store/live-credentials.js';
import { packFatal, unpackTask } from './worker-messages.js';
import { Worker } from './worker.js';

/**
 * @import { Request } from './worker-messages.js'
 * @import { StageHooks } from './run-stage.js'
 * @import { MessagePort } from 'node:worker_threads'
 */

/** A worker in its own thread. It replies to the calls of RemoteWorker in workers.js. */

const port = /** @type {MessagePort} */ (parentPort);
const credentials = LiveCredentials.fromState(workerData.credentials);
const clock = Clock.fromState(workerData.clock);
// The first thread reports pauses.
clock.watchPauses(() => {});
const worker = await Worker.open(workerData.spec, {
  clock,
  random: Math.random,
  credentials,
});
/** For the current call only, so that stopping a stage does not affect the next one. */
let stopRequest = new AbortController();

/** @type {Record<Request['call'], (request: any) => Promise<unknown>>} */
const CALLS = {
  open: () => worker.openConnections(stoppable()),
  async run({ task }) {
    const { fatal, ...outcome } = await worker.runStage(unpackTask(task), stoppable(), hooks());
    return { ...outcome, fatal: packFatal(fatal) };
  },
  async stop() {
    stopRequest.abort();
  },
  async renew(request) {
    credentials.replace(request.credentials);
  },
  close: () => worker.close(),
};

/** @returns {AbortSignal} for a new call */
function stoppable() {
  stopRequest = new AbortController();
  return stopRequest.signal;
}

/** @returns {StageHooks} */
function hooks() {
  const report = (/** @type {string} */ hook, /** @type {unknown[]} */ parameters) =>
    port.postMessage({ kind: 'event', hook, parameters });
  return {
    second: (second) => report('second', [second]),
    retrying: (...failure) => report('retrying', failure),
    integrityError: (message) => report('integrityError', [message]),
    failed: ({ bucket, key, attempts }, message) => report('failed', [{ bucket, key, attempts }, message]),
    progress: (done, flow) => report('progress', [done, flow]),
    snapshot: (snapshots) => report('snapshot', [snapshots]),
  };
}

port.on('message', async (/** @type {Request} */ request) => {
  try {
    const result = await CALLS[request.call](request);
    port.postMessage({ kind: 'reply', id: request.id, result });
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    port.postMessage({ kind: 'reply', id: request.id, error: `${name}: ${message}` });
  }
  if (request.call === 'close') {
    port.close();
  }
});
