import { readFile } from 'node:fs/promises';
import { startLocalWorker } from '../../edge/local-process.js';
import { KeepAliveAgent } from '../../lib/store/http/keep-alive-agent.js';
import { AddressBook } from '../../lib/store/http/address-book.js';
import { LiveCredentials } from '../../lib/store/live-credentials.js';
import { BucketAdmin, LIST_START } from '../../lib/store/bucket-admin.js';

/**
 * @import { LocalWorker } from '../../edge/local-process.js'
 * @import { Behaviour } from '../../edge/local-worker.js'
 * @import { TestContext } from 'node:test'
 */

/**
 * Starts the Worker on workerd with its own R2, in a process that ends with the test.
 *
 * @param {Pick<TestContext, 'after'>} t
 * @param {{ buckets?: string[], behaviour?: Behaviour }} [options]
 */
export async function startEdge(t, { buckets = ['local'], behaviour = {} } = {}) {
  const worker = await startLocalWorker({ buckets, behaviour });
  t.after(worker.stop);
  return new TestEdge(worker, buckets);
}

export class TestEdge {
  /**
   * @param {LocalWorker} worker
   * @param {string[]} buckets
   */
  constructor({ dotEnv, url, secret, processId }, buckets) {
    this.dotEnv = dotEnv;
    this.processId = processId;
    this.buckets = buckets;
    this.url = url;
    this.secret = secret;
  }

  /** @returns {Promise<Record<string, number>>} number of calls of the bindings by name */
  async record() {
    const answer = await fetch(new URL('/local-record', this.url));
    return /** @type {Promise<Record<string, number>>} */ (answer.json());
  }

  /** @returns {Promise<number>} peak memory in bytes of the process that runs the Worker and its R2 */
  async peakMemory() {
    const [workerd] = (await readFile(`/proc/${this.processId}/task/${this.processId}/children`, 'utf8')).split(' ');
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${workerd}/status`, 'utf8')) ?? [];
    return 1024 * Number(kibibytes);
  }

  /** @returns {Promise<string[]>} the keys of all buckets */
  async keys() {
    const admin = new BucketAdmin(this.#storeOptions(), 10_000);
    try {
      const pages = await Promise.all(this.buckets.map((bucket) => admin.listPage(bucket, 'benchmark/', LIST_START)));
      return pages.flatMap(({ objects }) => objects.map(({ key }) => key));
    } finally {
      admin.close();
    }
  }

  #storeOptions() {
    const now = () => performance.now();
    const { hostname, port } = this.url;
    const agent = new KeepAliveAgent({
      ...{ hostname, port: Number(port), useTls: false, addresses: new AddressBook(hostname, now) },
      ...{ connectTimeout: 10_000, now, hooks: { opened() {} } },
    });
    return {
      ...{
        agent,
        hostname,
        port: Number(port),
        useTls: false,
        buckets: this.buckets,
        region: 'auto',
        threads: 1,
      },
      ...{ keepAlive: true, now, epochNow: Date.now },
      credentials: new LiveCredentials({ accessKeyId: 'edge', secretAccessKey: this.secret }),
    };
  }
}
