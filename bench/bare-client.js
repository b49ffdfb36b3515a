import { measureCpuTime } from '../lib/measure/host/client-load.js';
import { Keyspace } from '../lib/load/workload/keyspace.js';
import { Payload } from '../lib/load/workload/payload.js';

/**
 * Sends requests one at a time on one connection.
 *
 * @typedef {object} BareThread
 * @property {(method: string, path: string, body: Buffer | null) => Promise<void>} send
 * @property {() => unknown} close
 */

/**
 * Sends only the requests of the direct client's four stages: no signatures, checks, meters or retries. Takes
 * `<objects> <threads> <bytes>` from the command line, and the endpoint from the environment. Prints the stages in the format
 * of the tool's --json.
 *
 * @param {(threads: number) => Promise<readonly BareThread[]> | readonly BareThread[]} open
 */
export async function runBareClient(open) {
  const [objects, threads, objectSize] = process.argv.slice(2).map(Number);
  const { S3_BUCKET: bucket = '' } = process.env;
  const keyspace = new Keyspace({ runId: 'bare', prefix: 'benchmark', buckets: [bucket] });
  const payload = new Payload('bare');
  const pool = await open(threads);
  const stages = [];
  for (const [stage, method] of Object.entries({ Write: 'PUT', Read: 'GET', Stat: 'HEAD', Remove: 'DELETE' })) {
    const cpuTime = measureCpuTime();
    const startedAt = performance.now();
    let next = 0;
    const work = async (/** @type {BareThread} */ thread) => {
      while (next < objects) {
        const index = next++;
        const body = method === 'PUT' ? payload.view(index, 0, objectSize) : null;
        await thread.send(method, `/${bucket}/${keyspace.keyOf(index)}`, body);
      }
    };
    await Promise.all(pool.map(work));
    const average = objects / ((performance.now() - startedAt) / 1000);
    stages.push({ stage, operations: objects, average, clientLoad: cpuTime() });
  }
  process.stdout.write(JSON.stringify({ stages }));
  await Promise.all(pool.map((thread) => thread.close()));
}
