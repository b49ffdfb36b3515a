import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { classify as bottleneckOf } from '../../lib/bottleneck/classify.js';
import { busierEndpoint, busiestThread } from '../../lib/bottleneck/host-evidence.js';
import { cases } from '../helpers/cases.js';
import { NO_HOST_LOAD, loopLoad } from '../helpers/host-load.js';

/**
 * @import { Evidence, Search } from '../../lib/bottleneck/classify.js'
 * @import { HostLoad, LoopLoad } from '../../lib/model/result.js'
 */

/** A stage that shows nothing: neither full nor empty, neither quick nor slow. @type {Evidence} */
const PLAIN = Object.freeze({
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
  mean: null,
  minimum: null,
  unloadedP50: 20,
  unloadedSize: null,
  threads: 50,
  isOpenLoop: false,
  end: 'complete',
  startDelayP50: null,
  startDelayP90: null,
  openedShare: 0,
  host: null,
  search: null,
});

/** @param {number} operationsPerSecond */
function capacityOf(operationsPerSecond) {
  const interval = { low: operationsPerSecond, high: operationsPerSecond, confidence: 0.95 };
  return { operationsPerSecond, ...interval, threads: 64, seconds: 10 };
}

/** @type {Search} */
const PLATEAU = Object.freeze({
  hasPlateau: true,
  holdAgrees: true,
  best: 1000,
  capacity: capacityOf(1000),
  knee: 23,
  maxThreads: 64,
  limitingResource: null,
  movesBytes: true,
  halfSize: null,
  refusals: Object.freeze({ threads: 64, operations: 1000, attempts: 1000, throttled: 0, backoffShare: 0 }),
  busyHost: null,
});

/**
 * @param {Evidence} evidence
 * @returns what is proven; other tests cover likely causes
 */
function classify(evidence) {
  const { certainty, cause, ...words } = bottleneckOf(evidence);
  return { cause: certainty === 'proven' ? cause : 'inconclusive', ...words };
}

/**
 * @param {Partial<Evidence>} [figures]
 * @returns {string}
 */
function causeOf(figures) {
  return classify({ ...PLAIN, ...figures }).cause;
}

/**
 * @param {number} whole operations per second with 16 KiB
 * @param {number} half with 8 KiB
 * @param {number} [held] with 16 KiB
 * @returns {Search}
 */
function sizes(whole, half, held = whole) {
  const halfSize = {
    whole: { size: 16_384, operationsPerSecond: whole, spread: 0 },
    half: { size: 8192, operationsPerSecond: half, spread: 0 },
    held,
  };
  return { ...PLATEAU, halfSize };
}

test('figures that show nothing are reported as such, with what would decide', () => {
  assert.deepEqual(classify(PLAIN), {
    cause: 'inconclusive',
    evidence:
      "median latency 60.00ms with 50 threads, 20.00ms with one, but this system does not report how the client's threads were scheduled, event loop 30% busy",
    advice: '--find-peak',
  });
});

test('a full event loop that had its CPU is limited by it', () => {
  const figures = { eventLoopUtilization: 0.97, busyLoops: 0.97, cpuCores: 0.98 };
  assert.deepEqual(classify({ ...PLAIN, ...figures }), {
    cause: 'client CPU',
    evidence: 'event loop busy 97% of the time, 0.98 CPU cores used',
    advice: 'a host with more CPUs, or several hosts',
  });
  assert.equal(causeOf({ ...figures, loops: 4, busyLoops: 3.8, availableCores: 2, cpuCores: 1.9 }), 'client CPU');
});

/** CPUs of a host that runs little besides the client. */
const IDLE_CPU = { cpus: 2, usable: 2, busy: 0.3, iowait: 0, steal: 0, busiest: 0.4, others: 0.1 };

/**
 * @param {Partial<LoopLoad>} loop of the only event loop
 * @param {Partial<HostLoad>} [overrides]
 * @returns {Partial<Evidence>}
 */
function hostWith(loop, overrides = {}) {
  return { host: { ...NO_HOST_LOAD, cpu: IDLE_CPU, loops: [loopLoad(0.5, loop)], ...overrides } };
}

test('a thread that has a CPU for all that it wants, and wants all its time, is the client', () => {
  assert.equal(causeOf(hostWith({ running: 0.86, waiting: 0.02 })), 'client CPU', 'whatever the loop reports');
  assert.equal(causeOf({ busyLoops: 0.9, ...hostWith({ running: 0.88, waiting: 0.02 }) }), 'client CPU');
});

test('a thread that waits for a CPU that others have is short of the host’s', () => {
  const thread = { running: 0.55, waiting: 0.38 };
  assert.deepEqual(classify({ ...PLAIN, ...hostWith(thread, { cpu: { ...IDLE_CPU, others: 1.4 } }) }), {
    cause: 'host CPU',
    evidence:
      'this host had too little CPU for the client: event loop ran 55% of the time and waited for a CPU 38%, 2 CPUs 85% busy, other processes used 1.40 of them',
    advice: 'a store on another host, or an idle host',
  });
  const stolen = { ...IDLE_CPU, steal: 0.3 };
  assert.match(
    classify({ ...PLAIN, ...hostWith(thread, { cpu: stolen }) }).evidence,
    /hypervisor took 30% of the CPU time/,
  );
});

test('time that the hypervisor takes from a busy thread counts as waiting, although the thread is reported as neither running nor waiting', () => {
  // Seen: 38% running, 35% waiting, and an event loop that was busy for 96% of the time.
  const cpu = { ...IDLE_CPU, busy: 0.56, steal: 0.42, busiest: 0.98, others: 0 };
  assert.deepEqual(classify({ ...PLAIN, cpuCores: 0.56, ...hostWith({ running: 0.38, waiting: 0.35 }, { cpu }) }), {
    cause: 'host CPU',
    evidence:
      'this host had too little CPU for the client: event loop ran 38% of the time and waited for a CPU 62%, the hypervisor took 42% of the CPU time',
    advice: 'a store on another host, or an idle host',
  });
  const room = { running: 0.1, waiting: 0.02, delayP50: 1 };
  assert.equal(causeOf(hostWith(room, { cpu: { ...cpu, busy: 0.5, steal: 0.05, busiest: 0.6 } })), 'beyond this host');
});

