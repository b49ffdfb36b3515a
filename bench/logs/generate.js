import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { damaged } from './damage.js';
import { linesOfHost } from './host-lines.js';
import { DEFAULTS, planHosts } from './host-plan.js';

/** @import { TrueLine } from './host-lines.js' */

// Writes the logs of several hosts, and the true totals next to them, for trials of peak-performance.js:
//
//     node bench/logs/generate.js <folder> [--hosts 3] [--old 0] [--seconds 20] [--rate 1000] [--shift 0] [--skew 0]
//                                 [--start 2026-01-31T23:59:30Z] [--seed 1] [--size 16384] [--cut <lines>] [--double <n>]
//
// --shift and --skew are ms from host to host. --cut ends the last log after this many lines. --double writes every nth
// per-second line of the first log twice. Memory use does not depend on the size of the logs.

const NUMBERS = Object.keys(DEFAULTS).filter((name) => name !== 'start' && name !== 'stages');
const CHUNK_LENGTH = 256 * 1024;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(
    [...NUMBERS, 'start', 'cut', 'double'].map((name) => [name, { type: /** @type {const} */ ('string') }]),
  ),
});
const given = Object.entries(values).map(([name, value]) => [
  name,
  name === 'start' ? Date.parse(String(value)) : Number(value),
]);
const [folder] = positionals;
if (folder === undefined || given.some(([, value]) => Number.isNaN(value))) {
  process.stderr.write(
    `usage: node bench/logs/generate.js <folder> [--start <ISO time>] [--${NUMBERS.join(' n] [--')} n]\n`,
  );
  process.exitCode = 2;
} else {
  const { cut, double, ...options } = { ...DEFAULTS, ...Object.fromEntries(given) };
  mkdirSync(folder, { recursive: true });
  const plans = planHosts(options);
  /** @type {Record<string, Record<string, number>>} */
  const totals = {};
  for (const plan of plans) {
    const damage = { cut: plan === plans.at(-1) ? cut : undefined, double: plan === plans[0] ? double : undefined };
    totals[plan.host] = await writeLog(path.join(folder, `log-${plan.host}.txt`), damaged(linesOfHost(plan), damage));
  }
  writeFileSync(path.join(folder, 'truth.json'), `${JSON.stringify({ options, cut, double, totals }, null, 2)}\n`);
}

/**
 * @param {string} file
 * @param {Iterable<TrueLine>} lines
 * @returns {Promise<Record<string, number>>} operations in the per-second lines, by stage
 */
async function writeLog(file, lines) {
  const stream = createWriteStream(file);
  /** @type {Record<string, number>} */
  const totals = {};
  let text = '';
  for (const line of lines) {
    text += `${line.text}\n`;
    for (const tells of line.tells ?? []) {
      if ('rate' in tells) {
        totals[tells.stage] = (totals[tells.stage] ?? 0) + tells.rate;
      }
    }
    if (text.length > CHUNK_LENGTH) {
      if (!stream.write(text)) {
        await once(stream, 'drain');
      }
      text = '';
    }
  }
  stream.end(text);
  await once(stream, 'finish');
  return totals;
}
