import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify } from '../../lib/bottleneck/classify.js';
import { NO_HOST_LOAD, loopLoad } from '../helpers/host-load.js';

/**
 * @import { Evidence, Search } from '../../lib/bottleneck/classify.js'
 * @import { HostLoad, LoopLoad } from '../../lib/model/result.js'
 */

const IDLE_CPU = Object.freeze({ cpus: 2, usable: 2, busy: 0.3, iowait: 0, steal: 0, busiest: 0.4, others: 0.1 });

/** Operations that wait for a store, three times as long as one alone. @type {Evidence} */
const WAITING = Object.freeze({
  eventLoopUtilization: 0.3,
  busyLoops: 0.3,
  loops: 1,
  cpuCores: 0.3,
  availableCores: 2,
  operations: 10_000,
  measured: 10_000,
  failed: 0,
  attempts: 10_000,
  throttled: 0,
  backoffShare: 0,
  p50: 60,
  mean: 61,
  minimum: 15,
  unloadedP50: 20,
  unloadedSize: null,
  threads: 50,
  isOpenLoop: false,
  end: 'complete',
  startDelayP50: null,
  startDelayP90: null,
  openedShare: 0,
  host: hostWith({ running: 0.3, waiting: 0.01 }),
  search: null,
});

/** @type {Search} */
const PLATEAU = Object.freeze({
  hasPlateau: true,
  holdAgrees: true,
  best: 800,
  capacity: { operationsPerSecond: 799, low: 790, high: 808, confidence: 0.95, threads: 32, seconds: 10 },
  knee: 16,
  maxThreads: 64,
  limitingResource: null,
  movesBytes: true,
  halfSize: {
    whole: { size: 16_384, operationsPerSecond: 799, spread: 0.01 },
    half: { size: 8192, operationsPerSecond: 801, spread: 0.01 },
    held: 799,
  },
  refusals: Object.freeze({ threads: 64, operations: 1000, attempts: 1000, throttled: 0, backoffShare: 0 }),
  busyHost: null,
});

/**
 * @param {Partial<LoopLoad>} loop
 * @param {Partial<NonNullable<HostLoad['cpu']>>} [cpu]
 * @returns {HostLoad}
 */
function hostWith(loop, cpu = {}) {
  return { ...NO_HOST_LOAD, cpu: { ...IDLE_CPU, ...cpu }, loops: [loopLoad(0.3, { delayP50: 1, ...loop })] };
}

/** @param {Partial<Evidence>} figures */
function limitOf(figures) {
  const { cause, certainty } = classify({ ...WAITING, ...figures });
  return `${certainty} ${cause}`;
}

/** The hypervisor has a fifth of the CPUs, and others nearly all of the rest; the client wants little of its time. */
const BUSY = hostWith({ running: 0.25, waiting: 0.1 }, { steal: 0.22, busy: 0.75, busiest: 0.97, others: 1.2 });

test('what an idle host would prove is likely on a busy host that leaves the client time', () => {
  assert.equal(limitOf({}), 'proven beyond this host');
  assert.equal(limitOf({ host: BUSY }), 'likely beyond this host');
  assert.equal(limitOf({ p50: 21, mean: 21 }), 'proven concurrency');
  assert.equal(limitOf({ p50: 21, mean: 21, host: BUSY }), 'likely concurrency');
  assert.equal(limitOf({ search: PLATEAU }), 'proven store');
  assert.equal(limitOf({ search: PLATEAU, host: BUSY }), 'likely store');
  assert.match(
    classify({ ...WAITING, search: PLATEAU, host: BUSY }).evidence,
    /^more than 16 threads brought no gain, 799\.0\/s of 16KiB and 801\.0\/s of 8KiB, but this host had too little CPU: /,
  );
});

test('a client that waits for a CPU, and has no time left besides, is starved, whatever else is known', () => {
  const host = hostWith({ running: 0.38, waiting: 0.42 }, { busy: 0.99, busiest: 1, others: 1.6 });
  for (const figures of [{}, { unloadedP50: null }, { p50: 29 }, { p50: 12 }]) {
    assert.equal(limitOf({ ...figures, host }), 'likely host CPU');
    const { evidence, advice } = classify({ ...WAITING, ...figures, host });
    assert.match(evidence, /^this host had too little CPU for the client: event loop ran 38% .* waited for a CPU 42%/);
    assert.equal(advice, 'a store on another host, or an idle host');
  }
  assert.equal(limitOf({ host, search: PLATEAU }), 'likely store', 'a plateau contradicts it');
  assert.equal(limitOf({ host, operations: 20 }), 'unknown inconclusive', 'few operations show nothing');
});

