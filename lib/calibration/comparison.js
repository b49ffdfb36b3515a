import { plainText } from '../text/plain-text.js';
import { formatSize } from '../text/units.js';
import { percent, rounded } from '../text/figures.js';
import { averageSize } from '../workload/size-distribution.js';
import { readCalibrations } from './calibration-file.js';

/**
 * @import { Calibration, Place, Settings } from './calibration.js'
 * @import { StageResult } from '../model/result.js'
 * @import { Config } from '../model/config.js'
 */

/**
 * The share of the host's calibrated capacity that a stage used.
 *
 * @typedef {object} CalibratedShare
 * @property {number} operationsPerSecond that all usable cores of the host can drive
 * @property {number} share the stage's rate ÷ operationsPerSecond; above 1 if the host was busier during calibration
 * @property {string} date ISO time of the calibration
 */

/** Operations on objects of about the same size cost about the same. */
const MAX_SIZE_RATIO = 2;

const WARNING_SHARE = 0.8;

/**
 * Conditions for a calibration to apply to a run, the most important first; `made` describes the difference.
 *
 * @type {readonly { fits: (calibration: Calibration, run: Settings & Place) => boolean,
 *   made: (calibration: Calibration, run: Settings & Place) => string }[]}
 */
const CONDITIONS = [
  {
    fits: (calibration, run) => calibration.host === run.host,
    made: (calibration, run) => `on host ${plainText(calibration.host)}, not ${run.host}`,
  },
  {
    fits: (calibration, run) => toolVersion(calibration) === toolVersion(run),
    made: (calibration, run) => `with version ${toolVersion(calibration)}, not ${toolVersion(run)}`,
  },
  {
    fits: (calibration, run) => nodeMajor(calibration) === nodeMajor(run),
    made: (calibration, run) => `with Node ${nodeMajor(calibration)}, not ${nodeMajor(run)}`,
  },
  {
    fits: (calibration, run) => calibration.client === run.client,
    made: (calibration, run) => `for the ${calibration.client} client, not ${run.client}`,
  },
  {
    fits: (calibration, run) => calibration.useTls === run.useTls,
    made: (calibration) => `${calibration.useTls ? 'with' : 'without'} TLS`,
  },
  {
    fits: (calibration, run) => calibration.keepAlive === run.keepAlive,
    made: (calibration) => `${calibration.keepAlive ? 'with' : 'without'} keep-alive`,
  },
  {
    fits: (calibration, run) => sizeRatio(calibration, run) <= MAX_SIZE_RATIO,
    made: (calibration, run) => `for objects of ${formatSize(calibration.size)}, not ${formatSize(run.size)}`,
  },
];

/**
 * @typedef {object} Comparison
 * @property {(StageResult & { calibration: CalibratedShare | null })[]} stages
 * @property {string[]} notices
 * @property {string[]} warnings
 */

/**
 * Compares the stages of a run with the client's capacity on this host, if it was calibrated.
 *
 * @param {readonly StageResult[]} stages
 * @param {Config} config
 * @param {{ identity: Place, file: string | null, usableCores: number }} context of the host; `file`: calibrations
 * @returns {Comparison}
 */
export function compareWithCalibration(stages, config, context) {
  try {
    return compare(stages, config, context);
  } catch (error) {
    // The run is over and may have taken hours: its result must be written, whatever the calibration file contains.
    const warning = `warning: the calibration is ignored: ${/** @type {Error} */ (error).message}`;
    return { stages: stages.map((result) => ({ ...result, calibration: null })), notices: [], warnings: [warning] };
  }
}

/**
 * @param {Parameters<typeof compareWithCalibration>[0]} stages
 * @param {Parameters<typeof compareWithCalibration>[1]} config
 * @param {Parameters<typeof compareWithCalibration>[2]} context
 * @returns {Comparison}
 */
function compare(stages, config, { identity, file, usableCores }) {
  const { calibrations, problem } = readCalibrations(file);
  const { store, objects, load } = config;
  const { client, keepAlive } = load;
  const size = averageSize(objects);
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
    notices.push(`The calibration is ignored: it was made ${mismatch}; --calibrate makes one that fits this run`);
  }
  const compared = stages.map((result) => ({
    ...result,
    // A calibration measures only objects that are sent whole, not in parts.
    calibration: result.steps > 0 ? null : calibratedShare(result, calibration, usableCores),
  }));
  for (const { stage, calibration: share } of compared) {
    if (share !== null) {
      const { line, isWarning } = describeShare(stage, share);
      (isWarning ? warnings : notices).push(isWarning ? `warning: ${line}` : line);
    }
  }
  return { stages: compared, notices, warnings };
}

/**
 * Finds the calibration that applies to a run: the one with the nearest size, then the newest.
 *
 * @param {readonly Calibration[]} calibrations newest first
 * @param {Settings & Place} run
 * @returns {{ calibration: Calibration | null, mismatch: string | null }} `mismatch`: why none applies
 */
export function findCalibration(calibrations, run) {
  const fitting = calibrations
    .filter((calibration) => metConditions(calibration, run) === CONDITIONS.length)
    .toSorted((one, other) => sizeRatio(one, run) - sizeRatio(other, run));
  if (fitting.length > 0 || calibrations.length === 0) {
    return { calibration: fitting[0] ?? null, mismatch: null };
  }
  const [nearest] = calibrations.toSorted((one, other) => metConditions(other, run) - metConditions(one, run));
  return { calibration: null, mismatch: CONDITIONS[metConditions(nearest, run)].made(nearest, run) };
}

/**
 * @param {{ stage: string, average: number }} result `average` in ops/s
 * @param {Calibration | null} calibration that applies to the run
 * @param {number} usableCores of the host
 * @returns {CalibratedShare | null} null if there is nothing to compare
 */
export function calibratedShare({ stage, average }, calibration, usableCores) {
  const ofOneLoop = calibration?.stages.find((each) => each.stage === stage)?.operationsPerSecond ?? null;
  if (calibration === null || ofOneLoop === null || !(average > 0)) {
    return null;
  }
  const operationsPerSecond = ofOneLoop * usableCores;
  return { operationsPerSecond, share: average / operationsPerSecond, date: calibration.date };
}

/**
 * @param {string} stage
 * @param {CalibratedShare} calibratedShare
 */
export function describeShare(stage, { share, operationsPerSecond, date }) {
  const whole = `${rounded(operationsPerSecond)} ops/s, calibrated ${date.slice(0, 'YYYY-MM-DD'.length)}`;
  const line = `${stage}: you used ${percent(share)} of what this host can drive (${whole})`;
  const isWarning = share > WARNING_SHARE;
  return { line: isWarning ? `${line}: the client may be the bottleneck; try more hosts` : line, isWarning };
}

/**
 * @param {Calibration} calibration
 * @param {Settings & Place} run
 * @returns {number} how many conditions are met before the first unmet one
 */
function metConditions(calibration, run) {
  const unmet = CONDITIONS.findIndex(({ fits }) => !fits(calibration, run));
  return unmet < 0 ? CONDITIONS.length : unmet;
}

/** @param {Place} place */
function toolVersion({ versions }) {
  return versions['r2-benchmark'];
}

/** @param {Place} place */
function nodeMajor({ versions }) {
  return versions.node?.split('.')[0];
}

/**
 * @param {Settings} one
 * @param {Settings} other
 * @returns {number} at least 1; an empty object counts as one byte
 */
function sizeRatio({ size: one }, { size: other }) {
  const ratio = Math.max(one, 1) / Math.max(other, 1);
  return Math.max(ratio, 1 / ratio);
}
