import promises from 'node:timers/promises';
import timers from 'node:timers';
import { syncBuiltinESMExports } from 'node:module';

// Preloaded into the program (see fastTime() in fault-run.js): its clock and timers run TIME_SPEED times as fast, so that a
// minute without a success takes only a second or two.

const speed = Number(process.env.TIME_SPEED);

const { now } = performance;
performance.now = () => now.call(performance) * speed;

for (const name of /** @type {const} */ (['setTimeout', 'setInterval'])) {
  const original = /** @type {(...parameters: any[]) => any} */ (timers[name]);
  const fast = (/** @type {() => void} */ callback, /** @type {number} */ delay, /** @type {any[]} */ ...parameters) =>
    original(callback, delay / speed, ...parameters);
  Object.assign(timers, { [name]: fast });
  Object.assign(globalThis, { [name]: fast });
}

const { setTimeout: wait } = promises;
promises.setTimeout = (delay, ...parameters) => wait(Number(delay) / speed, ...parameters);

syncBuiltinESMExports();
