import { formatSize } from '../text/units.js';
import { percent, rounded } from '../text/figures.js';

/** @import { Calibration, StageCapacity } from './calibration.js' */

const STAGE_WIDTH = 'Remove'.length;
const COLUMN_WIDTH = 'endpoint busy'.length + 2;
const HEADERS = ['host ops/s', 'loop ops/s', 'client busy', 'endpoint busy'];

/** @param {Calibration} calibration */
export function calibrationTable(calibration) {
  const { host, client, useTls, keepAlive, size, threads, usableCores, stages } = calibration;
  const cores = usableCores === 1 ? '1 usable core' : `${usableCores} usable cores`;
  const connections = `${useTls ? 'over TLS' : 'without TLS'}${keepAlive ? '' : ', one connection per request'}`;
  return [
    `What the client alone can do on ${host} (${cores}): ${client} client ${connections}, objects of ${formatSize(size)}, ${threads} threads on one event loop`,
    row('Stage', HEADERS),
    ...stages.map((capacity) => stageRow(capacity, usableCores)),
  ];
}

/**
 * @param {StageCapacity} capacity
 * @param {number} usableCores
 */
function stageRow({ stage, operationsPerSecond, unproven, eventLoopUtilization, endpointUtilization }, usableCores) {
  if (operationsPerSecond === null) {
    return `${stage.padEnd(STAGE_WIDTH)}  unproven: ${unproven}`;
  }
  const rates = [operationsPerSecond * usableCores, operationsPerSecond].map(rounded);
  return row(stage, [...rates, percent(eventLoopUtilization), percent(endpointUtilization)]);
}

/**
 * @param {string} stage
 * @param {readonly string[]} columns
 */
function row(stage, columns) {
  return stage.padEnd(STAGE_WIDTH) + columns.map((column) => column.padStart(COLUMN_WIDTH)).join('');
}
