import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Minimum time between two look-ups of a name, no matter how many connections fail. */
const MIN_LIFE_MS = 1000;

/**
 * Time for which to skip an address that does not respond, if there are others. If it were short, attempts to connect to
 * that address would often delay the opening of other connections.
 */
const ABSENCE_MS = 60_000;

/** Names that always mean this host (RFC 6761, section 6.3), even if the system's resolver does not know them. */
const LOCALHOST = /(^|\.)localhost$/i;

/**
 * The addresses of one host name. It resolves the name once and hands out the addresses in turn, so that thousands of
 * connections cost one look-up and are spread over all addresses that respond.
 */
export class AddressBook {
  #hostname;
  #now;
  #family;
  /** @type {Promise<string[]> | null} */
  #addresses = null;
  #next = 0;
  #lookedUpAt = 0;
  #lookUpAgainAt = Infinity;
  /** @type {number | null} */
  #lookupTime = null;

  /**
   * @param {string} hostname a name, or an address
   * @param {() => number} now monotonic ms
   * @param {4 | 6} [family] the only IP version to use
   */
  constructor(hostname, now, family) {
    this.#hostname = hostname;
    this.#now = now;
    this.#family = family;
  }

  /**
   * @returns {Promise<string>} the next address in turn
   * @throws {NodeJS.ErrnoException} if the name does not resolve
   */
  async next() {
    const addresses = await this.#all();
    const address = addresses[this.#next % addresses.length];
    this.#next += 1;
    return address;
  }

  /** @returns {Promise<string>} the address that {@link next} would return now */
  async peek() {
    const addresses = await this.#all();
    return addresses[this.#next % addresses.length];
  }

  /**
   * Skips an unresponsive address for a while. Then the name is looked up again, because the address may have
   * recovered, or the name may have new addresses.
   *
   * @param {string} address
   * @returns {Promise<boolean>} whether another address can be tried at once
   */
  async drop(address) {
    const addresses = (await this.#addresses) ?? [];
    if (addresses.some((other) => other !== address)) {
      // Edit the list in place, because concurrent calls may drop other addresses, or may have dropped this one.
      const place = addresses.indexOf(address);
      addresses.splice(place, Number(place >= 0));
      this.#lookUpAgainAt = this.#now() + ABSENCE_MS;
      return true;
    }
    if (this.#now() - this.#lookedUpAt >= MIN_LIFE_MS) {
      this.#addresses = null;
    }
    return false;
  }

  /** @returns {number | null} duration of the last look-up in ms; null if there was none since the last call */
  takeLookupTime() {
    const lookupTime = this.#lookupTime;
    this.#lookupTime = null;
    return lookupTime;
  }

  #all() {
    if (this.#now() >= this.#lookUpAgainAt) {
      this.#addresses = null;
      this.#lookUpAgainAt = Infinity;
    }
    this.#addresses ??= this.#resolve();
    return this.#addresses;
  }

  async #resolve() {
    this.#lookedUpAt = this.#now();
    if (isIP(this.#hostname) !== 0) {
      return [this.#hostname];
    }
    try {
      const found = await lookup(LOCALHOST.test(this.#hostname) ? 'localhost' : this.#hostname, {
        all: true,
        family: this.#family,
      });
      this.#lookupTime = this.#now() - this.#lookedUpAt;
      return found.map(({ address }) => address);
    } catch (error) {
      this.#addresses = null;
      throw error;
    }
  }
}
