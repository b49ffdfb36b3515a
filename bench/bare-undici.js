import { Client } from 'undici';
import { measureCpuTime } from '../lib/meter/client-load.js';
import { Keyspace } from '../lib/workload/keyspace.js';
import { Payload } from '../lib/workload/payload.js';

/**
 * What another HTTP client costs by itself: the requests of the direct client over undici, one Client a thread, and nothing
 * else. No signature, no check, no meters, no retries. It prints its stages as JSON in the shape of the tool's --json.
 *
 *     node bench/bare-undici.js <objects> <threads> <bytes>
 */
const [objects, threads, objectSize] = process.argv.slice(2).map(Number);
const { S3_BUCKET: bucket = '', S3_HOSTNAME, S3_PORT, S3_USE_SSL } = process.env;
const origin = `${S3_USE_SSL === '0' ? 'http' : 'https'}://${S3_HOSTNAME}:${S3_PORT}`;
const keyspace = new Keyspace({ runId: 'bare', prefix: 'benchmark', buckets: [bucket] });
const payload = new Payload('bare');

/** One request after the other on one connection. */
class BareThread {
  #client = new Client(origin);
  /** @type {() => void} */
  #resolve = () => {};
  /** @type {(error: Error) => void} */
  #reject = () => {};

  /**
   * @param {string} method
   * @param {string} path
   * @param {Buffer | null} body
   * @returns {Promise<void>}
   */
  send(method, path, body) {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      const request = { method, path, body, reset: false };
      this.#client.dispatch(/** @type {any} */ (request), /** @type {any} */ (this));
    });
  }

  onConnect() {}

  onHeaders() {
    return true;
  }

  onData() {
    return true;
  }

  onComplete() {
    this.#resolve();
  }

  /** @param {Error} error */
  onError(error) {
    this.#reject(error);
  }

  close() {
    return this.#client.destroy();
  }
}

/**
 * @param {readonly BareThread[]} pool
 * @param {string} stage
 * @param {string} method
 */
async function runStage(pool, stage, method) {
  const cpuTime = measureCpuTime();
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    pool.map(async (thread) => {
      while (next < objects) {
        const index = next++;
        const body = method === 'PUT' ? payload.view(index, 0, objectSize) : null;
        await thread.send(method, `/${bucket}/${keyspace.keyOf(index)}`, body);
      }
    }),
  );
  const average = objects / ((performance.now() - startedAt) / 1000);
  return { stage, operations: objects, average, clientLoad: cpuTime() };
}

const pool = Array.from({ length: threads }, () => new BareThread());
const stages = [];
for (const [stage, method] of Object.entries({ Write: 'PUT', Read: 'GET', Stat: 'HEAD', Remove: 'DELETE' })) {
  stages.push(await runStage(pool, stage, method));
}
process.stdout.write(JSON.stringify({ stages }));
await Promise.all(pool.map((thread) => thread.close()));
