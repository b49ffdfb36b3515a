import { describeShare, findCalibration, hostShare } from '../calibration/comparison.js';
import { calibrationPath, readCalibrations } from './calibrate-cache.js';

/**
 * @import { HostShare } from '../calibration/comparison.js'
 * @import { StageResult } from '../model/result.js'
 * @import { RunConfig } from '../run/run-config.js'
 */

/**
 * @typedef {object} Comparison
 * @property {(StageResult & { calibration: HostShare | null })[]} stages
 * @property {string[]} notices
 * @property {string[]} warnings
 */

/**
 * Holds the stages of a run against what the client alone can do on this host, where that was measured.
 *
 * @param {readonly StageResult[]} stages
 * @param {RunConfig} config
 * @param {object} world
 * @param {{ host: string, versions: Record<string, string> }} world.identity of the host
 * @param {NodeJS.ProcessEnv} world.env
 * @param {NodeJS.Platform} world.platform
 * @param {number} world.usableCores of the host
 * @returns {Comparison}
 */
export function compareWithCalibration(stages, config, world) {
  try {
    return compare(stages, config, world);
  } catch (error) {
    // The run is over, and may have taken hours: whatever stands in a file beside it, its result is still to be written.
    const warning = `warning: the calibration is ignored: ${/** @type {Error} */ (error).message}`;
    return { stages: stages.map((result) => ({ ...result, calibration: null })), notices: [], warnings: [warning] };
  }
}

/**
 * @param {Parameters<typeof compareWithCalibration>[0]} stages
 * @param {Parameters<typeof compareWithCalibration>[1]} config
 * @param {Parameters<typeof compareWithCalibration>[2]} world
 * @returns {Comparison}
 */
function compare(stages, config, { identity, env, platform, usableCores }) {
  const file = calibrationPath(env, platform);
  const { calibrations, problem } = readCalibrations(file);
  const { client, keepAlive, size, store } = config;
  const run = { client, keepAlive, size, useTls: store.useTls, ...identity };
  const { calibration, mismatch } = findCalibration(calibrations, run);
  /** @type {string[]} */
  const notices = [];
  /** @type {string[]} */
  const warnings = [];
  if (problem !== null) {
    notices.push(`The calibration is ignored: ${problem}; --calibrate makes a new one`);
  }
  if (mismatch !== null) {
    notices.push(`The calibration is ignored: it was made ${mismatch}; --calibrate makes one for a run like this`);
  }
  const compared = stages.map((result) => ({ ...result, calibration: hostShare(result, calibration, usableCores) }));
  for (const { stage, calibration: share } of compared) {
    if (share !== null) {
      const { line, isWarning } = describeShare(stage, share);
      (isWarning ? warnings : notices).push(isWarning ? `warning: ${line}` : line);
    }
  }
  return { stages: compared, notices, warnings };
}