test('a quota is named before the others on the host', () => {
  const cpu = { ...IDLE_CPU, others: 1.4 };
  const quota = { cores: 0.5, throttled: 0.48, heldBack: 0.4 };
  const { cause, evidence } = classify({ ...PLAIN, ...hostWith({ running: 0.5, waiting: 0.45 }, { cpu, quota }) });
  assert.equal(cause, 'host CPU');
  assert.match(evidence, /throttled by a CPU quota of 0\.50 cores in 48% of its periods$/);
});

test('a client whose threads waited for each other, on all the CPUs that it may use, is what limits', () => {
  const cpu = { ...IDLE_CPU, usable: 1, busiest: 1, others: 0 };
  const thread = hostWith({ running: 0.65, waiting: 0.34 }, { cpu });
  assert.equal(causeOf({ cpuCores: 0.98, ...thread }), 'client CPU');
  assert.equal(causeOf({ cpuCores: 0.8, ...thread }), 'inconclusive');
  assert.equal(
    causeOf({ cpuCores: 0.98, ...hostWith({ running: 0.65, waiting: 0.34 }, { cpu: null }) }),
    'inconclusive',
  );
});

test('a thread that waits for a CPU proves nothing if no one is seen to have it', () => {
  const { cause, evidence } = classify({ ...PLAIN, ...hostWith({ running: 0.5, waiting: 0.45 }) });
  assert.equal(cause, 'inconclusive');
  assert.match(evidence, /^the client had too little CPU, and what used it is unknown: /);
  assert.equal(causeOf(hostWith({ running: 0.86, waiting: 0.12 })), 'inconclusive');
  assert.notEqual(causeOf(hostWith({ running: 0.84, waiting: 0.09 })), 'client CPU');
});

const NETWORK = { interface: 'eth0', linkSpeed: 12_500_000, received: 12_400_000, sent: 100_000, fullShare: 0.9 };

test('a link that is full in most seconds is the limit if the client has room', () => {
  const room = { running: 0.3, waiting: 0.01 };
  assert.deepEqual(classify({ ...PLAIN, ...hostWith(room, { network: NETWORK }) }), {
    cause: 'network link',
    evidence: 'eth0 was saturated 90% of the time: 11.8MiB/s received and 0.1MiB/s sent, link speed 11.9MiB/s',
    advice: 'a faster link, or several hosts',
  });
  for (const network of [
    { ...NETWORK, fullShare: 0.7 },
    { ...NETWORK, linkSpeed: null, fullShare: null },
  ]) {
    assert.equal(causeOf(hostWith(room, { network })), 'beyond this host');
  }
  assert.equal(causeOf(hostWith({ running: 0.82, waiting: 0 }, { network: NETWORK })), 'inconclusive');
});

test('if the host has time left and operations wait, the limit is the store or the path to it', () => {
  const room = { running: 0.3, waiting: 0.01, delayP50: 1 };
  const tcp = { sent: 1000, retransmitted: 5 };
  assert.deepEqual(classify({ ...PLAIN, ...hostWith(room, { tcp }) }), {
    cause: 'beyond this host',
    evidence:
      'median latency 60.00ms with 50 threads, 20.00ms with one, although this host had CPU time to spare: event loop ran 30% of the time and waited for a CPU 1%, 2 CPUs 20% busy, other processes used 0.10 of them, 0.50% of TCP segments retransmitted',
    advice: '--find-peak, or two hosts',
  });
});

test('the use of time is evidence even if threads waited for a CPU now and then, but not on a host without CPU to spare', () => {
  // Seen: a queue of 166 ms after a client whose hypervisor took 31% of the CPUs.
  const now = { running: 0.18, waiting: 0.24, delayP50: 1 };
  const queue = { p50: 166, unloadedP50: 7 };
  assert.equal(causeOf({ ...queue, ...hostWith(now) }), 'beyond this host');
  assert.equal(causeOf({ ...queue, mean: 400, ...hostWith(now) }), 'beyond this host', 'where few operations wait');
  assert.equal(causeOf({ ...queue, ...hostWith(now, { network: NETWORK }) }), 'network link');
  assert.equal(causeOf({ ...queue, ...hostWith({ ...now, running: 0.5 }) }), 'inconclusive');
  assert.equal(causeOf({ ...queue, ...hostWith(now, { cpu: { ...IDLE_CPU, others: 1.7 } }) }), 'inconclusive');
  const quota = { cores: 0.5, throttled: 0.3, heldBack: 0.1 };
  assert.equal(causeOf({ ...queue, ...hostWith(now, { quota }) }), 'inconclusive');
});