test('a client that waits while others use up its CPUs is starved, although it wants little of its time', () => {
  const host = hostWith({ running: 0.13, waiting: 0.39 }, { busy: 1, busiest: 1, others: 1.86 });
  assert.equal(limitOf({ p50: 25, mean: 26, host, cpuCores: 0.14 }), 'likely host CPU');
  const halfSize = {
    whole: { size: 16_384, operationsPerSecond: 728, spread: 0.01 },
    half: { size: 8192, operationsPerSecond: 900, spread: 0.01 },
    held: 728,
  };
  assert.equal(limitOf({ host, cpuCores: 0.14, search: { ...PLATEAU, halfSize } }), 'likely host CPU');
  assert.equal(limitOf({ host, cpuCores: 0.14, search: PLATEAU }), 'likely store', 'its sizes show the store');
  const spare = hostWith({ running: 0.13, waiting: 0.39 }, { busy: 0.85, busiest: 1, others: 1.55 });
  assert.equal(
    limitOf({ p50: 25, mean: 26, host: spare, cpuCores: 0.14 }),
    'unknown inconclusive',
    'a CPU had time left',
  );
  const prompt = hostWith({ running: 0.13, waiting: 0.05 }, { busy: 1, busiest: 1, others: 1.86 });
  assert.equal(
    limitOf({ p50: 25, mean: 26, host: prompt, cpuCores: 0.14 }),
    'unknown inconclusive',
    'it got the CPU at once',
  );
});

test('refusals and a full link are not explained by a host that is busy', () => {
  const host = hostWith({ running: 0.6, waiting: 0.29 }, { busy: 0.98, busiest: 1, others: 1.3 });
  const refusals = { operations: 100_000, attempts: 160_000, throttled: 60_000, backoffShare: 0.4 };
  assert.equal(limitOf({ ...refusals, host }), 'likely store throttling');
  const few = { operations: 100_000, attempts: 110_000, throttled: 10_000, backoffShare: 0.4 };
  assert.equal(limitOf({ ...few, host }), 'unknown inconclusive', 'more CPU may bring more than refusals');
  assert.match(classify({ ...WAITING, ...refusals, host }).evidence, /attempts refused/);
  const network = { interface: 'eth0', linkSpeed: 125e6, received: 0, sent: 124e6, fullShare: 0.95 };
  const crowded = hostWith({ running: 0.35, waiting: 0.3 }, { busy: 0.98, busiest: 1, others: 1.5 });
  assert.equal(limitOf({ host: { ...crowded, network } }), 'likely network link');
});

test('refusals that cost little are the likely limit only if operations do not wait for something else', () => {
  const refusals = { operations: 6000, attempts: 6200, throttled: 190, backoffShare: 0.05 };
  assert.equal(limitOf({ ...refusals, p50: 21, mean: 22 }), 'likely store throttling');
  assert.equal(limitOf(refusals), 'likely beyond this host');
  assert.match(classify({ ...WAITING, ...refusals }).evidence, /^3\.1% of 6,200 attempts refused, .*median latency /);
});

test('without a latency for one thread, operations as fast as the fastest of all have too few threads', () => {
  const quick = { unloadedP50: null, p50: 17, mean: 17 };
  assert.equal(limitOf(quick), 'likely concurrency');
  assert.equal(limitOf({ unloadedP50: null }), 'unknown inconclusive');
  assert.equal(limitOf({ ...quick, mean: 300 }), 'unknown inconclusive', 'the store stood still');
  assert.equal(limitOf({ ...quick, throttled: 900, attempts: 10_900 }), 'unknown inconclusive', 'it refused requests');
  const search = { ...PLATEAU, hasPlateau: false, capacity: null, limitingResource: /** @type {const} */ ('objects') };
  assert.equal(limitOf({ ...quick, threads: 8, search }), 'unknown inconclusive', 'a search had more threads');
});

test('a plateau with a quiet client is beyond this host, even if it was not held or no size decides', () => {
  const halfSize = /** @type {NonNullable<Search['halfSize']>} */ (PLATEAU.halfSize);
  for (const search of [
    { ...PLATEAU, capacity: null },
    { ...PLATEAU, halfSize: null },
    { ...PLATEAU, holdAgrees: false },
    { ...PLATEAU, halfSize: { ...halfSize, half: { ...halfSize.half, operationsPerSecond: 1100 } } },
  ]) {
    assert.equal(limitOf({ search }), 'likely beyond this host');
  }
});

