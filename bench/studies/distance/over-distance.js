import { startProcess } from '../started-process.js';

/** @import { RelayTally } from './round-trips.js' */

const RELAY = new URL('./relay.js', import.meta.url);

/**
 * Puts a distance between a client and a server on this host. Each client has its own relay, which counts for that client
 * alone.
 *
 * @template Result
 * @param {{ port: number, roundTrip: number }} server and its distance in ms
 * @param {(port: number) => Promise<Result>} client gets the port of the relay
 * @returns {Promise<{ result: Result, tally: RelayTally }>}
 */
export async function overDistance({ port, roundTrip }, client) {
  const relay = await startProcess(RELAY, { port, roundTrip });
  try {
    const result = await client(relay.offer.port);
    return { result, tally: await relay.stop() };
  } catch (error) {
    await relay.stop();
    throw error;
  }
}
