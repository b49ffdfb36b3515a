import { startLocalWorker } from '../../../edge/local-process.js';
import { makeCertificate } from '../certificate.js';
import { BUCKET, agreedProtocol } from '../endpoint.js';
import { describeMachine } from '../machine.js';
import { runStudy } from '../run-study.js';
import { GEOGRAPHIES } from './geographies.js';
import { measureWays } from './measure-ways.js';
import { describeResult } from './report.js';

// Measures how a Worker between a user and a store affects latency, at several distances; see bench/studies/README.md.
//
//     npm run study:edge

/** A binding's calls that travel to the store and back. */
const CALLS = ['put', 'get', 'head', 'delete', 'list'];

const EDGE_MODULES = new URL('../../../edge/node_modules/', import.meta.url);

await runStudy(async () => {
  const startedAt = performance.now();
  const machine = describeMachine(['miniflare', 'workerd'], EDGE_MODULES);
  const certificate = await makeCertificate();
  const results = [];
  let protocol = '';
  try {
    for (const geography of GEOGRAPHIES) {
      process.stderr.write(`${geography.name}\n`);
      const delays = Object.fromEntries(CALLS.map((call) => [call, geography.workerToStore]));
      const worker = await startLocalWorker({ buckets: [BUCKET], behaviour: { delays }, tls: certificate });
      try {
        protocol = await agreedProtocol(Number(worker.url.port), certificate);
        results.push({ geography, ...(await measureWays(geography, { worker, certificate })) });
      } finally {
        await worker.stop();
      }
    }
  } finally {
    await certificate.remove();
  }
  process.stdout.write(`${machine}\n${describeResult(results, protocol)}`);
  process.stdout.write(`\nTook ${((performance.now() - startedAt) / 1000).toFixed(0)} s.\n`);
});
