import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { calibrate } from '../calibration/calibrate.js';
import {
  calibrationPath,
  formatCalibrations,
  readCalibrations,
  withCalibration,
} from '../calibration/calibration-file.js';
import { calibrationTable } from '../calibration/calibration-table.js';
import { ClientFailure } from '../calibration/measure-client.js';
import { formatSize } from '../text/units.js';
import { averageSize } from '../workload/size-distribution.js';
import { PhaseProgress } from '../report/progress.js';
import { EndpointLost } from '../local-s3/endpoint-calls.js';
import { readUseTls } from '../store/environment.js';
import { EXIT } from './exit-status.js';
import { versionsOf } from '../s3/versions.js';
import { ReportFile } from './output-file.js';
import { chooseCores } from '../options/resolve.js';
import { availableCores, usableCores } from '../host/cpu-quota.js';
import { UsageError } from '../options/usage-error.js';

/**
 * @import { Calibration } from '../calibration/calibration.js'
 * @import { Clock } from '../clock/clock.js'
 * @import { CommandLine } from './command-line.js'
 * @import { Terminal } from './terminal.js'
 */

/** Default threads per event loop: enough to keep it busy. */
const DEFAULT_THREADS = 100;

/**
 * `--calibrate`: measures what the client alone can do on this host and saves it for comparison with later runs.
 *
 * @param {CommandLine} options
 * @param {{ env: NodeJS.ProcessEnv, terminal: Terminal, signal: AbortSignal, clock: Clock,
 *   random: () => number }} context `random` is uniform in [0, 1)
 * @returns {Promise<number>} the exit status
 * @throws {UsageError}
 */
export async function calibrateByCommand(options, { env, terminal, signal, clock, random }) {
  const notify = options.quiet ? () => {} : (/** @type {string} */ line) => terminal.err(line);
  const settings = settingsOf(options, env);
  const progress = new PhaseProgress(terminal, clock.now);
  const reportFile = options.json === undefined ? null : new ReportFile(options.json, '--json');
  try {
    const calibration = await calibrate(settings, {
      identity: { host: hostname(), versions: versionsOf(settings.client) },
      availableCores: availableCores(),
      usableCores: usableCores(),
      env,
      clock,
      random,
      signal,
      onReady() {
        notify(
          `Measuring the ${settings.client} client alone, with objects of ${formatSize(settings.size)}: about 10 seconds`,
        );
        // Progress appears only on a live terminal; elsewhere the notice above is enough.
        if (terminal.isLive && !options.quiet) {
          progress.start({ text: 'measuring', endsAt: null });
        }
      },
    });
    if (calibration === null) {
      return EXIT.incomplete;
    }
    calibrationTable(calibration).forEach((line) => terminal.out(line));
    keep(calibration, calibrationPath(env, process.platform), notify);
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
    progress.close();
    reportFile?.discard();
  }
}

/**
 * @param {CommandLine} options
 * @param {NodeJS.ProcessEnv} env
 */
function settingsOf({ client, size, sizes, keepAlive, threads, cores, local, envFile }, env) {
  const loops = threads === undefined ? 1 : chooseCores(cores, threads, usableCores());
  return {
    client,
    // The CPU cost of an operation grows linearly with its bytes, so measuring the mean size is enough.
    size: averageSize({ size, sizes }),
    keepAlive,
    useTls: !local && readUseTls(env, envFile),
    threads: Math.ceil((threads ?? DEFAULT_THREADS) / loops),
  };
}

/**
 * @param {Calibration} calibration
 * @param {string | null} file
 * @param {(line: string) => void} notify
 */
function keep(calibration, file, notify) {
  if (calibration.stages.every(({ unproven }) => unproven !== null)) {
    notify('Nothing was saved: every stage was inconclusive');
    return;
  }
  const problem = keepCalibration(file, calibration);
  notify(problem === null ? `Saved in ${file}: later runs are compared with it` : `Not saved: ${problem}`);
}

/**
 * Adds a calibration to those in the file. An unreadable file is replaced.
 *
 * @param {string | null} file
 * @param {Calibration} calibration
 * @returns {string | null} why it could not be saved; null on success
 */
export function keepCalibration(file, calibration) {
  if (file === null) {
    return 'there is no cache directory: set XDG_CACHE_HOME or HOME';
  }
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const { calibrations } = readCalibrations(file);
    return new ReportFile(file, '--calibrate').write(formatCalibrations(withCalibration(calibrations, calibration)));
  } catch (error) {
    return error instanceof UsageError ? error.problems[0] : /** @type {Error} */ (error).message;
  }
}