test('a hold that was slower than the best step shows as much as a plain run', () => {
  const search = { ...PLATEAU, hasPlateau: false, holdAgrees: false };
  assert.equal(limitOf({ search }), 'likely beyond this host');
  assert.equal(limitOf({ search, p50: 25, mean: 26 }), 'unknown inconclusive', 'operations hardly waited');
  assert.equal(limitOf({ search, unloadedP50: null }), 'unknown inconclusive', 'it is unknown whether they waited');
});

test('a search that ran out of threads without a plateau had too few', () => {
  const search = /** @type {const} */ ({ ...PLATEAU, hasPlateau: false, capacity: null, maxThreads: 50 });
  const threads = { search: { ...search, limitingResource: /** @type {const} */ ('threads') } };
  assert.equal(limitOf({ ...threads, p50: 29, mean: 29 }), 'likely concurrency');
  assert.equal(limitOf(threads), 'unknown inconclusive', 'operations wait for something');
  assert.equal(limitOf({ search: { ...search, limitingResource: 'objects' } }), 'unknown inconclusive');
});

test('no advice recommends a search to a host that cannot carry it', () => {
  const host = hostWith({ running: 0.1, waiting: 0.25 }, { busy: 0.99, busiest: 1, others: 1.9 });
  assert.equal(classify({ ...WAITING, unloadedP50: null, host }).advice, 'a store on another host, or an idle host');
  assert.equal(classify({ ...WAITING, unloadedP50: null }).advice, '--find-peak');
});

test('a store that takes the CPUs of the same host is named as the limit, or as what leaves the host too little', () => {
  const store = { cpu: 1.2 };
  const half = hostWith({ running: 0.2, waiting: 0.05 }, { busy: 0.8, busiest: 0.85, others: 1.25 });
  assert.equal(limitOf({ host: half }), 'proven beyond this host');
  assert.equal(limitOf({ host: { ...half, store } }), 'likely store');
  assert.match(
    classify({ ...WAITING, host: { ...half, store } }).evidence,
    /other processes used 1\.25 of them \(the store 1\.20\)/,
  );
  const slower = { p50: 27, mean: 27 };
  assert.equal(limitOf({ ...slower, host: half }), 'unknown inconclusive');
  assert.equal(limitOf({ ...slower, host: { ...half, store } }), 'likely store');
  const full = hostWith({ running: 0.2, waiting: 0.3 }, { busy: 0.95, busiest: 1, others: 1.6 });
  assert.equal(limitOf({ host: { ...full, store } }), 'likely host CPU');
  assert.equal(
    limitOf({ host: { ...full, store }, search: PLATEAU }),
    'likely host CPU',
    'a plateau does not contradict it',
  );
  assert.equal(limitOf({ host: { ...full, store: { cpu: 0.1 } } }), 'likely beyond this host', 'others took them');
  const busy = hostWith({ running: 0.14, waiting: 0.2 }, { busy: 0.86, busiest: 0.88, others: 1.56 });
  const quick = { p50: 20, mean: 20, minimum: 18, cpuCores: 0.15, search: PLATEAU };
  assert.equal(limitOf({ ...quick, host: { ...busy, store: { cpu: 1.42 } } }), 'likely store', 'quick, on a plateau');
  assert.equal(limitOf({ ...quick, host: busy }), 'unknown inconclusive');
});

test('if the first thread was slower than all of them, too few threads are likely, unless it was twice as slow', () => {
  const found = [15, 11, 9].map((p50) => classify({ ...WAITING, p50, mean: p50, minimum: 8 }));
  assert.deepEqual(
    found.map(({ cause, certainty }) => [cause, certainty]),
    [
      ['concurrency', 'likely'],
      ['concurrency', 'likely'],
      ['inconclusive', 'unknown'],
    ],
  );
});

test('in a process that did other work, causes that rest on CPU time are only likely, and the others do not change', () => {
  const full = {
    eventLoopUtilization: 0.97,
    busyLoops: 0.97,
    cpuCores: 0.98,
    host: hostWith({ running: 0.96, waiting: 0.01 }),
  };
  assert.equal(limitOf(full), 'proven client CPU');
  const shared = classify({ ...WAITING, ...full, isShared: true });
  assert.deepEqual([shared.cause, shared.certainty], ['client CPU', 'likely']);
  assert.match(shared.evidence, /by the run and other work in the same process/);
  const isShared = true;
  assert.deepEqual(limitOf({ search: PLATEAU, isShared }), limitOf({ search: PLATEAU }));
});
