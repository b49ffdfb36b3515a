import dnsPromises from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

/** @import { TestContext } from 'node:test' */

/**
 * Handles all name look-ups until the end of the test.
 *
 * @param {TestContext} t
 * @param {(name: string) => string[] | Promise<string[]>} resolve the addresses of a name; the look-up fails with what it throws
 * @returns {{ names: string[] }} the requested names
 */
export function mockLookup(t, resolve) {
  /** @type {string[]} */
  const names = [];
  /**
   * @param {string} name
   * @param {{ family?: number }} options
   */
  const lookup = async (name, { family }) => {
    names.push(name);
    const addresses = (await resolve(name)).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    return addresses.filter((each) => family === undefined || each.family === family);
  };
  const mocked = t.mock.method(dnsPromises, 'lookup', /** @type {any} */ (lookup));
  syncBuiltinESMExports();
  t.after(() => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  });
  return { names };
}
