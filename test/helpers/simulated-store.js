import { meanOf } from '../../lib/measure/statistics/moments.js';
import { isSteady, WINDOW_MS } from '../../lib/run/search/search-step.js';

/**
 * @import { CapacitySearch } from '../../lib/run/search/capacity-search.js'
 * @import { Step, StepResult } from '../../lib/run/search/search-step.js'
 */

/**
 * @typedef {object} StoreModel
 * @property {() => number} latency ms of an operation without waiting, drawn for each
 * @property {number} [rate] maximum operations per second, one after the other
 * @property {() => number} [pause] ms after which a refused thread returns; without it, excess operations wait
 */

/**
 * @typedef {object} SimulatedOperation
 * @property {number} startedAt ms
 * @property {number} finishedAt ms
 */

/**
 * Simulates a closed loop of threads on a store with a queue. Each thread sends its next operation as soon as the previous one
 * has returned.
 *
 * @param {StoreModel} model
 * @param {number} threads
 * @param {number} stopsAt ms
 * @param {number} maxDuration operations
 * @returns {SimulatedOperation[]} in order of their start
 */
export function simulateLoop({ latency, rate = Infinity, pause }, threads, stopsAt, maxDuration) {
  /** @type {SimulatedOperation[]} */
  const operations = [];
  const free = new Agenda();
  Array.from({ length: threads }).forEach(() => free.add(0));
  let slot = 0;
  for (let now = free.take(); now < stopsAt && operations.length < maxDuration; now = free.take()) {
    if (slot > now && pause !== undefined) {
      free.add(now + pause());
      continue;
    }
    slot = Math.max(now, slot);
    const finishedAt = slot + latency();
    slot += 1000 / rate;
    operations.push({ startedAt: now, finishedAt });
    free.add(finishedAt);
  }
  return operations;
}

/**
 * @param {StoreModel} model
 * @param {number} attemptsPerOperation
 * @param {Step} step
 * @returns {StepResult}
 */
function simulateStep(
  model,
  attemptsPerOperation,
  { threads, settle, minDuration, maxDuration, grace, precision, operations },
) {
  const all = simulateLoop(model, threads, settle + maxDuration, operations);
  const windows = windowsOf(all, settle, settle + maxDuration);
  let count = Math.min(minDuration / WINDOW_MS, windows.length);
  while (count < windows.length && !isSteady(windows.slice(0, count), precision)) {
    count += 1;
  }
  const stopsAt = settle + count * WINDOW_MS;
  const begun = all.filter(({ startedAt }) => startedAt < stopsAt);
  const done = begun.filter(({ finishedAt }) => finishedAt >= settle);
  const lastAt = begun.reduce((last, { finishedAt }) => Math.max(last, finishedAt), 0);
  const latencies = done.map(({ startedAt, finishedAt }) => finishedAt - startedAt).sort((one, other) => one - other);
  // If all threads are busy, nothing ran out.
  const ranDryAt = begun.length === operations ? (begun.at(-1)?.startedAt ?? 0) : Infinity;
  return {
    elapsed: Math.min(Math.max(lastAt, Math.min(stopsAt, ranDryAt)), settle + maxDuration + grace),
    consumed: begun.length,
    attempts: attemptsPerOperation * begun.length,
    throttled: 0,
    windows: windows.slice(0, count).filter((_, place) => settle + (place + 1) * WINDOW_MS <= ranDryAt),
    latency: latencies.length === 0 ? null : { mean: meanOf(latencies), p50: latencies[latencies.length >> 1] },
  };
}

/**
 * @param {CapacitySearch} search
 * @param {StoreModel | ((step: Step) => StoreModel)} model
 * @param {number} [attemptsPerOperation]
 * @returns {{ step: Step, result: StepResult }[]}
 */
export function runSearch(search, model, attemptsPerOperation = 1) {
  const steps = [];
  for (let step = search.next(null); step !== null;) {
    const result = simulateStep(typeof model === 'function' ? model(step) : model, attemptsPerOperation, step);
    steps.push({ step, result });
    step = search.next(result);
  }
  return steps;
}

/**
 * @param {readonly SimulatedOperation[]} operations
 * @param {number} from ms
 * @param {number} until ms
 */
function windowsOf(operations, from, until) {
  const windows = Array.from({ length: (until - from) / WINDOW_MS }, () => 0);
  for (const { finishedAt } of operations) {
    const place = Math.floor((finishedAt - from) / WINDOW_MS);
    if (place >= 0 && place < windows.length) {
      windows[place] += 1;
    }
  }
  return windows;
}

/** A binary heap of times; the earliest comes out first. */
class Agenda {
  /** @type {number[]} */
  #heap = [];

  /** @param {number} moment */
  add(moment) {
    const heap = this.#heap;
    let place = heap.push(moment) - 1;
    for (let parent = (place - 1) >> 1; place > 0 && heap[parent] > moment; parent = (place - 1) >> 1) {
      heap[place] = heap[parent];
      place = parent;
    }
    heap[place] = moment;
  }

  take() {
    const heap = this.#heap;
    const first = heap[0];
    const last = /** @type {number} */ (heap.pop());
    let place = 0;
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      child += Number(child + 1 < heap.length && heap[child + 1] < heap[child]);
      if (heap[child] >= last) {
        break;
      }
      heap[place] = heap[child];
      place = child;
    }
    if (heap.length > 0) {
      heap[place] = last;
    }
    return first;
  }
}
