import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'dotenv';

/** @import { Behaviour } from './local-worker.js' */

const EDGE = fileURLToPath(new URL('./', import.meta.url));

/** The last variable that edge/local.js prints, once the Worker is ready. */
const LAST_VARIABLE = /^S3_BUCKET=.*\n/m;

/**
 * @typedef {object} LocalWorker
 * @property {string} dotEnv EDGE_URL, EDGE_SECRET and S3_BUCKET, for a .env
 * @property {URL} url
 * @property {string} secret
 * @property {number} processId of the process that started workerd
 * @property {() => Promise<void>} stop
 */

/**
 * Starts the Worker on workerd with its own R2, in a separate process. Installs workerd if it is missing.
 *
 * @param {object} options
 * @param {readonly string[]} options.buckets
 * @param {Behaviour} [options.behaviour]
 * @param {{ keyFile: string, certificateFile: string }} [options.tls] PEM files; default: plain HTTP
 * @returns {Promise<LocalWorker>}
 * @throws {Error} if it does not start
 */
export async function startLocalWorker({ buckets, behaviour = {}, tls }) {
  if (!existsSync(path.join(EDGE, 'node_modules/miniflare'))) {
    execFileSync('npm', ['ci', '--prefix', EDGE, '--ignore-scripts'], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const child = spawn(process.execPath, [path.join(EDGE, 'local.js'), ...buckets], {
    env: {
      ...process.env,
      EDGE_LOCAL_BEHAVIOUR: JSON.stringify(behaviour),
      ...(tls && { EDGE_LOCAL_KEY: tls.keyFile, EDGE_LOCAL_CERTIFICATE: tls.certificateFile }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  /** @type {Promise<string>} */
  const printed = new Promise((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (LAST_VARIABLE.test(text)) {
        resolve(text);
      }
    });
    exit.then(() => reject(new Error('the Worker did not start')));
  });
  const dotEnv = await printed;
  const { EDGE_URL, EDGE_SECRET } = parse(dotEnv);
  return {
    dotEnv,
    url: new URL(EDGE_URL),
    secret: EDGE_SECRET,
    processId: Number(child.pid),
    async stop() {
      child.kill('SIGTERM');
      await exit;
    },
  };
}
