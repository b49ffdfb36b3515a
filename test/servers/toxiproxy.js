import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../helpers/free-port.js';
import { ADDRESS, findProgram, UNTIL_INPUT_ENDS } from '../helpers/server-process.js';

/** @import { ChildProcess } from 'node:child_process' */

/** The program that `go install github.com/Shopify/toxiproxy/v2/cmd/server` builds. */
const PROGRAM = 'server';

const READY_WITHIN_MS = 30_000;
const POLL_INTERVAL_MS = 50;

/**
 * @typedef {object} Toxic a fault on a connection: see https://github.com/Shopify/toxiproxy#toxics
 * @property {string} type
 * @property {'upstream' | 'downstream'} [stream] default: downstream, towards the client
 * @property {number} [toxicity] share of the affected connections; default: 1
 * @property {Record<string, number>} attributes
 */

export class Toxiproxy {
  #child;
  #api;
  #proxies = 0;

  /**
   * @param {ChildProcess} child
   * @param {string} api its address
   */
  constructor(child, api) {
    this.#child = child;
    this.#api = api;
  }

  /**
   * @param {number} serverPort
   * @returns {Promise<Proxy>} a proxy to that server, initially without faults
   */
  async openProxy(serverPort) {
    this.#proxies += 1;
    const name = `proxy-${this.#proxies}`;
    const ends = { listen: `${ADDRESS}:0`, upstream: `${ADDRESS}:${serverPort}` };
    const { listen } = await call(`${this.#api}/proxies`, { name, ...ends });
    return new Proxy(`${this.#api}/proxies/${name}`, Number(listen.split(':')[1]));
  }

  async stop() {
    const exited = once(this.#child, 'exit');
    this.#child.stdin?.destroy();
    await exited;
  }
}

class Proxy {
  #api;

  /**
   * @param {string} api its address
   * @param {number} port on which it listens
   */
  constructor(api, port) {
    this.#api = api;
    this.port = port;
  }

  /** @param {Toxic} toxic affects open connections */
  async add(toxic) {
    await call(`${this.#api}/toxics`, { name: `${toxic.type}-${toxic.stream ?? 'downstream'}`, ...toxic });
  }

  /** @param {Toxic} toxic to remove */
  async remove(toxic) {
    await call(`${this.#api}/toxics/${toxic.type}-${toxic.stream ?? 'downstream'}`, null, 'DELETE');
  }

  /** @param {boolean} isUp false: cut every connection and refuse new ones */
  async switchTo(isUp) {
    await call(this.#api, { enabled: isUp });
  }
}

/** @returns {Promise<Toxiproxy>} ready */
export async function startToxiproxy() {
  const port = await freePort();
  const api = `http://${ADDRESS}:${port}`;
  const parameters = ['-host', ADDRESS, '-port', String(port), '-seed', '7'];
  const child = spawn('sh', ['-c', UNTIL_INPUT_ENDS, 'sh', findProgram(PROGRAM), ...parameters], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      await call(`${api}/proxies`, null, 'GET');
      return new Toxiproxy(child, api);
    } catch (error) {
      if (performance.now() > deadline || child.exitCode !== null) {
        throw error;
      }
      await wait(POLL_INTERVAL_MS);
    }
  }
}

/**
 * @param {string} url
 * @param {object | null} content
 * @param {string} [method]
 * @returns {Promise<any>}
 */
async function call(url, content, method = 'POST') {
  const response = await fetch(url, { method, body: content === null ? null : JSON.stringify(content) });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(`toxiproxy answered ${response.status} to ${method} ${url}: ${text}`);
  }
  return text === '' ? null : JSON.parse(text);
}
