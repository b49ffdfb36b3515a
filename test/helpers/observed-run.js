import assert from 'node:assert/strict';
import { Clock } from '../../lib/measure/clock/clock.js';
import { runBenchmark } from '../../lib/run/benchmark-run.js';
import { recordingObserver } from './recording-observer.js';
import { runConfig } from './run-config.js';

/**
 * @import { Overrides } from './run-config.js'
 * @import { TestEndpoint } from './local-s3.js'
 */

/**
 * @param {TestEndpoint} endpoint
 * @param {Overrides} overrides
 * @param {AbortController} [controller]
 * @param {(name: string, parameter: any) => void} [onEvent] called with every event of the run
 * @returns its result, and its reports of failed operations
 */
export async function runObserved(endpoint, overrides, controller = new AbortController(), onEvent = () => {}) {
  const { observer: recorder, events } = recordingObserver();
  const observer = new Proxy(recorder, {
    get:
      (target, name) =>
      (/** @type {any[]} */ ...parameters) => {
        target[name](...parameters);
        onEvent(String(name), parameters[0]);
      },
  });
  const clock = new Clock();
  const result = await runBenchmark(runConfig(endpoint, overrides), {
    ...{ clock, random: Math.random, signal: controller.signal, observer },
    ...{ identity: { host: 'fra-1', versions: {} }, launchedAt: clock.now() },
  });
  assert.deepEqual([result.problems, result.crash], [[], null]);
  const told = events.filter(([name]) => ['failed', 'integrityError'].includes(name));
  return { result, told };
}
