import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { spawnNode } from './pinned.js';

const PROGRAM = new URL('../../lib/local-s3/process.js', import.meta.url).pathname;
const BUCKET = 'truth';
const CREDENTIALS = { accessKeyId: 'truth', secretAccessKey: 'truth' };

/**
 * An endpoint in a process of its own that does as its script says.
 *
 * @typedef {object} ScriptedEndpoint
 * @property {Record<string, string>} env what a client needs to know to reach it
 * @property {() => Promise<import('../../lib/local-s3/process.js').ProcessReport>} report
 * @property {() => Promise<void>} close
 *
 * @typedef {object} EndpointScript
 * @property {string} [faults] see parseFaults
 * @property {'store' | 'null'} [mode]
 * @property {number} [objectSize] in null mode, bytes
 * @property {number | null} [core] that it stays on
 */

/**
 * @param {EndpointScript} script
 * @returns {Promise<ScriptedEndpoint>}
 * @throws {Error} where it does not start, or ends by itself
 */
export async function startScriptedEndpoint({ core = null, ...script }) {
  const options = JSON.stringify({ buckets: [BUCKET], credentials: CREDENTIALS, ...script });
  const child = spawnNode(core, [PROGRAM, options], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const input = /** @type {import('node:stream').Writable} */ (child.stdin);
  const lines = createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) });
  const answers = lines[Symbol.asyncIterator]();
  const answer = async () => {
    const { done, value } = await answers.next();
    if (done === true) {
      throw new Error(`the endpoint ended with status ${(await exit)[0]}`);
    }
    return JSON.parse(value);
  };
  const { port } = await answer();
  return {
    env: {
      S3_BUCKET: BUCKET,
      S3_HOSTNAME: '127.0.0.1',
      S3_PORT: String(port),
      S3_ACCESS_KEY: CREDENTIALS.accessKeyId,
      S3_SECRET_KEY: CREDENTIALS.secretAccessKey,
      S3_USE_SSL: '0',
    },
    report() {
      input.write('report\n');
      return answer();
    },
    async close() {
      input.end();
      await exit;
    },
  };
}

/**
 * @template Result
 * @param {EndpointScript} script
 * @param {(endpoint: ScriptedEndpoint) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withEndpoint(script, work) {
  const endpoint = await startScriptedEndpoint(script);
  try {
    return await work(endpoint);
  } finally {
    await endpoint.close();
  }
}
