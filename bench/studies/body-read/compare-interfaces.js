import { startProcess } from '../started-process.js';
import { runEcho } from './echo-client.js';

/**
 * @import { EchoResult } from './echo-client.js'
 * @import { ReadInterfaceName } from './read-interfaces.js'
 *
 * @typedef {Record<ReadInterfaceName, EchoResult[]>} EchoRuns in the order of the runs
 */

const SERVER = new URL('./echo-server.js', import.meta.url);

export const TIMESTAMPS = 100_000;

/** @type {readonly ReadInterfaceName[]} */
const IN_TURN = ['synchronous', 'asynchronous'];

/** Runs of each interface before measuring, so that the code of client and server is compiled. */
const WARM_UP_RUNS = 3;

/**
 * Runs the two interfaces alternately. The order changes from pair to pair, so that neither interface is always second.
 *
 * @param {number} runs of each interface
 * @param {(run: number, readInterface: ReadInterfaceName) => void} progress
 * @returns {Promise<EchoRuns>}
 */
export async function compareInterfaces(runs, progress) {
  const server = await startProcess(SERVER, { count: TIMESTAMPS });
  /** @type {EchoRuns} */
  const results = { synchronous: [], asynchronous: [] };
  try {
    for (let run = 1 - WARM_UP_RUNS; run <= runs; run++) {
      for (const readInterface of run % 2 === 0 ? IN_TURN : IN_TURN.toReversed()) {
        progress(run, readInterface);
        const result = await runEcho(server.offer.port, readInterface);
        if (run > 0) {
          results[readInterface].push(result);
        }
      }
    }
  } finally {
    await server.stop();
  }
  return results;
}
