import dnsPromises from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

/** @import { TestContext } from 'node:test' */

/**
 * Answers all look-ups of names until the test is over.
 *
 * @param {TestContext} t
 * @param {(name: string) => string[] | Promise<string[]>} resolve the addresses of a name; what it throws is the look-up's error
 * @returns {{ names: string[] }} the names that were asked for
 */
export function mockLookup(t, resolve) {
  /** @type {string[]} */
  const names = [];
  /** @param {string} name */
  const lookup = async (name) => {
    names.push(name);
    return (await resolve(name)).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const mocked = t.mock.method(dnsPromises, 'lookup', /** @type {any} */ (lookup));
  syncBuiltinESMExports();
  t.after(() => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  });
  return { names };
}
