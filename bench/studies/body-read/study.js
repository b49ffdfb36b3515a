import { writeFileSync } from 'node:fs';
import { describeMachine } from '../machine.js';
import { runStudy } from '../run-study.js';
import { compareInterfaces } from './compare-interfaces.js';
import { chartOfDrains, chartOfEcho } from './charts.js';
import { measureDrains } from './drain-speed.js';
import { describeConclusion, describeDrains, describeEcho } from './report.js';
import { FROM_BUFFER, FROM_SOCKET } from './ways-to-read.js';

// Measures the cost of each way to read a body; see bench/studies/README.md.
//
//     npm run study:body-read

const RUNS_OF_EACH = 20;

await runStudy(async () => {
  const startedAt = performance.now();
  const print = (/** @type {string} */ text) => process.stdout.write(text);
  const progress = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);
  print(`${describeMachine(['undici', 'tinybench', 'bluebird', 'ws'])}\n`);
  const fromBuffer = await measureDrains(FROM_BUFFER, (way) => progress(`from a buffer: ${way}`));
  const fromSocket = await measureDrains(FROM_SOCKET, (way) => progress(`from a socket: ${way}`));
  print(describeDrains(fromBuffer, fromSocket));
  const runs = await compareInterfaces(RUNS_OF_EACH, (run, way) => progress(`round trips, pair ${run}: ${way}`));
  print(describeEcho(runs));
  print(describeConclusion(fromBuffer, fromSocket, runs));
  const charts = {
    'body-read.svg': chartOfDrains('Time to drain a pipe, by the number of chunks in it', fromBuffer),
    'body-read-get.svg': chartOfDrains('Time from the arrival of the body of a GET until it is read', fromSocket),
    'body-read-round-trips.svg': chartOfEcho(runs),
  };
  for (const [name, chart] of Object.entries(charts)) {
    writeFileSync(new URL(`../${name}`, import.meta.url), chart);
  }
  print(`\nTook ${((performance.now() - startedAt) / 1000).toFixed(0)} s. Charts: bench/studies/body-read*.svg\n`);
});
