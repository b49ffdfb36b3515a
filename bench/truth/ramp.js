import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { spawnNode } from './pinned.js';
import { withEndpoint } from './scripted-endpoint.js';

/**
 * @import { ChildProcessByStdio } from 'node:child_process'
 * @import { Finding, Part } from './finding.js'
 */

const TOOL = fileURLToPath(new URL('../../r2-benchmark.js', import.meta.url));
const PEAK = fileURLToPath(new URL('../../peak-performance.js', import.meta.url));

/** Enough time for a host to get ready, even on a busy machine. Seconds. */
const READY_IN = 12;

/** More than twice as long as any ramp here. */
const PATIENCE_MS = 180_000;

/**
 * @typedef {object} RampHost
 * @property {number} [shift] ms by which its clock is ahead
 * @property {number} [readyAfter] seconds after the start of the first slot at which it is ready
 * @property {number} [diesAfter] slots of the first stage after which it is killed
 */

/**
 * Runs a ramp on several hosts together, each a process with its own clock, and merges their logs as a user would.
 *
 * @param {object} setup
 * @param {Record<string, string>} setup.env for the endpoint
 * @param {readonly RampHost[]} setup.hosts
 * @param {number} setup.objects per host
 * @param {number} setup.threads per host
 * @param {readonly string[]} setup.options further options
 * @returns {Promise<{ stages: any[], text: string, warnings: string }>} the merged stages, the printed report and stderr
 */
export async function rampTogether({ env, hosts, objects, threads, options }) {
  const folder = mkdtempSync(join(tmpdir(), 'r2-benchmark-ramp-'));
  const start = Math.ceil(Date.now() / 1000) + READY_IN;
  const common = [TOOL, String(objects), String(threads), ...options, '--run-id', 'ramp', '--start-at', String(start)];
  try {
    const logs = await Promise.all(
      hosts.map(async ({ shift = 0, readyAfter, diesAfter = Infinity }, index) => {
        const delay = readyAfter === undefined ? 0 : (start + readyAfter) * 1000 - Date.now();
        const child = spawnNode({}, [...common, '--shard', `${index}/${hosts.length}`, '--quiet'], {
          cwd: folder,
          env: { ...process.env, ...env, HOME: folder, XDG_CACHE_HOME: folder, NODE_OPTIONS: withClock(shift, delay) },
          stdio: ['ignore', 'pipe', 'inherit'],
          timeout: PATIENCE_MS,
          killSignal: 'SIGKILL',
        });
        const { stdout } = /** @type {ChildProcessByStdio<null, any, null>} */ (child);
        const log = join(folder, `log-${index}.txt`);
        const lines = /** @type {string[]} */ ([]);
        const closed = once(child, 'close');
        for await (const line of createInterface({ input: stdout })) {
          lines.push(line);
          if (lines.filter((each) => each.includes('"at":"ramp.steps')).length >= diesAfter) {
            child.kill('SIGKILL');
          }
        }
        await closed;
        writeFileSync(log, `${lines.join('\n')}\n`);
        return log;
      }),
    );
    return await mergeLogs(logs, join(folder, 'sum.json'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {number} shift ms
 * @param {number} delay ms
 * @returns {string} Node options that shift a process's clock and delay its start
 */
function withClock(shift, delay) {
  const source = `const now = Date.now; Date.now = () => now() + ${shift}; await new Promise((resolve) => setTimeout(resolve, ${delay}));`;
  return `--import=data:text/javascript,${encodeURIComponent(source)}`;
}

/**
 * @param {readonly string[]} logs
 * @param {string} json
 * @returns {Promise<{ stages: any[], text: string, warnings: string }>}
 */
function mergeLogs(logs, json) {
  return new Promise((resolve, reject) => {
    // Ignore the error: if a host is missing, the status is 1.
    execFile(process.execPath, [PEAK, ...logs, '--json', json], (_, text, warnings) => {
      try {
        resolve({ stages: JSON.parse(readFileSync(json, 'utf8')).stages, text, warnings });
      } catch {
        reject(new Error(`the logs could not be merged: ${warnings}`));
      }
    });
  });
}

/** ops/s of the limited store. */
const LIMIT = 1500;
const QUEUE = `queue=${LIMIT},latency=20ms`;
const STEPS = '4,8,12,16,24,32,40,48,56,64';

const TOLERANCE = 0.03;

const RUNS = 3;
const SHIFTS = [-7000, 0, 11_000];

/** Only Write: it has enough objects for all slots at the limit. */
const OPTIONS = ['--stages', 'write', '--size', '1KiB', '--cores', '1', '--step-time', '5s', '--ramp', STEPS];

/** @type {readonly { name: string, hosts: readonly RampHost[] }[]} */
const TROUBLES = [
  { name: 'three hosts', hosts: SHIFTS.map((shift) => ({ shift })) },
  {
    name: 'one of three killed midway, one late',
    hosts: SHIFTS.map((shift, host) => ({
      shift,
      ...(host === 1 ? { readyAfter: 5 } : {}),
      ...(host === 2 ? { diesAfter: 8 } : {}),
    })),
  },
];

/** @type {Part} */
export const ramps = {
  title: 'ramps: several hosts in the same steps',
  async check({ runs = RUNS, only = '', report }) {
    const findings = [];
    for (const { name, hosts } of TROUBLES.filter((each) => each.name.includes(only))) {
      findings.push(await capacityFinding(name, hosts, runs, report));
    }
    return findings;
  },
};

/**
 * @param {string} name
 * @param {readonly RampHost[]} hosts
 * @param {number} runs
 * @param {(progress: string) => void} report
 * @returns {Promise<Finding>}
 */
async function capacityFinding(name, hosts, runs, report) {
  const found = [];
  for (let run = 0; run < runs; run++) {
    report(`${name}, run ${run + 1} of ${runs}`);
    const ramp = await withEndpoint({ faults: QUEUE }, async ({ env }) => {
      const { stages } = await rampTogether({ env, hosts, objects: 40_000, threads: 64, options: OPTIONS });
      return stages[0].merge.ramp;
    });
    found.push({ rate: ramp.capacity?.operationsPerSecond ?? NaN, hasPlateau: ramp.hasPlateau, knee: ramp.knee });
  }
  return {
    what: `${name}: capacity together`,
    expected: `${LIMIT} ± ${100 * TOLERANCE}%, a plateau`,
    found: found.map(({ rate, hasPlateau, knee }) => `${rate.toFixed(1)}${hasPlateau ? '' : '+'} at ${knee}`).join(' '),
    isRight: found.every(({ rate, hasPlateau }) => hasPlateau && Math.abs(rate / LIMIT - 1) <= TOLERANCE),
  };
}
