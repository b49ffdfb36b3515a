import { parentPort, workerData } from 'node:worker_threads';
import { Clock } from '../clock/clock.js';
import { packFatal } from './core-messages.js';
import { Core } from './core.js';

/**
 * @import { Request } from './core-messages.js'
 * @import { StageHooks } from './run-stage.js'
 * @import { MessagePort } from 'node:worker_threads'
 */

/**
 * A core in a thread of its own: it does what remote-core.js asks of it.
 */

const port = /** @type {MessagePort} */ (parentPort);
const core = await Core.open(workerData.spec, { clock: Clock.fromState(workerData.clock), random: Math.random });
/** Of the call under way: a stage that was stopped leaves the next one alone. */
let stopRequest = new AbortController();

/** @type {Record<Request['call'], (request: any) => Promise<unknown>>} */
const CALLS = {
  open: () => core.openConnections(stoppable()),
  async run({ task }) {
    const { fatal, ...outcome } = await core.runStage(task, stoppable(), hooks());
    return { ...outcome, fatal: packFatal(fatal) };
  },
  async stop() {
    stopRequest.abort();
  },
  close: () => core.close(),
};

/** @returns {AbortSignal} of a call that begins */
function stoppable() {
  stopRequest = new AbortController();
  return stopRequest.signal;
}

/** @returns {StageHooks} */
function hooks() {
  const tell = (/** @type {string} */ hook, /** @type {unknown[]} */ parameters) =>
    port.postMessage({ kind: 'event', hook, parameters });
  return {
    second: ({ latencies, ...count }) => tell('second', [{ ...count, latencies: latencies.toState() }]),
    retrying: (kind, advice) => tell('retrying', [kind, advice]),
    integrityError: (message) => tell('integrityError', [message]),
    failed: ({ bucket, key, attempts }, message) => tell('failed', [{ bucket, key, attempts }, message]),
    progress: (done, flow) => tell('progress', [done, flow]),
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
