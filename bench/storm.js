import { checkPart } from './storm/checks.js';
import { STAGES, readLoad } from './storm/load.js';
import { runMixedPart } from './storm/mixed-part.js';
import { runPart } from './storm/part.js';

// Runs a million operations against a store that fails one request in twenty, in every way that an operation can survive. The
// counts must be exact, the memory flat, the log short and the store empty at the end. Then runs a million mixed operations
// over objects that are constantly rewritten and removed: no read must be reported as an integrity error, and the leftovers of
// a killed run must be cleaned up.
//
//     node bench/storm.js [operations] [parts] [direct|sdk]

/** Duration of each stage of a mixed run. */
const MIXED_SECONDS = 30;

const { objects, parts, client } = readLoad(process.argv.slice(2));
const print = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);
let broken = 0;

/**
 * @param {ReturnType<typeof checkPart>} checks
 * @returns {number} failed checks
 */
function report(checks) {
  for (const { claim, holds, figures } of checks) {
    print(`${holds ? 'ok    ' : 'BROKEN'}  ${claim}: ${figures}`);
  }
  return checks.filter(({ holds }) => !holds).length;
}

for (let part = 1; part <= parts; part += 1) {
  const outcome = await runPart({ objects, seed: part, client });
  print(`\nPart ${part} of ${parts}: ${STAGES * objects} operations in ${(outcome.duration / 1000).toFixed(0)} s`);
  broken += report(checkPart(outcome, objects));
}
let mixed = 0;
for (let part = 1; mixed < STAGES * objects * parts; part += 1) {
  const { checks, operations, duration } = await runMixedPart({ seconds: MIXED_SECONDS, seed: part, client });
  mixed += operations;
  print(`\nMixed part ${part}: ${operations} mixed operations in ${(duration / 1000).toFixed(0)} s`);
  broken += report(checks);
}
print(broken === 0 ? '\nAll checks passed.' : `\n${broken} checks failed.`);
process.exitCode = broken === 0 ? 0 : 1;
