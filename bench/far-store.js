import { RequestReader } from '../lib/local-s3/request-reader.js';
import { DelayQueue } from './delay-queue.js';

// Loaded in front of an endpoint in null mode (`node --import`): whatever a client has sent waits for STORE_LATENCY_MS
// before the endpoint looks at it, as at a store that is far away. A relay in between would cost several times as much
// CPU, for it would read and write all that comes and goes.
const queue = new DelayQueue({
  delay: Number(process.env.STORE_LATENCY_MS),
  now: () => performance.now(),
  wake: setTimeout,
});
const { accept } = RequestReader.prototype;

RequestReader.prototype.accept = function acceptLater(received) {
  queue.add(() => accept.call(this, received));
};
