import fc from 'fast-check';
import { anyPieces, blankTally, compareReaders } from '../test/helpers/http-answers.js';

// Feeds random responses to our parser and node:http. Fails if our parser accepts a response that node:http rejects or reads
// differently.
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
const lines = [
  ...Object.entries(tally).map(([what, count]) => `${what}: ${count}`),
  `took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
];
process.stdout.write(`${lines.join('\n')}\n`);
