import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
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
 * @property {number} [startsLate] seconds after the start of the first slot
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
      hosts.map(async ({ shift = 0, startsLate, diesAfter = Infinity }, index) => {
        if (startsLate !== undefined) {
          await wait((start + startsLate) * 1000 - Date.now());
        }
        const child = spawnNode({}, [...common, '--shard', `${index}/${hosts.length}`, '--quiet'], {
          cwd: folder,
          env: { ...process.env, ...env, HOME: folder, XDG_CACHE_HOME: folder, NODE_OPTIONS: withClock(shift) },
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
          if (lines.filter((each) => each.includes('"kind":"ramp-step"')).length >= diesAfter) {
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
 * @returns {string} Node options that shift a process's clock by that much
 */
function withClock(shift) {
  const source = `const now = Date.now; Date.now = () => now() + ${shift};`;
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
const RUNS_OF_HOSTS = 10;
const SHIFTS = [-7000, 0, 11_000];

/** Only Write: it has enough objects for all slots at the limit. */
const OPTIONS = ['--stages', 'write', '--size', '1KiB', '--cores', '1', '--step-time'];

/** @type {readonly { name: string, hosts: readonly RampHost[] }[]} */
const TROUBLES = [
  { name: 'three hosts', hosts: SHIFTS.map((shift) => ({ shift })) },
  {
    name: 'one of three killed midway, one late',
    hosts: SHIFTS.map((shift, host) => ({
      shift,
      ...(host === 1 ? { startsLate: 5 } : {}),
      ...(host === 2 ? { diesAfter: 8 } : {}),
    })),
  },
];

/** @type {readonly { name: string, faults: string, threads: number, side: string }[]} */
const SET_UPS = [
  { name: 'a queueing store', faults: `queue=${LIMIT},latency=10ms`, threads: 40, side: 'shared' },
  // The hosts share one machine's CPUs, so waiting for a CPU must take little time compared with the store's response.
  { name: 'hosts with few threads', faults: 'latency=60ms', threads: 24, side: 'hosts' },
];

/** @type {Part} */
export const ramps = {
  title: 'ramps: several hosts in the same steps',
  async check({ runs, only = '', report }) {
    const findings = [];
    for (const { name, hosts } of TROUBLES.filter((each) => each.name.includes(only))) {
      findings.push(await capacityFinding(name, hosts, runs ?? RUNS, report));
    }
    for (const setUp of SET_UPS.filter((each) => each.name.includes(only))) {
      findings.push(await sideFinding(setUp, runs ?? RUNS_OF_HOSTS, report));
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
      const options = [...OPTIONS, '5s', '--ramp', STEPS];
      const { stages } = await rampTogether({ env, hosts, objects: 40_000, threads: 64, options });
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

/**
 * @param {typeof SET_UPS[number]} setUp
 * @param {number} runs
 * @param {(progress: string) => void} report
 * @returns {Promise<Finding>}
 */
async function sideFinding({ name, faults, threads, side }, runs, report) {
  /** @type {string[]} */
  const found = [];
  for (let run = 0; run < runs; run++) {
    report(`${name}, run ${run + 1} of ${runs}`);
    const limit = await withEndpoint({ faults }, async ({ env }) => {
      const hosts = SHIFTS.map((shift) => ({ shift }));
      const options = [...OPTIONS, '6s', '--ramp-hosts'];
      const { stages } = await rampTogether({ env, hosts, objects: 40_000, threads, options });
      return stages[0].merge.ramp.limit;
    });
    found.push(limit.side);
  }
  return {
    what: `${name}: scope of the limit`,
    expected: side,
    found: [...new Set(found)].map((each) => `${each} (${found.filter((one) => one === each).length})`).join(', '),
    isRight: found.every((each) => each === side),
  };
}
