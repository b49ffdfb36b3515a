import { once } from 'node:events';
import { createServer } from 'node:net';

const ADDRESS = '127.0.0.1';

/**
 * Ports below the range from which the system takes those of outgoing connections, and those that it gives to whoever
 * listens at port 0: nobody steals one before we listen, or while a test has it closed.
 */
const MIN_PORT = 12_000;
const MAX_PORT = 32_000;

/** Whoever was given a port need not listen on it yet. @type {Set<number>} */
const given = new Set();

/** @returns {Promise<number>} a port on which nobody listens */
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
