import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { fileURLToPath } from 'node:url';

/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { LookupAddress } from 'node:dns'
 * @import { LookupFunction } from 'node:net'
 */

/** Names of this host (RFC 6761, section 6.3). */
const LOCALHOST = /(^|\.)localhost$/i;

const OF_LOCALHOST = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

const PROCESS = fileURLToPath(new URL('./name-lookup-process.js', import.meta.url));

/**
 * Looks up the name of a collector in a process of its own. Nobody can give up a look-up of the system's resolver: where name
 * servers do not answer, it would keep this process from ending for as long as it likes.
 */
export class NameLookup {
  #program;
  /** @type {Promise<LookupAddress[]> | null} */
  #addresses = null;
  /** @type {ChildProcess | null} */
  #child = null;

  /** @param {readonly string[]} [program] what Node is called with, before the name */
  constructor(program = [PROCESS]) {
    this.#program = program;
  }

  /** As sockets take it. @type {LookupFunction} */
  lookup = (hostname, { all = false }, callback) => {
    this.of(hostname).then(
      (addresses) => (all ? callback(null, addresses) : callback(null, addresses[0].address, addresses[0].family)),
      (error) => callback(error, ''),
    );
  };

  /**
   * @param {string} hostname always the same
   * @returns {Promise<LookupAddress[]>} at least one
   * @throws {NodeJS.ErrnoException} where it has none
   */
  of(hostname) {
    if (LOCALHOST.test(hostname)) {
      return Promise.resolve(OF_LOCALHOST);
    }
    this.#addresses ??= this.#lookUp(hostname);
    return this.#addresses;
  }

  /** Nobody answers at the addresses: the name may have others by now. A look-up that is under way goes on. */
  forget() {
    if (this.#child === null) {
      this.#addresses = null;
    }
  }

  /** Gives up what is under way. */
  close() {
    this.#child?.kill('SIGKILL');
  }

  /** @param {string} hostname */
  async #lookUp(hostname) {
    const printed = await this.#run(hostname);
    // Where no process can be started, the look-up may as well be one that cannot be given up.
    const { code, addresses = [] } =
      printed === null ? { code: undefined, addresses: await lookup(hostname, { all: true }) } : JSON.parse(printed);
    if (addresses.length === 0) {
      throw Object.assign(new Error(`the name ${hostname} is not known`), { code: code ?? 'ENOTFOUND' });
    }
    return addresses;
  }

  /**
   * @param {string} hostname
   * @returns {Promise<string | null>} what the program printed; null where it could not be started
   */
  #run(hostname) {
    return new Promise((resolve, reject) => {
      const child = execFile(process.execPath, [...this.#program, hostname], (error, printed) => {
        this.#child = null;
        if (child.pid === undefined) {
          resolve(null);
        } else if (error === null) {
          resolve(printed);
        } else {
          reject(Object.assign(new Error('the look-up was given up'), { code: 'ENOTFOUND' }));
        }
      });
      this.#child = child;
    });
  }
}