test('if the figures do not prove a limit beyond this host, the evidence names the figure that is missing or contradicts it', () => {
  const room = { running: 0.3, waiting: 0.01, delayP50: 1 };
  for (const [figures, why] of /** @type {[Partial<Evidence>, RegExp][]} */ ([
    [hostWith({ ...room, running: 0.7 }), /client was too busy .*: event loop ran 70% of the time/],
    [hostWith(room, { cpu: { ...IDLE_CPU, steal: 0.4 } }), /too little CPU for the client: .*the hypervisor took 40% /],
    [hostWith({ ...room, running: null }), /does not report how the client's threads were scheduled/],
    [hostWith(room, { cpu: null }), /the CPU use of this host is unknown/],
    [hostWith(room, { cpu: { ...IDLE_CPU, busiest: 0.95 } }), /one of this host's CPUs was 95% busy/],
    [
      hostWith({ ...room, delayP50: 15 }),
      /less than 80% of that time was spent waiting for responses: event loop 15\.00ms late/,
    ],
    [hostWith({ ...room, delayP50: null }), /too short to show how late the event loop was/],
    [
      hostWith(room, { endpoint: { cpu: 0.7, running: 0.6, waiting: 0.15 } }),
      /the embedded endpoint was busy, .*ran 60%/,
    ],
    [{ ...hostWith(room), p50: 29 }, /too small an increase to show a limit/],
    [{ ...hostWith(room), unloadedSize: 1024 }, /objects of 1KiB.*larger objects take longer/],
  ])) {
    const { cause, evidence } = classify({ ...PLAIN, ...figures });
    assert.equal(cause, 'inconclusive');
    assert.match(evidence, why);
  }
});

test('a few operations that wait long take the threads’ time, however quick the others are', () => {
  const room = hostWith({ running: 0.3, waiting: 0.01, delayP50: 1 });
  const figures = { ...PLAIN, ...room, p50: 21, mean: 200 };
  const { cause, evidence } = classify(figures);
  assert.equal(cause, 'beyond this host');
  assert.match(evidence, /, 20\.00ms with one, but the mean is 200\.00ms, although/);
  for (const other of [
    { host: null },
    { unloadedSize: 1024 },
    { search: { ...PLATEAU, hasPlateau: false } },
    { openedShare: 0.5 },
    hostWith({ running: 0.7, waiting: 0.05, delayP50: 1 }),
    { unloadedP50: 150 },
  ]) {
    assert.equal(causeOf({ ...figures, ...other }), 'inconclusive', JSON.stringify(other));
  }
});

test('an embedded endpoint that ran all the time is the store that limits', () => {
  const endpoint = { cpu: 1.02, running: 0.97, waiting: 0.02 };
  const crowded = { ...IDLE_CPU, busiest: 1, others: 1.1 };
  const room = { running: 0.3, waiting: 0.01 };
  assert.deepEqual(classify({ ...PLAIN, ...hostWith(room, { cpu: crowded, endpoint }) }), {
    cause: 'store',
    evidence:
      'the embedded endpoint is at its limit: its only event loop ran 97% of the time, with 1.02 of 2 CPUs, event loop 30% busy',
    advice: 'a real store',
  });
  const refusals = { operations: 10_000, attempts: 10_500, throttled: 500, backoffShare: 0.1 };
  for (const [other, why] of /** @type {[Partial<Evidence>, string][]} */ ([
    [hostWith(room, { endpoint: { ...endpoint, running: 0.84 } }), 'time left'],
    [hostWith({ running: 0.3, waiting: 0.25 }, { endpoint }), 'a client that had to wait for a CPU'],
    [{ ...hostWith(room, { endpoint }), ...refusals }, 'refusals'],
    [{ ...hostWith(room, { endpoint }), search: { ...PLATEAU, hasPlateau: false } }, 'a search without a plateau'],
  ])) {
    assert.notEqual(causeOf(other), 'store', why);
  }
});

test('an embedded endpoint that others keep from the CPU is short of the host’s', () => {
  const endpoint = { cpu: 0.7, running: 0.55, waiting: 0.44 };
  const room = { running: 0.22, waiting: 0.18 };
  const cpu = { ...IDLE_CPU, busiest: 1, others: 1.71 };
  assert.deepEqual(classify({ ...PLAIN, ...hostWith(room, { cpu, endpoint }) }), {
    cause: 'host CPU',
    evidence:
      'this host had too little CPU for the embedded endpoint: its event loop ran 55% of the time and waited for a CPU 44%, 2 CPUs 100% busy, other processes used 1.71 of them (the embedded endpoint 0.70)',
    advice: 'a store on another host, or an idle host',
  });
  const stolen = { ...IDLE_CPU, steal: 0.75 };
  assert.equal(causeOf(hostWith(room, { cpu: stolen, endpoint })), 'host CPU', 'the hypervisor has the CPUs');
  assert.equal(causeOf(hostWith(room, { endpoint })), 'inconclusive', 'nobody is seen to have the CPUs');
  assert.equal(causeOf(hostWith(room, { cpu, endpoint: { ...endpoint, running: 0.3 } })), 'inconclusive');
});

test('when many attempts open a connection they wait for each other, and the store is not named', () => {
  const room = hostWith({ running: 0.3, waiting: 0.01 });
  assert.equal(causeOf(room), 'beyond this host');
  for (const search of [null, { ...PLATEAU, movesBytes: false }, sizes(1000, 1010)]) {
    const { cause, evidence } = classify({ ...PLAIN, ...room, search, openedShare: 0.5 });
    assert.equal(cause, 'inconclusive');
    assert.match(evidence, /, but 50% of the attempts had to wait for a new connection$/);
  }
});

test('a step of a search in which the host had too little CPU counts, whichever it was', () => {
  const { host } = hostWith({ running: 0.4, waiting: 0.35 });
  const search = { ...PLATEAU, movesBytes: false, busyHost: { host: host ?? null, cpuCores: 0.4, loops: 1 } };
  const { cause, evidence } = classify({ ...PLAIN, ...hostWith({ running: 0.3, waiting: 0.01 }), p50: 100, search });
  assert.equal(cause, 'inconclusive');
  assert.match(evidence, /event loop ran 40% of the time and waited for a CPU 35%$/);
});

test('threads that wait for each other are not short of what others have', () => {
  const loops = Array.from({ length: 16 }, () => loopLoad(0.9, { running: 0.75, waiting: 0.2 }));
  const cpu = { ...IDLE_CPU, cpus: 16, usable: 16, others: 0.1 };
  const { cause } = classify({ ...PLAIN, loops: 16, busyLoops: 14, host: { ...NO_HOST_LOAD, cpu, loops } });
  assert.equal(cause, 'inconclusive');
});

test('a host without CPU to spare takes precedence over any cause in the store', () => {
  const crowded = { cpu: { ...IDLE_CPU, busiest: 1, others: 1.65 } };
  const room = { running: 0.3, waiting: 0.1 };
  const plain = classify({ ...PLAIN, ...hostWith(room, crowded) });
  assert.equal(plain.cause, 'inconclusive');
  assert.match(plain.evidence, /but this host had too little CPU: 2 CPUs 98% busy/);
  assert.match(
    classify({
      ...PLAIN,
      mean: 200,
      ...hostWith({ running: 0.3, waiting: 0.1 }, { quota: { cores: 0.5, throttled: 0.3, heldBack: 0.1 } }),
    }).evidence,
    /, throttled by a CPU quota of 0\.50 cores in 30% of its periods, /,
  );
  for (const search of [{ ...PLATEAU, movesBytes: false }, sizes(1000, 1010), sizes(1000, 2000)]) {
    const found = { p50: 100, search };
    assert.notEqual(causeOf(found), 'inconclusive');
    assert.equal(causeOf({ ...found, ...hostWith(room, crowded) }), 'inconclusive');
    assert.equal(causeOf({ ...found, ...hostWith({ running: 0.3, waiting: 0.2 }) }), 'inconclusive');
    assert.notEqual(causeOf({ ...found, ...hostWith(room) }), 'inconclusive');
  }
});

test('a full event loop that other processes kept from the CPU proves nothing', () => {
  const verdict = classify({ ...PLAIN, eventLoopUtilization: 0.97, busyLoops: 0.97, cpuCores: 0.5 });
  assert.equal(verdict.cause, 'inconclusive');
  assert.match(verdict.evidence, /0\.50 CPU cores used: other processes used CPU time that the client needed$/);
  assert.equal(causeOf({ eventLoopUtilization: 0.97, loops: 2, busyLoops: 1.9, cpuCores: 1.1 }), 'inconclusive');
});

test('one full event loop among others that have room is not the client', () => {
  const verdict = classify({ ...PLAIN, eventLoopUtilization: 0.95, loops: 4, busyLoops: 2.75, cpuCores: 2.75 });
  assert.deepEqual(verdict, {
    cause: 'inconclusive',
    evidence:
      'busiest of 4 event loops busy 95% of the time, 2.75 CPU cores used, but the event loops were busy only 69% of the time on average',
    advice: 'fewer --cores',
  });
});

test('a store that refuses, and costs the threads time by it, throttles', () => {
  const figures = { operations: 42_281, attempts: 48_211, throttled: 5930, backoffShare: 0.61 };
  assert.deepEqual(classify({ ...PLAIN, ...figures }), {
    cause: 'store throttling',
    evidence: '12.3% of 48,211 attempts refused, threads waited 61% of their time',
    advice: 'fewer <threads>, or more buckets',
  });
  assert.equal(classify({ ...PLAIN, ...figures, isOpenLoop: true }).advice, 'a lower --rate, or more buckets');
});

test('a few refusals, or some that cost nothing, are no throttling', () => {
  assert.equal(causeOf({ throttled: 50, backoffShare: 0.5 }), 'inconclusive');
  assert.equal(causeOf({ operations: 9900, throttled: 100, backoffShare: 0.5 }), 'store throttling');
  assert.equal(causeOf({ throttled: 1900, backoffShare: 0.1 }), 'inconclusive');
});

test('refusals that are not tried again throttle by what they leave undone, whatever time they cost', () => {
  const figures = { operations: 512, attempts: 2000, throttled: 1488, backoffShare: 0.1, p50: 21 };
  assert.equal(causeOf(figures), 'store throttling');
  assert.match(classify({ ...PLAIN, ...figures }).evidence, /^74\.4% of 2,000 attempts refused, threads waited 10% /);
});

test('time that other errors took is not laid to a few refusals', () => {
  const figures = { operations: 1500, attempts: 1576, throttled: 37, backoffShare: 0.82, p50: 11, unloadedP50: 11 };
  assert.equal(causeOf(figures), 'inconclusive');
  assert.equal(causeOf({ ...figures, attempts: 1546 }), 'store throttling');
});

test('if many operations fail, the others prove nothing', () => {
  const verdict = classify({ ...PLAIN, operations: 191, failed: 809, attempts: 1000, p50: 20 });
  assert.deepEqual([verdict.cause, verdict.evidence], ['inconclusive', '809 of 1,000 operations failed']);
  assert.equal(causeOf({ failed: 1000, p50: 20 }), 'concurrency');
  const none = classify({ ...PLAIN, operations: 0, failed: 100, attempts: 100, p50: null, eventLoopUtilization: 0.95 });
  assert.deepEqual([none.cause, none.evidence, none.advice], ['inconclusive', '100 of 100 operations failed', null]);
});

test('a store that refuses everything throttles, though nothing succeeded', () => {
  const verdict = classify({ ...PLAIN, operations: 0, failed: 1000, attempts: 1000, throttled: 1000, p50: null });
  assert.equal(verdict.cause, 'store throttling');
  assert.match(verdict.evidence, /^100\.0% of 1,000 attempts refused/);
});

test('the evidence of a stage that ended early begins with that, and gives no advice that could not have helped', () => {
  const verdict = classify({ ...PLAIN, end: 'stopped' });
  assert.deepEqual(
    [verdict.cause, verdict.evidence, verdict.advice],
    [
      'inconclusive',
      "stopped before its end: median latency 60.00ms with 50 threads, 20.00ms with one, but this system does not report how the client's threads were scheduled, event loop 30% busy",
      null,
    ],
  );
  assert.match(
    classify({ ...PLAIN, end: 'stalled', backoffShare: 0.9 }).evidence,
    /^operations stopped succeeding: threads/,
  );
  assert.equal(causeOf({ end: 'stopped', p50: 20 }), 'concurrency');
});

test('a timed stage whose operations all completed after its time reports that', () => {
  const verdict = classify({ ...PLAIN, measured: 0 });
  assert.deepEqual(
    [verdict.evidence, verdict.advice],
    ['no operation completed in the measured part of --duration', 'a longer --duration'],
  );
});

test('if all of a few operations failed, more of them would show nothing', () => {
  const verdict = classify({ ...PLAIN, operations: 0, failed: 50, attempts: 50, p50: null });
  assert.deepEqual([verdict.evidence, verdict.advice], ['50 of 50 operations failed', null]);
});

test('the evidence of a plateau that was not held names what the hold lacked', () => {
  const search = { ...PLATEAU, capacity: null, limitingResource: /** @type {const} */ ('dollars') };
  const { cause, evidence, advice } = classify({ ...PLAIN, search });
  assert.deepEqual([cause, advice], ['inconclusive', 'a higher --max-cost']);
  assert.match(evidence, /^more than 23 threads brought no gain, but it was not held long enough$/);
});

test('the evidence of a plateau without a half size names what would allow one, unless the search was stopped', () => {
  const adviceOf = (/** @type {Partial<Evidence>} */ figures) =>
    classify({ ...PLAIN, search: PLATEAU, ...figures }).advice;
  assert.equal(adviceOf({}), 'a Write stage with enough <objects>');
  assert.equal(adviceOf({ search: { ...PLATEAU, limitingResource: 'dollars' } }), 'a higher --max-cost');
  assert.equal(adviceOf({ end: 'stopped' }), null);
});

test('one thread is not compared with itself', () => {
  const { evidence } = classify({ ...PLAIN, threads: 1, p50: 60 });
  assert.match(evidence, /^median latency 60\.00ms with 1 thread, 20\.00ms before the run,/);
});

test('an open loop that completes nothing after its warm-up has kept no rate', () => {
  const verdict = classify({ ...PLAIN, isOpenLoop: true, p50: null });
  assert.equal(verdict.evidence, 'no operation completed after the --warmup time');
});

test('a store that stalled does not lack threads, however fast the median', () => {
  const verdict = classify({ ...PLAIN, p50: 20, mean: 51.86 });
  assert.equal(verdict.cause, 'inconclusive');
  assert.match(verdict.evidence, /but the mean is 51\.86ms: the store stalled or slowed down$/);
});

test('operations that are as quick as one alone do not wait for a store that does no more', () => {
  const search = { ...PLATEAU, movesBytes: false };
  assert.equal(causeOf({ p50: 24, search }), 'inconclusive');
  assert.equal(causeOf({ p50: 25, search }), 'store');
});

test('when the store refuses requests, more threads are not the answer', () => {
  const verdict = classify({ ...PLAIN, throttled: 100, backoffShare: 0.1, p50: 21 });
  assert.deepEqual(verdict, {
    cause: 'inconclusive',
    evidence:
      '1.0% of 10,000 attempts refused, threads waited 10% of their time, median latency 21.00ms with 50 threads, 20.00ms with one, event loop 30% busy',
    advice: '--find-peak',
  });
  assert.equal(causeOf({ throttled: 99, backoffShare: 0.1, p50: 21 }), 'concurrency');
});

test('throttling and a full event loop contradict each other', () => {
  const full = { eventLoopUtilization: 0.95, busyLoops: 0.95, cpuCores: 1 };
  const verdict = classify({ ...PLAIN, throttled: 5000, backoffShare: 0.5, ...full });
  assert.deepEqual([verdict.cause, verdict.advice], ['inconclusive', 'fewer <threads>, or more buckets']);
});

test('operations as fast as one alone have too few threads', () => {
  assert.deepEqual(classify({ ...PLAIN, p50: 21, threads: 4 }), {
    cause: 'concurrency',
    evidence: 'median latency 21.00ms with 4 threads, 20.00ms with one: too few threads to reach a limit',
    advice: 'more <threads>',
  });
  assert.equal(causeOf({ p50: 16.7 }), 'concurrency');
  assert.match(classify({ ...PLAIN, p50: 16.6 }).evidence, /so something else slowed the single thread down/);
  assert.equal(causeOf({ p50: 24 }), 'concurrency');
  assert.equal(causeOf({ p50: 24.1 }), 'inconclusive');
  assert.match(classify({ ...PLAIN, p50: 21, unloadedP50: null }).evidence, /^the latency with one thread is unknown/);
  assert.equal(classify({ ...PLAIN, p50: null }).evidence, 'no operation completed after the --warmup time');
  assert.equal(causeOf({ p50: 21, backoffShare: 0.5 }), 'inconclusive');
});

test('a latency with one thread and smaller objects is reported as such, and is no reference', () => {
  const smaller = { ...PLAIN, unloadedSize: 65_536 };
  const { cause, evidence } = classify({ ...smaller, p50: 60 });
  assert.equal(cause, 'inconclusive');
  assert.match(
    evidence,
    /^median latency 60\.00ms with 50 threads, 20\.00ms with one and objects of 64KiB, but larger objects take longer/,
  );
  // A whole object takes one thread as long as a small one, or longer.
  assert.equal(classify({ ...smaller, p50: 23 }).cause, 'concurrency');
});

test('a search does not advise itself', () => {
  const { advice } = classify({ ...PLAIN, threads: 64, unloadedP50: null, search: { ...PLATEAU, hasPlateau: false } });
  assert.equal(advice, null);
});

test('a handful of operations shows nothing', () => {
  assert.notEqual(causeOf({ operations: 100, attempts: 100, p50: 20 }), 'inconclusive');
  assert.equal(causeOf({ operations: 99, attempts: 99, p50: 20 }), 'inconclusive');
  assert.equal(causeOf({ operations: 0, attempts: 0, p50: null }), 'inconclusive');
});

test('the requested rate limits an open loop, unless the client is full or the store refuses requests', () => {
  assert.equal(causeOf({ isOpenLoop: true, p50: 20 }), 'requested rate');
  assert.equal(classify({ ...PLAIN, isOpenLoop: true }).evidence, 'the store kept up, event loop 30% busy');
  assert.match(classify({ ...PLAIN, isOpenLoop: true, end: 'overloaded' }).evidence, /^the requested rate is too high/);
  assert.equal(causeOf({ isOpenLoop: true, startDelayP50: 50, startDelayP90: 50 }), 'requested rate');
  const kept = { ...PLAIN, isOpenLoop: true };
  for (const figures of [
    { ...kept, startDelayP50: 1, startDelayP90: 51 },
    { ...kept, failed: 200 },
    { ...kept, end: /** @type {const} */ ('stalled') },
  ]) {
    const { cause, evidence } = classify(figures);
    assert.equal(cause, 'inconclusive');
    assert.match(evidence, /the requested rate was not always kept, event loop 30% busy$/);
  }
  assert.equal(
    classify({ ...PLAIN, isOpenLoop: true, startDelayP50: 1512.3 }).evidence,
    'the requested rate was not kept: half of the operations started at least 1512.30ms late, event loop 30% busy',
  );
  assert.equal(
    causeOf({ isOpenLoop: true, eventLoopUtilization: 0.95, busyLoops: 0.95, cpuCores: 0.95 }),
    'client CPU',
  );
});

test('a plateau that stays the same with objects of half the size is the store’s', () => {
  const verdict = classify({ ...PLAIN, search: sizes(1000, 1003.1) });
  assert.equal(verdict.cause, 'store');
  assert.equal(
    verdict.evidence,
    'more than 23 threads brought no gain, 1,000.0/s of 16KiB and 1,003.1/s of 8KiB, event loop up to 30% busy',
  );
});

test('a store that has nothing to refuse at its peak, and refuses with more threads, throttles', () => {
  const refusals = { threads: 64, operations: 750, attempts: 1000, throttled: 250, backoffShare: 0.6 };
  const verdict = classify({ ...PLAIN, search: { ...sizes(1000, 1003.1), refusals } });
  assert.deepEqual(
    [verdict.cause, verdict.evidence],
    ['store throttling', '25.0% of 1,000 attempts refused with 64 threads, threads waited 60% of their time'],
  );
  assert.equal(causeOf({ search: { ...sizes(1000, 1003.1), refusals: { ...refusals, throttled: 5 } } }), 'store');
  assert.equal(causeOf({ search: { ...sizes(600, 1200), refusals } }), 'bandwidth');
  assert.equal(causeOf({ search: { ...PLATEAU, refusals } }), 'inconclusive');
});

test('a plateau in bytes is one of bandwidth', () => {
  assert.equal(causeOf({ search: sizes(600, 1200) }), 'bandwidth');
  assert.equal(causeOf({ search: sizes(600, 1050) }), 'bandwidth');
});

test('what lies between is inconclusive', () => {
  for (const half of [850, 1150, 1400, 1690, 2400]) {
    assert.equal(causeOf({ search: sizes(1000, half) }), 'inconclusive', String(half));
  }
});

test('sizes are not compared if the rate was different in the hold between them', () => {
  // Something on the host had slowed the step down.
  assert.equal(causeOf({ search: sizes(268.7, 500, 459.4) }), 'inconclusive');
  assert.equal(causeOf({ search: sizes(600, 1200, 650) }), 'bandwidth');
});

test('sizes are not compared where two steps of the same size differ', () => {
  for (const search of [sizes(1000, 1003), sizes(600, 1200)]) {
    for (const size of /** @type {const} */ (['whole', 'half'])) {
      const halfSize = /** @type {NonNullable<Search['halfSize']>} */ (search.halfSize);
      const spreadTo = (/** @type {number} */ spread) => ({
        search: { ...search, halfSize: { ...halfSize, [size]: { ...halfSize[size], spread } } },
      });
      assert.notEqual(causeOf(spreadTo(0.1)), 'inconclusive');
      const { cause, evidence, advice } = classify({ ...PLAIN, ...spreadTo(0.23) });
      assert.deepEqual([cause, advice], ['inconclusive', 'another run']);
      assert.match(evidence, /, but steps of the same size differed by up to 23%$/);
    }
  }
});

test('a plateau that was not held proves nothing, whatever an operation moves', () => {
  for (const movesBytes of [true, false]) {
    assert.equal(causeOf({ search: { ...sizes(1000, 1003), movesBytes, capacity: null } }), 'inconclusive');
  }
});

test('a plateau of operations without bodies is the store’s', () => {
  assert.equal(causeOf({ search: { ...PLATEAU, movesBytes: false } }), 'store');
  assert.equal(causeOf({ search: PLATEAU }), 'inconclusive');
});

test('a plateau does not prove the store if the client has no room left or errors took the time', () => {
  const search = { ...PLATEAU, movesBytes: false };
  assert.deepEqual(
    classify({ ...PLAIN, eventLoopUtilization: 0.8, search }).advice,
    'a host with more CPUs, or several hosts',
  );
  assert.equal(causeOf({ eventLoopUtilization: 0.8, search }), 'inconclusive');
  assert.equal(causeOf({ backoffShare: 0.4, search }), 'inconclusive');
  assert.equal(causeOf({ eventLoopUtilization: 0.95, busyLoops: 0.95, cpuCores: 0.95, search }), 'client CPU');
});

test('on a plateau quick operations are no sign of too few threads, and without one they are', () => {
  assert.equal(causeOf({ p50: 60, search: { ...PLATEAU, movesBytes: false } }), 'store');
  assert.equal(causeOf({ p50: 20, threads: 64, search: { ...PLATEAU, hasPlateau: false } }), 'concurrency');
  assert.equal(causeOf({ p50: 20, threads: 63, search: { ...PLATEAU, hasPlateau: false } }), 'inconclusive');
  assert.equal(causeOf({ p50: 60, search: { ...PLATEAU, hasPlateau: false } }), 'inconclusive');
});

const share = fc.double({ min: 0, max: 1, noNaN: true });
const rate = fc.double({ min: 0, max: 1e5, noNaN: true });
/** A share that the system may not report. */
const knownShare = fc.option(share, { freq: 8 });
const host = fc.record({
  cpu: fc.option(
    fc.record({
      cpus: fc.constant(8),
      usable: fc.integer({ min: 0, max: 8 }),
      busy: share,
      iowait: knownShare,
      steal: knownShare,
      busiest: share,
      others: fc.double({ min: 0, max: 8, noNaN: true }),
    }),
  ),
  loops: fc.array(
    fc.record({
      utilization: share,
      running: knownShare,
      waiting: knownShare,
      delayP50: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
      delayP99: fc.constant(null),
      garbageCollection: share,
    }),
    { maxLength: 3 },
  ),
  quota: fc.option(
    fc.record({ cores: fc.double({ min: 0.1, max: 8, noNaN: true }), throttled: share, heldBack: share }),
  ),
  pressure: knownShare,
  network: fc.option(
    fc.record({
      interface: fc.constantFrom('lo', 'eth0'),
      linkSpeed: fc.option(fc.constant(125_000_000)),
      received: fc.double({ min: 0, max: 1e9, noNaN: true }),
      sent: fc.double({ min: 0, max: 1e9, noNaN: true }),
      fullShare: knownShare,
    }),
  ),
  tcp: fc.option(fc.record({ sent: fc.nat(1e6), retransmitted: fc.nat(1000) })),
  endpoint: fc.option(fc.record({ cpu: fc.double({ min: 0, max: 8, noNaN: true }), running: share, waiting: share })),
});
const figures = fc.record({
  eventLoopUtilization: share,
  busyLoops: fc.double({ min: 0, max: 8, noNaN: true }),
  loops: fc.integer({ min: 1, max: 8 }),
  cpuCores: fc.double({ min: 0, max: 8, noNaN: true }),
  availableCores: fc.double({ min: 0.1, max: 16, noNaN: true }),
  operations: fc.nat(100_000),
  measured: fc.nat(1000),
  failed: fc.oneof(fc.constant(0), fc.nat(100_000)),
  throttled: fc.nat(100_000),
  backoffShare: share,
  p50: fc.option(fc.double({ min: 0.01, max: 1e4, noNaN: true })),
  mean: fc.option(fc.double({ min: 0.01, max: 1e4, noNaN: true })),
  minimum: fc.option(fc.double({ min: 0.01, max: 1e4, noNaN: true })),
  unloadedP50: fc.option(fc.double({ min: 0.01, max: 1e4, noNaN: true })),
  unloadedSize: fc.option(fc.constant(65_536)),
  threads: fc.integer({ min: 1, max: 10_000 }),
  isOpenLoop: fc.boolean(),
  end: fc.constantFrom('complete', 'overloaded', 'stopped', 'stalled', 'fatal'),
  startDelayP50: fc.option(fc.double({ min: 0, max: 1e5, noNaN: true })),
  startDelayP90: fc.option(fc.double({ min: 0, max: 1e5, noNaN: true })),
  openedShare: share,
  host: fc.option(host),
  search: fc.option(
    fc.record({
      hasPlateau: fc.boolean(),
      holdAgrees: fc.boolean(),
      best: rate,
      capacity: fc.option(rate.map(capacityOf)),
      knee: fc.option(fc.integer({ min: 1, max: 1000 })),
      maxThreads: fc.integer({ min: 1, max: 10_000 }),
      limitingResource: fc.constantFrom('threads', 'time', 'objects', 'leftovers', 'dollars', null),
      movesBytes: fc.boolean(),
      halfSize: fc.option(fc.tuple(rate, rate).map(([whole, half]) => sizes(whole, half).halfSize)),
      busyHost: fc.constant(null),
      refusals: fc.record({
        threads: fc.integer({ min: 1, max: 10_000 }),
        operations: fc.nat(100_000),
        attempts: fc.integer({ min: 1, max: 100_000 }),
        throttled: fc.nat(100_000),
        backoffShare: share,
      }),
    }),
  ),
});

test('a hold that does not agree with the steps shows nothing', () => {
  for (const hasPlateau of [true, false]) {
    const search = { ...PLATEAU, hasPlateau, holdAgrees: false, capacity: capacityOf(412.5), movesBytes: false };
    const { cause, evidence, advice } = classify({ ...PLAIN, p50: 20, threads: 64, search });
    assert.deepEqual([cause, advice], ['inconclusive', 'another run']);
    assert.match(
      evidence,
      /^412\.5\/s in the hold, but 1,000\.0\/s in the best step before it, event loop up to 30% busy$/,
    );
  }
});

test('a host without CPU to spare is named when it may be why the hold did not agree', () => {
  const figuresOfHost = hostWith({ running: 0.4, waiting: 0.35 });
  const busyHost = { host: figuresOfHost.host ?? null, cpuCores: 0.4, loops: 1 };
  const search = { ...PLATEAU, hasPlateau: false, holdAgrees: false, capacity: capacityOf(412.5), busyHost };
  const { cause, evidence, advice } = classify({ ...PLAIN, search });
  assert.deepEqual([cause, advice], ['inconclusive', 'a store on another host, or an idle host']);
  assert.match(evidence, /^412\.5\/s in the hold and 1,000\.0\/s in the best step before it, but this host had too/);
});

test('nothing is concluded about the number of threads if a host without CPU to spare may also have slowed the one thread', () => {
  const quick = { p50: 21, unloadedP50: 20 };
  assert.equal(causeOf({ ...quick, ...hostWith({ running: 0.3, waiting: 0.1 }) }), 'concurrency');
  assert.equal(causeOf({ ...quick, ...hostWith({ running: 0.3, waiting: 0.25 }) }), 'inconclusive');
  assert.equal(
    causeOf({ ...quick, ...hostWith({ running: 0.1, waiting: 0.25 }) }),
    'concurrency',
    'there was room for one',
  );
  const crowded = hostWith({ running: 0.05, waiting: 0.1 }, { cpu: { ...IDLE_CPU, others: 1.9 } });
  assert.match(classify({ ...PLAIN, ...quick, ...crowded }).evidence, /, but this host had too little CPU: /);
});

test('the evidence of a search with too few operations names what it lacked', () => {
  const search = { ...PLATEAU, hasPlateau: false, limitingResource: /** @type {const} */ ('dollars') };
  assert.equal(classify({ ...PLAIN, operations: 20, search }).advice, 'a higher --max-cost');
  assert.equal(classify({ ...PLAIN, operations: 20 }).advice, 'more <objects>');
});

test('the evidence of a search without a plateau names what it lacked', () => {
  const adviceFor = (/** @type {Search['limitingResource']} */ limitingResource) =>
    classify({ ...PLAIN, search: { ...PLATEAU, hasPlateau: false, limitingResource } }).advice;
  assert.equal(adviceFor('threads'), 'more <threads> and <objects>');
  assert.equal(adviceFor('objects'), 'more <objects>');
  assert.equal(adviceFor('dollars'), 'a higher --max-cost');
  assert.equal(adviceFor('leftovers'), 'more objects left by Write');
  assert.equal(adviceFor('time'), null);
  assert.equal(adviceFor(null), 'another run');
});

test('whatever the figures, a bottleneck is complete and fits on one line', () => {
  fc.assert(
    fc.property(figures, (drawn) => {
      const evidence = { ...drawn, attempts: drawn.operations + drawn.throttled };
      const { cause, evidence: words, advice } = classify(evidence);
      const { eventLoopUtilization, p50, unloadedP50, search } = evidence;
      // The log takes 600 characters, followed by the advice.
      assert.match(words, /^[\x20-\x7e]{1,520}$/);
      assert.ok(advice === null || /^[\x20-\x7e]{1,40}$/.test(advice));
      const busiest = busiestThread(evidence);
      const known = busiest !== null;
      const demand = known ? busiest.running + busiest.waiting : NaN;
      const isShort = demand >= 0.85 && Number(busiest?.waiting) >= 0.15;
      const isFull = known ? Number(busiest?.running) >= 0.85 || isShort : eventLoopUtilization >= 0.9;
      const endpoint = busierEndpoint(evidence) ?? { running: 0, waiting: 0 };
      const endpointDemand = search === null && known ? endpoint.running + endpoint.waiting : 0;
      const isEndpointLimit = !isFull && endpointDemand >= 0.85 && endpointDemand > demand;
      if (cause === 'client CPU' || (cause === 'host CPU' && !isEndpointLimit)) {
        assert.ok(isFull && (known || evidence.cpuCores > 0));
      } else if (cause !== 'inconclusive') {
        assert.ok(!isFull);
      }
      if (cause === 'host CPU') {
        const waits = [isEndpointLimit ? endpoint : null, busiest].map((each) => Number(each?.waiting));
        assert.ok(known && waits.some((waiting) => waiting >= 0.15));
      }
      if (cause === 'network link') {
        assert.ok(known && demand < 0.8 && Number(evidence.host?.network?.fullShare) >= 0.8);
      }
      if (cause === 'beyond this host') {
        assert.ok(known && demand < 0.7 && Number(evidence.host?.cpu?.busiest) <= 0.9);
        const latency = Number(evidence.mean) > 2 * Number(p50) ? evidence.mean : p50;
        assert.ok(Number(latency) >= 1.5 * Number(unloadedP50) && evidence.backoffShare <= 0.2);
        assert.ok(
          search === null &&
            (endpoint.running + endpoint.waiting < 0.7 || endpoint.running + endpoint.waiting <= demand),
        );
      }
      if (cause === 'store throttling') {
        const refused = [evidence, ...(search?.hasPlateau ? [search.refusals] : [])];
        assert.ok(
          refused.some(
            ({ attempts, throttled, backoffShare }) =>
              throttled > 0 && (backoffShare >= 0.2 || throttled >= 0.2 * attempts),
          ),
        );
      }
      if (cause === 'concurrency') {
        assert.ok(Number(p50) <= 1.2 * Number(unloadedP50) && !search?.hasPlateau && !evidence.isOpenLoop);
      }
      if (cause === 'store' || cause === 'bandwidth') {
        const isEndpoint = cause === 'store' && isEndpointLimit && endpoint.running >= 0.85;
        assert.ok(isEndpoint || (search?.hasPlateau && eventLoopUtilization <= 0.75));
        assert.ok(evidence.backoffShare < 0.2);
      }
      if (cause === 'store' && search !== null) {
        const { operations, attempts, throttled, backoffShare } = search.refusals;
        const areMostFailures = throttled > 0 && throttled >= 0.8 * (attempts - operations);
        assert.ok(!(areMostFailures && throttled >= 0.2 * attempts));
        assert.ok(!(areMostFailures && throttled >= 0.01 * attempts && backoffShare >= 0.2));
      }
      if (cause === 'bandwidth') {
        assert.ok(search?.movesBytes && search.halfSize !== null);
      }
    }),
    { numRuns: cases(5000) },
  );
});
