import assert from 'node:assert/strict';
import { Clock } from '../../lib/clock/clock.js';
import { runBenchmark } from '../../lib/run/benchmark-run.js';
import { recordingObserver } from './recording-observer.js';
import { runConfig } from './run-config.js';

/**
 * @import { Overrides } from './run-config.js'
 * @import { TestEndpoint } from './local-s3.js'
 */

/**
 * A run without the command line around it.
 *
 * @param {TestEndpoint} endpoint
 * @param {Overrides} overrides
 * @param {AbortController} [controller]
 * @param {(name: string, parameter: any) => void} [onTold] is called with whatever the run tells
 * @returns its result, and what it told of operations that failed
 */
export async function runObserved(endpoint, overrides, controller = new AbortController(), onTold = () => {}) {
  const { observer: recorder, events } = recordingObserver();
  const observer = new Proxy(recorder, {
    get:
      (target, name) =>
      (/** @type {any[]} */ ...parameters) => {
        target[name](...parameters);
        onTold(String(name), parameters[0]);
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
