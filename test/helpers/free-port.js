import { once } from 'node:events';
import { createServer } from 'node:net';

const ADDRESS = '127.0.0.1';

/**
 * Below the range of ephemeral ports, which the system uses for outgoing connections and for port 0. No other process takes
 * such a port before we listen, or while a test has it closed.
 */
const MIN_PORT = 12_000;
const MAX_PORT = 32_000;

/** Ports handed out, which may not be in use yet. @type {Set<number>} */
const given = new Set();

/** @returns {Promise<number>} an unused port */
export async function freePort() {
  for (;;) {
    const port = MIN_PORT + Math.floor(Math.random() * (MAX_PORT - MIN_PORT));
    if (given.has(port)) {
      continue;
    }
    given.add(port);
    if (await isFree(port)) {
      return port;
    }
  }
}

/** @param {number} port */
async function isFree(port) {
  const probe = createServer();
  try {
    probe.listen(port, ADDRESS);
    await once(probe, 'listening');
    probe.close();
    await once(probe, 'close');
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EADDRINUSE') {
      throw error;
    }
    return false;
  }
}
