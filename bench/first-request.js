import { createHook } from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

// Preloaded into a program (`node --import ./bench/first-request.js …`): prints to stderr how much CPU time the process has used
// by the time it opens its first connection.

if (isMainThread) {
  const hook = createHook({
    init(_id, type) {
      if (type === 'TCPCONNECTWRAP') {
        hook.disable();
        const { user, system } = process.cpuUsage();
        process.stderr.write(`First connection after ${((user + system) / 1000).toFixed(0)} ms of CPU\n`);
      }
    },
  }).enable();
}
