import fc from 'fast-check';
import { anyPieces, blankTally, compareReaders } from '../test/helpers/http-answers.js';

// Feeds random responses to our parser, node:http and undici. Fails if our parser accepts a response that another one rejects
// or reads differently.
//
//     npm run fuzz:parser [CASES [SEED]]

const cases = Number(process.argv[2] ?? 200_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);

const tally = blankTally();
const startedAt = performance.now();
process.stdout.write(`${cases} cases, seed ${seed}\n`);
await fc.assert(
  fc.asyncProperty(anyPieces, ({ pieces, isHead }) => compareReaders(pieces, isHead, tally)),
  { numRuns: cases, seed },
);
const { exceptions, ...counts } = tally;
const lines = [
  ...Object.entries(counts).map(([what, count]) => `${what}: ${count}`),
  ...Object.entries(exceptions).map(([reason, count]) => `excepted ${count} times: ${reason}`),
  `took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
];
process.stdout.write(`${lines.join('\n')}\n`);
