import { percent } from '../text/figures.js';

/** @import { ClientName } from '../model/config.js' */

/**
 * What the client alone can do on a host, measured against an endpoint that does almost nothing.
 *
 * @typedef {{ client: ClientName, useTls: boolean, keepAlive: boolean, size: number }} Settings what the cost of an
 *   operation depends on, besides the host; `size` is bytes per object
 * @typedef {{ host: string, versions: Record<string, string> }} Place the host's name, and the versions of the tool,
 *   Node and the client's library
 *
 * @typedef {object} CalibrationFacts
 * @property {string} date ISO time
 * @property {number} threads on the measured event loop
 * @property {number} usableCores of the host at that time
 * @property {StageCapacity[]} stages
 *
 * @typedef {Settings & Place & CalibrationFacts} Calibration
 *
 * @typedef {object} StageMeasurement of one event loop
 * @property {string} stage
 * @property {number} operationsPerSecond mean of the stage
 * @property {number} eventLoopUtilization of the client, 0 to 1
 * @property {number} coreShare of the time in which the client's event loop had work, the share in which it had a core:
 *   1 on an otherwise idle host
 * @property {number} endpointUtilization of the endpoint's event loop, 0 to 1
 *
 * @typedef {object} StageCapacity
 * @property {string} stage
 * @property {number | null} operationsPerSecond that one event loop can drive; null if unproven
 * @property {string | null} unproven why it is unproven
 * @property {number} eventLoopUtilization of the client, 0 to 1
 * @property {number} endpointUtilization of the endpoint, 0 to 1
 */

/**
 * An event loop also counts as busy while it waits for a core. Below this share with a core, it could do more
 * elsewhere.
 */
const MIN_CORE_SHARE = 0.8;

/**
 * The rate of an event loop that is always busy: rate ÷ utilization.
 *
 * @param {StageMeasurement} measurement
 * @returns {StageCapacity}
 */
export function capacityOf(measurement) {
  const { stage, operationsPerSecond, eventLoopUtilization, endpointUtilization } = measurement;
  const unproven = whyUnproven(measurement);
  return {
    stage,
    operationsPerSecond: unproven === null ? operationsPerSecond / eventLoopUtilization : null,
    unproven,
    eventLoopUtilization,
    endpointUtilization,
  };
}

/** @param {StageMeasurement} measurement */
function whyUnproven({ operationsPerSecond, eventLoopUtilization, coreShare, endpointUtilization }) {
  if (!(operationsPerSecond > 0 && eventLoopUtilization > 0)) {
    return 'no operation succeeded';
  }
  if (endpointUtilization > eventLoopUtilization) {
    return `the endpoint was busier (${percent(endpointUtilization)}) than the client (${percent(eventLoopUtilization)}) and may have limited the rate`;
  }
  if (coreShare < MIN_CORE_SHARE) {
    return `the client got a core for only ${percent(coreShare)} of the time that it needed one: the host is busy with other processes, or has too few cores`;
  }
  return null;
}
