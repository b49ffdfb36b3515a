import { hostname } from 'node:os';
import { capacityOf } from '../calibration/calibration.js';
import { calibrationTable } from '../calibration/calibration-table.js';
import { formatSize } from '../log/units.js';
import { EndpointLost } from '../local-s3/endpoint-calls.js';
import { calibrationPath, keepCalibration } from './calibrate-cache.js';
import { ClientFailure, MeasuredClient } from './calibrate-client.js';
import { startNullEndpoint } from './calibrate-endpoint.js';
import { readUseTls } from './environment.js';
import { EXIT } from './exit-status.js';
import { versionsOf } from './package-version.js';
import { ReportFile } from './report-file.js';
import { chooseCores } from './resolve-config.js';
import { usableCores } from './usable-cores.js';

/**
 * @import { Calibration } from '../calibration/calibration.js'
 * @import { CommandLine } from './options.js'
 * @import { Terminal } from './terminal.js'
 */

/** Of an event loop, where the command line does not say: enough to keep it busy. */
const DEFAULT_THREADS = 100;

/**
 * `--calibrate`: measures what the client alone can do on this host, and keeps it for later runs to be compared with.
 *
 * @param {CommandLine} options
 * @param {object} world
 * @param {NodeJS.ProcessEnv} world.env
 * @param {Terminal} world.terminal
 * @param {AbortSignal} world.signal gives up
 * @returns {Promise<number>} the exit status
 * @throws {UsageError}
 */
export async function calibrate(options, { env, terminal, signal }) {
  const say = options.quiet ? () => {} : (/** @type {string} */ line) => terminal.err(line);
  const settings = settingsOf(options, env);
  const reportFile = options.json === undefined ? null : new ReportFile(options.json, '--json');
  try {
    say(
      `Measuring the ${settings.client} client alone, with objects of ${formatSize(settings.size)}: about 10 seconds`,
    );
    const calibration = await measure(settings, env, signal);
    if (calibration === null) {
      return EXIT.incomplete;
    }
    calibrationTable(calibration).forEach((line) => terminal.out(line));
    keep(calibration, calibrationPath(env, process.platform), say);
    const failure = reportFile?.write(`${JSON.stringify(calibration, null, 2)}\n`) ?? null;
    if (failure !== null) {
      terminal.err(`error: ${failure}`);
    }
    const isComplete = failure === null && calibration.stages.every(({ unproven }) => unproven === null);
    return isComplete ? EXIT.complete : EXIT.incomplete;
  } catch (error) {
    if (error instanceof ClientFailure || error instanceof EndpointLost) {
      terminal.err(`error: --calibrate: ${error.message}`);
      return EXIT.incomplete;
    }
    throw error;
  } finally {
    reportFile?.discard();
  }
}

/**
 * @param {CommandLine} options
 * @param {NodeJS.ProcessEnv} env
 */
function settingsOf({ client, size, keepAlive, threads, cores, local, envFile }, env) {
  const loops = threads === undefined ? 1 : chooseCores(cores, threads, usableCores());
  return {
    client,
    size,
    keepAlive,
    useTls: !local && readUseTls(env, envFile),
    threads: Math.ceil((threads ?? DEFAULT_THREADS) / loops),
  };
}

/**
 * @param {ReturnType<typeof settingsOf>} settings
 * @param {NodeJS.ProcessEnv} env
 * @param {AbortSignal} signal
 * @returns {Promise<Calibration | null>} null where it was given up
 */
async function measure(settings, env, signal) {
  const endpoint = await startNullEndpoint({ ...settings, env });
  const lost = new AbortController();
  endpoint.failure.catch((error) => lost.abort(error));
  const either = AbortSignal.any([signal, lost.signal]);
  try {
    const measurements = await new MeasuredClient({ endpoint, settings, env, signal: either }).measure();
    return {
      date: new Date().toISOString(),
      host: hostname(),
      versions: versionsOf(settings.client),
      ...settings,
      usableCores: usableCores(),
      stages: measurements.map(capacityOf),
    };
  } catch (error) {
    if (signal.aborted) {
      return null;
    }
    // A client that has lost its endpoint has much to tell, and none of it is the reason.
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    await endpoint.close();
  }
}

/**
 * @param {Calibration} calibration
 * @param {string | null} file
 * @param {(line: string) => void} say
 */
function keep(calibration, file, say) {
  if (calibration.stages.every(({ unproven }) => unproven !== null)) {
    say('Nothing was proven, and nothing is kept');
    return;
  }
  const problem = keepCalibration(file, calibration);
  say(problem === null ? `Kept in ${file}, for later runs to be compared with` : `Not kept: ${problem}`);
}
