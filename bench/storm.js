import { checkPart } from './storm/checks.js';
import { STAGES, readLoad } from './storm/load.js';
import { runPart } from './storm/part.js';

// A million operations against a store that fails one request in twenty, in every way that an operation survives. The
// counts must be exact, the memory flat, the log short and the store empty.
//
//     node bench/storm.js [operations] [parts] [direct|sdk]

const { objects, parts, client } = readLoad(process.argv.slice(2));
const print = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);
let broken = 0;
for (let part = 1; part <= parts; part += 1) {
  const outcome = await runPart({ objects, seed: part, client });
  print(`\nPart ${part} of ${parts}: ${STAGES * objects} operations in ${(outcome.duration / 1000).toFixed(0)} s`);
  for (const { claim, holds, figures } of checkPart(outcome, objects)) {
    print(`${holds ? 'ok    ' : 'BROKEN'}  ${claim}: ${figures}`);
    broken += Number(!holds);
  }
}
print(broken === 0 ? '\nThe storm was sat out.' : `\n${broken} checks failed.`);
process.exitCode = broken === 0 ? 0 : 1;
