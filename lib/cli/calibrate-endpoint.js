import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * @import { ProcessReport } from '../local-s3/process.js'
 */

const PROGRAM = fileURLToPath(new URL('../local-s3/process.js', import.meta.url));
const BUCKET = 'calibration';

/** The endpoint checks no signature, but a request has one all the same. */
const CREDENTIALS = Object.freeze({ accessKeyId: 'calibration', secretAccessKey: 'calibration' });

/** An endpoint that does next to nothing for a request, in a process of its own. */
export class NullEndpoint {
  #child;
  #lines;
  /** The variables that lead a client to it. @type {Record<string, string>} */
  variables;
  /** What a client has to trust, as PEM; null without TLS. @type {string | null} */
  certificate;

  /**
   * @param {object} options
   * @param {number} options.size bytes of each object
   * @param {boolean} options.useTls
   * @param {NodeJS.ProcessEnv} options.env
   * @returns {Promise<NullEndpoint>} that listens
   * @throws {Error} where it did not come that far
   */
  static async start({ size, useTls, env }) {
    const tls = useTls ? 'self-signed' : null;
    const options = { buckets: [BUCKET], credentials: CREDENTIALS, mode: 'null', objectSize: size, tls };
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(options)], {
      // Node's options of the client, a profiler's for one, are not meant for the endpoint.
      env: { ...env, NODE_OPTIONS: '' },
      stdio: ['pipe', 'pipe', 'ignore'],
      // Ctrl-C is for the client: the endpoint ends with its standard input.
      detached: true,
    });
    // An endpoint that has gone shows by the end of its output.
    child.once('error', () => {});
    child.stdin.on('error', () => {});
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { port, certificate } = await nextMessage(lines);
    return new NullEndpoint({ child, lines, port, certificate });
  }

  /**
   * @param {object} parts
   * @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, any, null>} parts.child
   * @param {AsyncIterator<string>} parts.lines
   * @param {number} parts.port
   * @param {string | null} parts.certificate
   */
  constructor({ child, lines, port, certificate }) {
    this.#child = child;
    this.#lines = lines;
    this.certificate = certificate;
    this.variables = {
      S3_BUCKET: BUCKET,
      S3_HOSTNAME: '127.0.0.1',
      S3_PORT: String(port),
      S3_USE_SSL: certificate === null ? '0' : '1',
      S3_ACCESS_KEY: CREDENTIALS.accessKeyId,
      S3_SECRET_KEY: CREDENTIALS.secretAccessKey,
    };
  }

  /**
   * @returns {Promise<ProcessReport>} its load is that since the report before
   * @throws {Error} where the endpoint has ended
   */
  async report() {
    this.#child.stdin.write('report\n');
    return nextMessage(this.#lines);
  }

  close() {
    this.#child.stdin.end();
  }
}

/** @param {AsyncIterator<string>} lines */
async function nextMessage(lines) {
  const { done, value } = await lines.next();
  if (done) {
    throw new Error('the endpoint that the client was to be measured against has ended');
  }
  return JSON.parse(value);
}
