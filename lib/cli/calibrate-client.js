import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseLine } from '../log/log-line.js';
import { coreWait } from './calibrate-core-wait.js';
import { readStages } from './calibrate-stages.js';

/**
 * @import { Settings, StageMeasurement } from '../calibration/calibration.js'
 * @import { NullEndpoint } from './calibrate-endpoint.js'
 * @import { Readable } from 'node:stream'
 */

/**
 * @typedef {object} Seen what is seen of a stage from outside
 * @property {number} endpointUtilization of the endpoint's event loop, 0 to 1
 * @property {number | null} waited ms for which the client's event loop waited for a core; null where nobody tells
 */

/** The tool itself, which is started as its users start it. */
const PROGRAM = fileURLToPath(import.meta.resolve('../../r2-benchmark.js'));

/** So long each stage lasts, in seconds. */
const STAGE_SECONDS = 2;

/**
 * What is still under way at a stage's end has this long to come to its own: a connection that has to be cut would be
 * opened anew in the next stage.
 */
const GAP = '300ms';

/** More than an event loop writes in a stage. */
const MOST_OBJECTS = 250_000;

/** Remove has no more objects than Write has left, which are few where they are large. */
const LEAST_STAGE_MS = 1000;

/** The endpoint has whatever object it is asked for, of any run. */
const ANY_RUN_ID = 'calibration';

/** Where the client did not do what it was asked to. */
export class ClientFailure extends Error {}

/** One event loop of the tool in a process of its own, against an endpoint in another. */
export class MeasuredClient {
  #endpoint;
  #options;
  #signal;
  #env;

  /**
   * @param {object} parts
   * @param {Pick<NullEndpoint, 'report' | 'variables' | 'certificate'>} parts.endpoint
   * @param {Settings & { threads: number }} parts.settings
   * @param {NodeJS.ProcessEnv} parts.env
   * @param {AbortSignal} parts.signal gives up
   */
  constructor({ endpoint, settings, env, signal }) {
    const { client, size, threads, keepAlive } = settings;
    this.#endpoint = endpoint;
    this.#signal = signal;
    this.#options = { threads: String(threads), flags: ['--client', client, '--size', `${size}B`, '--cores', '1'] };
    if (!keepAlive) {
      this.#options.flags.push('--no-keep-alive');
    }
    const others = Object.entries(env).filter(([name]) => !name.startsWith('S3_'));
    this.#env = { ...Object.fromEntries(others), ...endpoint.variables };
  }

  /**
   * @returns {Promise<StageMeasurement[]>} all stages, in some ten seconds
   * @throws {ClientFailure}
   */
  async measure() {
    const timed = ['--duration', `${STAGE_SECONDS}s`, '--gap', GAP];
    const stages = await this.#run(MOST_OBJECTS, timed);
    const last = stages[stages.length - 1];
    if (last.milliseconds < LEAST_STAGE_MS && last.operationsPerSecond > 0) {
      const objects = Math.ceil(last.operationsPerSecond * STAGE_SECONDS);
      stages.splice(-1, 1, ...(await this.#run(objects, ['--stages', 'remove', '--run-id', ANY_RUN_ID])));
    }
    return stages;
  }

  /**
   * @param {number} objects
   * @param {readonly string[]} flags
   * @returns {Promise<(StageMeasurement & { milliseconds: number })[]>}
   */
  async #run(objects, flags) {
    const folder = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-'));
    try {
      const json = path.join(folder, 'result.json');
      const parameters = [String(objects), this.#options.threads, ...this.#options.flags, ...flags];
      const { seen, failure } = await this.#watch([...parameters, '--json', json, '--quiet'], folder);
      const stages = await readStages(json);
      if (stages === null) {
        throw failure;
      }
      return stages.map((/** @type {any} */ stage) => measurementOf(stage, seen.get(stage.stage)));
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  /**
   * @param {readonly string[]} parameters
   * @param {string} folder without a `.env`
   * @returns {Promise<{ seen: Map<string, Seen>, failure: ClientFailure }>} by stage; what is to be said where it did not
   *   do its work
   */
  async #watch(parameters, folder) {
    const { certificate } = this.#endpoint;
    const authorities = path.join(folder, 'authority.pem');
    await writeFile(authorities, certificate ?? '');
    const trust = certificate === null ? {} : { NODE_EXTRA_CA_CERTS: authorities };
    const child = spawn(process.execPath, [PROGRAM, ...parameters], {
      cwd: folder,
      env: { ...this.#env, ...trust },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // The endpoint keeps nothing: there is nothing that the client would have to clean up.
    const stop = () => child.kill('SIGKILL');
    this.#signal.addEventListener('abort', stop);
    const exited = once(child, 'exit');
    try {
      this.#signal.throwIfAborted();
      const [seen, complaints, [status]] = await Promise.all([
        this.#watchStages(child.stdout, () => coreWait(Number(child.pid))),
        text(child.stderr),
        exited,
      ]);
      const said = complaints.trim().split('\n').at(-1);
      return { seen, failure: new ClientFailure(`the client ended with status ${status}: ${said}`) };
    } finally {
      this.#signal.removeEventListener('abort', stop);
      stop();
      await exited;
    }
  }

  /**
   * @param {Readable} log
   * @param {() => number | null} waitSoFar ms
   */
  async #watchStages(log, waitSoFar) {
    /** @type {Map<string, Seen>} */
    const seen = new Map();
    /** @type {number | null} */
    let waitBefore = null;
    for await (const line of createInterface({ input: log })) {
      const record = parseLine(line);
      if (record?.kind === 'schedule') {
        waitBefore = waitSoFar();
        // What the endpoint did before the stage does not count.
        await this.#endpoint.report();
      } else if (record?.kind === 'summary') {
        const wait = waitSoFar();
        const { eventLoopUtilization } = await this.#endpoint.report();
        const waited = wait === null || waitBefore === null ? null : wait - waitBefore;
        seen.set(record.stage, { endpointUtilization: eventLoopUtilization, waited });
      }
    }
    return seen;
  }
}

/**
 * @param {any} stage of the result as JSON
 * @param {Seen} [seen]
 * @returns {StageMeasurement & { milliseconds: number }}
 * @throws {ClientFailure} where the log does not have the stage
 */
function measurementOf({ stage, average, duration, clientLoad }, seen) {
  if (seen === undefined) {
    throw new ClientFailure(`the client's log does not show the stage ${stage}`);
  }
  const { eventLoopUtilization, cpuUser, cpuSystem } = clientLoad;
  const busy = duration * eventLoopUtilization;
  return {
    stage,
    operationsPerSecond: average,
    milliseconds: duration,
    eventLoopUtilization,
    // The process's CPU time is that of all its threads: second best.
    coreShare: seen.waited === null ? Math.min((cpuUser + cpuSystem) / busy, 1) : Math.max(1 - seen.waited / busy, 0),
    endpointUtilization: seen.endpointUtilization,
  };
}
