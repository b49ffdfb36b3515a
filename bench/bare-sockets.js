import { runBareClient } from './bare-client.js';
import { BareThread, targetOf } from './bare-thread.js';

// The cost of Node's sockets and OpenSSL alone. Sends the direct client's requests over one socket per thread, reads into a
// shared buffer, and looks only at the length of a response. No client on Node can be much cheaper.
//
//     node bench/bare-sockets.js <objects> <threads> <bytes>

const OPENING_AT_ONCE = 50;

const target = targetOf(process.env);

await runBareClient(async (threads) => {
  /** @type {BareThread[]} */
  const opened = [];
  while (opened.length < threads) {
    const count = Math.min(OPENING_AT_ONCE, threads - opened.length);
    const some = Array.from({ length: count }, () => new BareThread(target));
    await Promise.all(some.map((thread) => thread.opened));
    opened.push(...some);
  }
  return opened;
});
