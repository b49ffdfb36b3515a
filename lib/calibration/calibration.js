import { percent } from '../text/figures.js';

/**
 * @import { ClientName } from '../model/config.js'
 */

/**
 * What the client alone can do on a host, found by driving it against an endpoint that does next to nothing.
 *
 * @typedef {object} Settings what the cost of an operation depends on, in addition to the host
 * @property {ClientName} client
 * @property {boolean} useTls
 * @property {boolean} keepAlive
 * @property {number} size bytes of an object
 *
 * @typedef {object} Place where a calibration holds
 * @property {string} host its name
 * @property {Record<string, string>} versions of the tool, of Node and of the client's library
 *
 * @typedef {object} CalibrationFacts
 * @property {string} date ISO time
 * @property {number} threads of the one event loop that was measured
 * @property {number} usableCores of the host, when it was measured
 * @property {StageCapacity[]} stages
 *
 * @typedef {Settings & Place & CalibrationFacts} Calibration
 */

/**
 * @typedef {object} StageMeasurement of one event loop
 * @property {string} stage
 * @property {number} operationsPerSecond mean of the stage
 * @property {number} eventLoopUtilization of the client, 0 to 1
 * @property {number} coreShare the share of the time with work to do in which the client's event loop had a core to do it
 *   on: 1 on a host that does nothing else
 * @property {number} endpointUtilization of the endpoint's event loop, 0 to 1
 */

/**
 * @typedef {object} StageCapacity
 * @property {string} stage
 * @property {number | null} operationsPerSecond that one event loop can drive; null where that is not proven
 * @property {string | null} unproven why it is not
 * @property {number} eventLoopUtilization of the client, 0 to 1
 * @property {number} endpointUtilization of the endpoint, 0 to 1
 */

/** An event loop is busy also while it waits for a core that others have: what it could do alone is more than its rate. */
const MIN_CORE_SHARE = 0.8;

/**
 * The rate that an event loop would reach if it were busy all the time: rate ÷ utilization.
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
    return `the endpoint was busier (${percent(endpointUtilization)}) than the client (${percent(eventLoopUtilization)}), so that it may have set the rate`;
  }
  if (coreShare < MIN_CORE_SHARE) {
    return `the client got a core for only ${percent(coreShare)} of the time that it had work: the host does other work, or has too few cores`;
  }
  return null;
}
