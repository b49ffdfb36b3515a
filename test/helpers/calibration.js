/**
 * @import { Calibration } from '../../lib/calibration/calibration.js'
 * @import { StageName } from '../../lib/log/log-line.js'
 */

/**
 * A calibration in which every stage is proven.
 *
 * @param {Partial<Calibration>} [overrides]
 * @returns {Calibration}
 */
export function calibrationWith(overrides = {}) {
  return {
    date: '2026-11-20T14:00:00.000Z',
    host: 'this-host',
    versions: { 'r2-benchmark': '1.0.0', node: '20.20.2', undici: '7.30.2' },
    client: 'direct',
    useTls: true,
    keepAlive: true,
    size: 16384,
    threads: 100,
    usableCores: 2,
    stages: [
      provenStage('Write', 10_000),
      provenStage('Read', 8000),
      provenStage('Stat', 20_000),
      provenStage('Remove', 16_000),
    ],
    ...overrides,
  };
}

/**
 * @param {StageName} stage
 * @param {number} operationsPerSecond of one event loop
 */
export function provenStage(stage, operationsPerSecond) {
  return { stage, operationsPerSecond, unproven: null, eventLoopUtilization: 0.98, endpointUtilization: 0.6 };
}
