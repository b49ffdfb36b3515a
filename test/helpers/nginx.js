import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from './free-port.js';
import { ADDRESS, UNTIL_INPUT_ENDS, findProgram } from './server-process.js';

/** @import { ChildProcess } from 'node:child_process' */

const READY_WITHIN_MS = 30_000;
const POLL_INTERVAL_MS = 50;

/** Debian installs it here, which is not on everybody's path. */
const SYSTEM_FOLDER = '/usr/sbin';

/** Headers that no public address is to see; nginx logs each of them, and a hyphen if it is absent. */
const SECRET_HEADERS = /** @type {const} */ ([
  'authorization',
  'cookie',
  'x-amz-date',
  'x-amz-content-sha256',
  'x-amz-security-token',
  'x-amz-copy-source',
]);

/**
 * A line of the access log.
 *
 * @typedef {object} LoggedRequest
 * @property {string} method
 * @property {string} path
 * @property {number} status
 * @property {string} cache the cache status of nginx: '' if it did not look there
 * @property {string} encoding the header Accept-Encoding
 * @property {string} range likewise
 * @property {Record<(typeof SECRET_HEADERS)[number], string>} secrets '' for those that did not come
 */

/** nginx before a server, as a public cache. */
export class Nginx {
  #child;
  #folder;

  /**
   * @param {ChildProcess} child
   * @param {string} folder its own
   * @param {number} port
   */
  constructor(child, folder, port) {
    this.#child = child;
    this.#folder = folder;
    this.port = port;
    this.url = `http://${ADDRESS}:${port}`;
  }

  /** @returns {Promise<LoggedRequest[]>} all requests so far */
  async requests() {
    const log = await readFile(logIn(this.#folder), 'utf8');
    return log
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { status, ...texts } = JSON.parse(line);
        const secrets = /** @type {LoggedRequest['secrets']} */ (
          Object.fromEntries(SECRET_HEADERS.map((name) => [name, texts[name]]))
        );
        const { method, path: target, cache, encoding, range } = texts;
        return { method, path: target, status: Number(status), cache, encoding, range, secrets };
      });
  }

  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit');
      this.#child.stdin?.destroy();
      await exited;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/**
 * @param {object} options
 * @param {number} options.upstream port of the server that it reads from
 * @param {string} [options.location] directives for what it serves
 * @param {string} [options.server] directives of the server, such as further locations
 * @param {string} [options.http] directives beside the server
 * @returns {Promise<Nginx>} ready
 */
export async function startNginx({ upstream, location = '', server = '', http = '' }) {
  const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-nginx-'));
  const port = await freePort();
  await Promise.all(['cache', 'temp'].map((name) => mkdir(path.join(folder, name))));
  const fields = [
    ...['"method":"$request_method"', '"path":"$uri"', '"status":"$status"', '"cache":"$upstream_cache_status"'],
    ...['"encoding":"$http_accept_encoding"', '"range":"$http_range"'],
    ...SECRET_HEADERS.map((name) => `"${name}":"$http_${name.replaceAll('-', '_')}"`),
  ];
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  await writeFile(
    configurationIn(folder),
    `${userInfo().uid === 0 ? 'user root;' : ''}
daemon off;
# One process, which ends as a whole.
master_process off;
pid ${path.join(folder, 'nginx.pid')};
error_log stderr;
events { worker_connections 4096; }
http {
  log_format requests escape=json '{${fields.join(',')}}';
  access_log ${logIn(folder)} requests;
  ${temporary.map((name) => `${name}_temp_path ${path.join(folder, 'temp', name)};`).join('\n  ')}
  proxy_cache_path ${path.join(folder, 'cache')} keys_zone=objects:32m max_size=4g inactive=1h use_temp_path=off;
  keepalive_requests 1000000;
  ${http}
  upstream store { server ${ADDRESS}:${upstream}; keepalive 64; }
  server {
    listen ${ADDRESS}:${port};
    ${server}
    location / {
      proxy_pass http://store;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      ${location}
    }
  }
}
`,
  );
  const program = findProgram('nginx', [SYSTEM_FOLDER]);
  const parameters = ['-c', configurationIn(folder), '-e', 'stderr'];
  const child = spawn('sh', ['-c', UNTIL_INPUT_ENDS, 'sh', program, ...parameters], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let printed = '';
  child.stderr?.on('data', (text) => (printed += text));
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await answers(port))) {
    if (performance.now() > deadline || child.exitCode !== null) {
      throw new Error(`nginx did not become ready; it printed: ${printed}`);
    }
    await wait(POLL_INTERVAL_MS);
  }
  return new Nginx(child, folder, port);
}

/**
 * @param {object} [options]
 * @param {string} [options.valid] how long it serves a copy without asking again
 * @param {string} [options.header] directive that adds the cache status to responses
 * @returns {string} directives of a location that keeps copies
 */
export function cached({ valid = '1h', header = 'add_header cf-cache-status $upstream_cache_status always' } = {}) {
  return `
      proxy_cache objects;
      proxy_cache_key $uri$http_range;
      proxy_cache_valid 200 206 ${valid};
      proxy_ignore_headers Cache-Control Expires Set-Cookie Vary;
      proxy_set_header Range $http_range;
      ${header};
  `;
}

/** @param {string} folder */
function configurationIn(folder) {
  return path.join(folder, 'nginx.conf');
}

/** @param {string} folder */
function logIn(folder) {
  return path.join(folder, 'access.log');
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, ADDRESS);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
