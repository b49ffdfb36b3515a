import { RequestReader } from '../lib/local-s3/request-reader.js';
import { DelayQueue } from './delay-queue.js';

// Preloaded into an endpoint in null mode (`node --import`): simulates a distant store by delaying incoming data by
// STORE_LATENCY_MS. A relay would take several times as much CPU, because it would read and write all data in both directions.
const queue = new DelayQueue({
  delay: Number(process.env.STORE_LATENCY_MS),
  now: () => performance.now(),
  wake: setTimeout,
});
const { accept } = RequestReader.prototype;

RequestReader.prototype.accept = function acceptLater(received) {
  queue.add(() => accept.call(this, received));
};
