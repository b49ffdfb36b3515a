import { capacityOf } from './calibration.js';
import { measureClient } from './measure-client.js';
import { startNullEndpoint } from './null-endpoint.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Calibration, Place, Settings } from './calibration.js'
 */

/**
 * @param {Settings & { threads: number }} settings
 * @param {object} deps
 * @param {Place} deps.identity of this host
 * @param {number} deps.availableCores can be fractional
 * @param {number} deps.usableCores number of event loops that the cores can run
 * @param {NodeJS.ProcessEnv} deps.env of the endpoint's process
 * @param {Clock} deps.clock
 * @param {() => number} deps.random uniform in [0, 1)
 * @param {AbortSignal} deps.signal
 * @param {() => void} deps.onReady called before the measurement starts
 * @returns {Promise<Calibration | null>} null if aborted
 * @throws {ClientFailure}
 * @throws {EndpointLost}
 */
export async function calibrate(settings, deps) {
  const { identity, availableCores, usableCores, clock, random, signal } = deps;
  const endpoint = await startNullEndpoint({ ...settings, env: deps.env });
  deps.onReady();
  const lost = new AbortController();
  endpoint.failure.catch((error) => lost.abort(error));
  const either = AbortSignal.any([signal, lost.signal]);
  try {
    const measurements = await measureClient({
      endpoint,
      settings,
      identity,
      availableCores,
      clock,
      random,
      signal: either,
    });
    const date = new Date(clock.epochNow()).toISOString();
    return { date, ...identity, ...settings, usableCores, stages: measurements.map(capacityOf) };
  } catch (error) {
    if (signal.aborted) {
      return null;
    }
    // A client that lost its endpoint reports many failures, none of which is the cause.
    throw lost.signal.aborted ? lost.signal.reason : error;
  } finally {
    await endpoint.close();
  }
}
