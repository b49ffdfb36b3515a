import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'dotenv';
import { KeepAliveAgent } from '../../lib/http/keep-alive-agent.js';
import { AddressBook } from '../../lib/http/address-book.js';
import { LiveCredentials } from '../../lib/s3/live-credentials.js';
import { openStore } from '../../lib/s3/object-store.js';
import { BucketAdmin } from '../../lib/s3/bucket-admin.js';

/**
 * @import { Behaviour } from '../../edge/local-worker.js'
 * @import { TestContext } from 'node:test'
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EDGE = path.join(ROOT, 'edge');

/**
 * Starts the Worker on workerd, with an R2 of its own, in a process of its own that ends with the test.
 *
 * @param {Pick<TestContext, 'after'>} t
 * @param {{ buckets?: string[], behaviour?: Behaviour }} [options]
 */
export async function startEdge(t, { buckets = ['local'], behaviour = {} } = {}) {
  if (!existsSync(path.join(EDGE, 'node_modules/miniflare'))) {
    execFileSync('npm', ['ci', '--prefix', EDGE, '--ignore-scripts'], { stdio: 'inherit' });
  }
  const child = spawn(process.execPath, [path.join(EDGE, 'local.js'), ...buckets], {
    env: { ...process.env, EDGE_LOCAL_BEHAVIOUR: JSON.stringify(behaviour) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) {
      await once(child, 'exit');
    }
  });
  let dotEnv = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (dotEnv += text));
  while (!dotEnv.includes('S3_BUCKET=')) {
    await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error('the Worker did not start'))),
    ]);
  }
  return new TestEdge(dotEnv, buckets, Number(child.pid));
}

/** The Worker of a test. */
export class TestEdge {
  /**
   * @param {string} dotEnv what it has printed
   * @param {string[]} buckets
   * @param {number} pid of the process that has started workerd
   */
  constructor(dotEnv, buckets, pid) {
    this.dotEnv = dotEnv;
    this.pid = pid;
    this.buckets = buckets;
    const { EDGE_URL, EDGE_SECRET } = parse(dotEnv);
    this.url = new URL(EDGE_URL);
    this.secret = EDGE_SECRET;
  }

  /** @returns {Promise<Record<string, number>>} how often each call of the bindings was made */
  async record() {
    const answer = await fetch(new URL('/local-record', this.url));
    return /** @type {Promise<Record<string, number>>} */ (answer.json());
  }

  /** @returns {Promise<number>} bytes that the Worker and its R2, which are one process, have had in memory at most */
  async peakMemory() {
    const [workerd] = (await readFile(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8')).split(' ');
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${workerd}/status`, 'utf8')) ?? [];
    return 1024 * Number(kibibytes);
  }

  /** @returns {Promise<string[]>} all keys, in whatever bucket */
  async keys() {
    const admin = new BucketAdmin(this.#storeOptions(this.secret), 10_000);
    try {
      const pages = await Promise.all(this.buckets.map((bucket) => admin.listPage(bucket, '', '')));
      return pages.flatMap(({ objects }) => objects.map(({ key }) => key));
    } finally {
      admin.close();
    }
  }

  /**
   * @param {Pick<TestContext, 'after'>} t
   * @param {string} [secret]
   * @param {number} [clockOffset] ms by which the client's clock is ahead
   */
  async connection(t, secret = this.secret, clockOffset = 0) {
    const options = this.#storeOptions(secret, clockOffset);
    const store = await openStore('edge', options);
    t.after(async () => {
      await store.close();
      options.agent.close();
    });
    return store.openConnection(0);
  }

  /**
   * @param {string} secretAccessKey
   * @param {number} [clockOffset] ms
   */
  #storeOptions(secretAccessKey, clockOffset = 0) {
    const now = () => performance.now();
    const { hostname, port } = this.url;
    const agent = new KeepAliveAgent({
      ...{ hostname, port: Number(port), useTls: false, addresses: new AddressBook(hostname, now) },
      ...{ connectTimeout: 10_000, now, hooks: { opened() {} } },
    });
    return {
      ...{ agent, hostname, port: Number(port), useTls: false, buckets: this.buckets, region: 'auto', threads: 1 },
      ...{ keepAlive: true, now, epochNow: () => Date.now() + clockOffset },
      credentials: new LiveCredentials({ accessKeyId: 'edge', secretAccessKey }),
    };
  }
}
