import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine } from '../studies/machine.js';
import { formatTable } from '../studies/table.js';
import { interleaved } from './ab.js';
import { capacities } from './capacities.js';
import { plainCauses, searchCauses } from './causes.js';
import { comparisons } from './compare.js';
import { openLoop } from './open-loop.js';
import { peaks } from './peaks.js';
import { percentiles } from './percentiles.js';
import { spawnNode } from './pinned.js';
import { ramps } from './ramp.js';

/** @import { Finding } from './finding.js' */

// Checks whether the tool's statements about a store are true. It runs the command line as users do, against endpoints
// that follow a script, each in a separate process.
//
//     node bench/truth/run.js [--json result.json] [--rounds n] [--only part of a set-up's name] [--busy processes] [part of a title]

const PARTS = [percentiles, openLoop, plainCauses, searchCauses, capacities, peaks, ramps, comparisons, interleaved];

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    busy: { type: 'string', default: '0' },
  },
  allowPositionals: true,
});
const runs = values.rounds === undefined ? undefined : Number(values.rounds);
const [wanted = ''] = positionals;
const parts = PARTS.filter(({ title }) => title.toLowerCase().includes(wanted.toLowerCase()));
if (parts.length === 0 || !(runs === undefined || (Number.isInteger(runs) && runs > 0))) {
  const titles = PARTS.map(({ title }) => `  ${title}`).join('\n');
  process.stderr.write(`error: expected part of one of these titles, and a whole number for --rounds:\n${titles}\n`);
  process.exit(2);
}
const print = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);
const report = (/** @type {string} */ progress) => process.stderr.write(`${progress}\n`);

print(describeMachine([]));
// Burners take CPU time, like other programs on a user's machine.
const burners = Array.from({ length: Number(values.busy) }, () =>
  spawnNode({}, [fileURLToPath(new URL('./burner.js', import.meta.url))], { stdio: ['pipe', 'inherit', 'inherit'] }),
);
const results = [];
for (const { title, check, format = formatFindings } of parts) {
  const began = performance.now();
  const findings = await check({ runs, only: values.only, isBusy: burners.length > 0, report }).catch(failure);
  const seconds = (performance.now() - began) / 1000;
  results.push({ title, seconds, findings });
  print(`\n${title} (${seconds.toFixed(0)} s)\n`);
  print(format(findings));
}
burners.forEach((burner) => burner.stdin?.end());
if (values.json !== undefined) {
  writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
}
if (results.every(({ findings }) => findings.length === 0)) {
  process.stderr.write(`error: expected a part of a set-up's name after --only, got ${values.only}\n`);
  process.exit(2);
}
const wrong = results.flatMap(({ findings }) => findings).filter(({ isRight }) => !isRight).length;
print(wrong === 0 ? 'All lines are right.' : `${wrong} lines are WRONG.`);
process.exitCode = wrong === 0 ? 0 : 1;

/** @param {readonly Finding[]} findings */
function formatFindings(findings) {
  return formatTable(
    ['what', 'expected', 'found', ''],
    findings.map(({ what, expected, found, isRight }) => [what, expected, found, isRight ? 'right' : 'WRONG']),
  );
}

/**
 * A part that cannot be measured counts as wrong. The other parts still run.
 *
 * @param {Error} error
 * @returns {Finding[]}
 */
function failure(error) {
  return [{ what: 'all of it', expected: 'a result', found: error.message, isRight: false }];
}
