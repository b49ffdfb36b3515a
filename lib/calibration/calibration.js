import { percent } from '../text/figures.js';

/**
 * @import { ClientName } from '../model/config.js'
 */

/**
 * What the client alone can do on a host, measured against an endpoint that does almost nothing.
 *
 * @typedef {object} Settings what an operation's cost depends on, besides the host
 * @property {ClientName} client
 * @property {boolean} useTls
 * @property {boolean} keepAlive
 * @property {number} size bytes of an object
 *
 * @typedef {object} Place the environment of a calibration
 * @property {string} host name
 * @property {Record<string, string>} versions of the tool, Node and the client's library
 *
 * @typedef {object} CalibrationFacts
 * @property {string} date ISO time
 * @property {number} threads on the measured event loop
 * @property {number} usableCores of the host at that time
 * @property {StageCapacity[]} stages
 *
 * @typedef {Settings & Place & CalibrationFacts} Calibration
 */

/**
 * @typedef {object} StageMeasurement of one event loop
 * @property {string} stage
 * @property {number} operationsPerSecond mean of the stage
 * @property {number} eventLoopUtilization of the client, 0 to 1
 * @property {number} coreShare share of the time with work to do in which the client's event loop had a core: 1 on an
 *   otherwise idle host
 * @property {number} endpointUtilization of the endpoint's event loop, 0 to 1
 */

/**
 * @typedef {object} StageCapacity
 * @property {string} stage
 * @property {number | null} operationsPerSecond that one event loop can drive; null if unproven
 * @property {string | null} unproven why it is unproven
 * @property {number} eventLoopUtilization of the client, 0 to 1
 * @property {number} endpointUtilization of the endpoint, 0 to 1
 */

/** An event loop also counts as busy while it waits for a core that others use. With less than this, it could do more alone. */
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

/**
 * @param {StageMeasurement} measurement
 * @returns {string | null}
 */
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
