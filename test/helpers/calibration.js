import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { folderWith } from './command.js';

/**
 * @import { Calibration } from '../../lib/calibration/calibration.js'
 * @import { TestContext } from 'node:test'
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
 * @param {string} stage
 * @param {number} operationsPerSecond of one event loop
 */
export function provenStage(stage, operationsPerSecond) {
  return { stage, operationsPerSecond, unproven: null, eventLoopUtilization: 0.98, endpointUtilization: 0.6 };
}

/**
 * A cache directory that contains calibrations.
 *
 * @param {TestContext} t
 * @param {string} content of the file
 * @returns {Promise<string>} the cache directory
 */
export async function cacheWith(t, content) {
  const cache = await folderWith(t, {});
  await mkdir(path.join(cache, 'r2-benchmark'));
  await writeFile(path.join(cache, 'r2-benchmark', 'calibration.json'), content);
  return cache;
}
