import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { classify } from '../../lib/result/bottleneck/classify.js';
import { cases } from '../helpers/cases.js';
import { NO_HOST_LOAD, loopLoad } from '../helpers/host-load.js';

/**
 * @import { Evidence, RateSearch, Search } from '../../lib/result/bottleneck/classify.js'
 * @import { HostLoad, LoopLoad } from '../../lib/result/result.js'
 */

/** CPUs of a host that runs little besides the client. */
const IDLE_CPU = Object.freeze({ cpus: 2, usable: 2, busy: 0.3, steal: 0, busiest: 0.4, others: 0.1 });

/**
 * @param {Partial<LoopLoad>} [loop] of the only event loop
 * @param {Partial<HostLoad>} [others]
 * @returns {HostLoad}
 */
function hostWith(loop = {}, others = {}) {
  const loops = [loopLoad(0.3, { running: 0.3, waiting: 0.01, delayP50: 1, ...loop })];
  return { ...NO_HOST_LOAD, cpu: IDLE_CPU, loops, ...others };
}

/** @param {Partial<NonNullable<HostLoad['cpu']>>} cpu */
function cpuWith(cpu) {
  return { cpu: { ...IDLE_CPU, ...cpu } };
}

/** Operations that take three times as long as one alone, while the host has time left. @type {Evidence} */
const WAITING = Object.freeze({
  eventLoopUtilization: 0.3,
  busyLoops: 0.3,
  socketWait: 0,
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
  average: 200,
  requestedRate: null,
  end: 'complete',
  startDelayP50: null,
  startDelayP90: null,
  keyWait: 0,
  openedShare: 0,
  host: hostWith(),
  search: null,
  rateSearch: null,
});

const QUICK = Object.freeze({ p50: 21, mean: 22 });
const FULL = Object.freeze({ eventLoopUtilization: 0.97, busyLoops: 0.97, cpuCores: 0.98, host: null });
const REFUSING = Object.freeze({ operations: 42_281, attempts: 48_211, throttled: 5930, backoffShare: 0.61 });
const OPEN = Object.freeze({ requestedRate: 300, startDelayP50: 1, startDelayP90: 2, average: 299.6 });
const LATE = Object.freeze({ ...OPEN, average: 200, startDelayP50: 1512.3, startDelayP90: 2000 });

/** Others keep the CPUs busy, but the client's event loop has time left. */
const CROWDED = hostWith(
  { running: 0.25, waiting: 0.1 },
  cpuWith({ steal: 0.22, busy: 0.75, busiest: 0.97, others: 1.2 }),
);
const STARVED = hostWith({ running: 0.55, waiting: 0.38 }, cpuWith({ others: 1.4 }));
const NETWORK = { interface: 'eth0', linkSpeed: 12_500_000, received: 12_400_000, sent: 100_000, fullShare: 0.9 };

/** @type {Search} */
const PLATEAU = Object.freeze({
  hasPlateau: true,
  holdAgrees: true,
  best: 1000,
  capacity: { operationsPerSecond: 1000, low: 990, high: 1010, confidence: 0.95, threads: 64, seconds: 10 },
  knee: 23,
  maxThreads: 64,
  limitingResource: null,
  movesBytes: true,
  halfSize: null,
  refusals: Object.freeze({ threads: 64, operations: 1000, attempts: 1000, throttled: 0, backoffShare: 0 }),
  busyHost: null,
});

/** @type {Search} */
const NO_PLATEAU = Object.freeze({ ...PLATEAU, hasPlateau: false, capacity: null });

/**
 * @param {number} whole operations per second with 16 KiB
 * @param {number} half with 8 KiB
 * @param {{ held?: number, spread?: number }} [steps] `held`: with 16 KiB
 * @returns {{ search: Search }}
 */
function sizes(whole, half, { held = whole, spread = 0 } = {}) {
  const halfSize = {
    whole: { size: 16_384, operationsPerSecond: whole, spread },
    half: { size: 8192, operationsPerSecond: half, spread: 0 },
    held,
  };
  return { search: { ...PLATEAU, halfSize } };
}

/** @param {Partial<RateSearch>} found */
function rates(found) {
  const limits = { slo: 50, rate: 400, interval: null, limitingResource: null, isClientLimited: false };
  return { ...OPEN, rateSearch: { ...limits, missedBy: /** @type {const} */ ('latency'), ...found } };
}

/**
 * For each finding: the figures, and how a user reads it.
 *
 * @type {readonly (readonly [limit: string, figures: Partial<Evidence>, evidence?: RegExp, advice?: string | null])[]}
 */
const FINDINGS = [
  [
    'unknown inconclusive',
    { keyWait: 0.1 },
    /^threads waited 10% of the time for a key/,
    'a larger number of <objects>',
  ],
  ['proven beyond this host', { keyWait: 0.09 }],

  // Errors, unless they are refusals.
  ['unknown inconclusive', { operations: 191, failed: 809 }, /^809 of 1,000 operations failed, /, null],
  ['unknown inconclusive', { operations: 0, measured: 0, failed: 50, p50: null }, /^50 of 50 operations failed/, null],
  ['proven beyond this host', { failed: 1000 }],
  ['unknown inconclusive', { backoffShare: 0.4 }, /threads lost 40% of their time to failed attempts$/, null],
  ['unknown inconclusive', { ...OPEN, end: 'stalled' }, /^operations stopped succeeding: /, null],

  // Few operations.
  [
    'unknown inconclusive',
    { measured: 99 },
    /^only 99 measured operations, too few/,
    'a longer stage, or a shorter --warmup',
  ],
  [
    'unknown inconclusive',
    { measured: 20, search: { ...NO_PLATEAU, limitingResource: 'dollars' } },
    /^only 20 measured /,
    'a higher --max-cost',
  ],
  ['unknown inconclusive', { operations: 20, measured: 20, ...OPEN, speed: 2 }, /^only 20 operations/, 'a longer log'],

  [
    'proven client sockets',
    { socketWait: 0.884 },
    /^88% of the latency was spent waiting for one of 50 sockets$/,
    'a larger maxSockets of the agent',
  ],

  // A fixed rate.
  ['proven requested rate', { ...OPEN }, /^the store kept up, event loop 30% busy$/, 'a higher --rate'],
  [
    'proven requested rate',
    { ...OPEN, speed: 2, busiestMinute: 300 },
    /^the store kept up with 2 times your traffic: busiest minute 300\.0 ops\/s, event loop 30% busy$/,
    'a higher --speed',
  ],
  [
    'proven requested rate',
    { ...OPEN, speed: 2, busiestMinute: 300, end: 'stopped' },
    /^the store kept up, event loop 30% busy$/,
    'a higher --speed',
  ],
  ['proven requested rate', { ...OPEN, startDelayP50: 50, startDelayP90: 50 }],
  [
    'proven overloaded',
    { ...LATE },
    /^200 of 300 ops\/s kept, half of the operations started up to 1512\.30ms late, 90% up to 2000\.00ms, 0 of 10,000 /,
    'more <threads>, or a lower --rate',
  ],
  ['proven overloaded', { ...OPEN, end: 'overloaded' }],
  ['likely overloaded', { ...OPEN, startDelayP90: 51 }, /^300 of 300 ops\/s kept, /],
  ['likely overloaded', { ...OPEN, failed: 200 }],
  [
    'proven overloaded',
    { ...LATE, ...FULL },
    /^200 of 300 ops\/s kept, limited by the client's CPU: event loop busy 97% of the time/,
    'a host with more CPUs, or several hosts',
  ],
  ['proven overloaded', { ...LATE, ...REFUSING }, / kept, limited by the store, which refused requests: 12\.3% of/],
  [
    'proven overloaded',
    { ...LATE, host: CROWDED },
    / kept, likely limited by the CPU of the host: median .* and this host had /,
  ],
  ['proven client CPU', { ...OPEN, ...FULL }],

  // A store that refuses requests.
  [
    'proven store throttling',
    { ...REFUSING },
    /^12\.3% of 48,211 attempts refused with 50 threads, threads waited 61% of their time$/,
    'fewer <threads>, or more buckets',
  ],
  ['proven store throttling', { ...OPEN, ...REFUSING }, /./, 'a lower --rate, or more buckets'],
  ['proven store throttling', { ...OPEN, ...REFUSING, speed: 2 }, /./, 'a lower --speed, or more buckets'],
  ['proven store throttling', { operations: 0, measured: 0, failed: 1000, attempts: 1000, throttled: 1000, p50: null }],
  ['proven store throttling', { operations: 512, attempts: 2000, throttled: 1488, backoffShare: 0.1 }],
  ['likely store throttling', { ...REFUSING, ...FULL }, /, but event loop busy 97% of the time/],
  ['likely store throttling', { throttled: 100, backoffShare: 0.1 }, /^1\.0% of 10,000 attempts refused/],
  ['proven beyond this host', { throttled: 99, backoffShare: 0.1 }],
  ['unknown inconclusive', { operations: 1500, attempts: 1576, throttled: 37, backoffShare: 0.82 }],
  [
    'proven store throttling',
    {
      search: {
        ...PLATEAU,
        refusals: { threads: 64, operations: 750, attempts: 1000, throttled: 250, backoffShare: 0.6 },
      },
    },
    /^25\.0% of 1,000 attempts refused with 64 threads/,
  ],

  // A full event loop.
  ['proven client CPU', { ...FULL }, /^event loop busy 97% of the time, 0\.98 CPU cores used$/],
  ['proven client CPU', { host: hostWith({ running: 0.86, waiting: 0.02 }), busyLoops: 0.9 }],
  [
    'proven client CPU',
    { cpuCores: 0.98, host: hostWith({ running: 0.65, waiting: 0.34 }, cpuWith({ usable: 1, others: 0 })) },
  ],
  // Seen: the kernel's work on the client's packets counts for no process.
  [
    'proven client CPU',
    { cpuCores: 0.83, host: hostWith({ running: 0.86, waiting: 0.13 }, cpuWith({ usable: 1, others: 0 })) },
  ],
  [
    'proven client CPU',
    { cpuCores: 0.83, host: hostWith({ running: 0.82, waiting: 0.18 }, cpuWith({ usable: 1, others: 0 })) },
  ],
  ['likely client CPU', { ...FULL, isShared: true }, /, but the process also did other work$/, 'a separate process'],
  [
    'likely client CPU',
    { ...FULL, loops: 4, busyLoops: 2.75, cpuCores: 2.75 },
    / busy only 69% of the time/,
    'fewer --cores',
  ],
  [
    'likely client CPU',
    { ...sizes(1000, 1003), eventLoopUtilization: 0.8 },
    /, but more than 23 threads brought no gain/,
  ],
  [
    'proven host CPU',
    { host: STARVED },
    /^this host had too little CPU: event loop ran 55% of the time and waited for a CPU 38%, 2 CPUs 85% busy, other processes used 1\.40 of them$/,
    'a store on another host, or an idle host',
  ],
  ['likely host CPU', { host: hostWith({ running: 0.5, waiting: 0.45 }) }, /, but what used it is unknown$/],
  ['likely host CPU', { ...FULL, cpuCores: 0.5 }],
  [
    'proven host CPU',
    { host: hostWith({ running: 0.5, waiting: 0.45 }, { quota: { cores: 0.5, throttled: 0.48, heldBack: 0.4 } }) },
    /, throttled by a CPU quota of 0\.50 cores in 48% of its periods$/,
    'a larger CPU quota',
  ],
  [
    // Seen: the hypervisor took the CPU from a thread that was reported as neither running nor waiting.
    'proven host CPU',
    {
      cpuCores: 0.56,
      host: hostWith({ running: 0.38, waiting: 0.35 }, cpuWith({ busy: 0.56, steal: 0.42, others: 0 })),
    },
    / waited for a CPU 62%, .* 42% taken by the hypervisor$/,
  ],

  // A store on this host.
  [
    'proven store',
    { host: hostWith({}, { endpoint: { cpu: 1.02, running: 0.97, waiting: 0.02 } }) },
    /^the store shares this host: the embedded endpoint's event loop ran 97% of the time/,
    'a store on another host, or an idle host',
  ],
  ['likely store', { host: hostWith({}, { endpoint: { cpu: 0.7, running: 0.75, waiting: 0.05 } }) }],
  [
    'proven host CPU',
    { host: hostWith({}, { ...cpuWith({ others: 1.71 }), endpoint: { cpu: 0.7, running: 0.55, waiting: 0.44 } }) },
    /the embedded endpoint's event loop ran 55% .*others?.* used 1\.71 of them \(the embedded endpoint 0\.70\)$/,
  ],
  ['likely host CPU', { host: hostWith({}, { endpoint: { cpu: 0.7, running: 0.55, waiting: 0.44 } }) }],
  [
    'likely beyond this host',
    {
      host: hostWith(
        {},
        { ...cpuWith({ others: 1.25 }), network: { ...NETWORK, interface: 'lo', linkSpeed: null, fullShare: null } },
      ),
    },
    /, but this host had too little CPU/,
  ],

  // A host without CPU to spare.
  ['likely host CPU', { p50: 29, host: hostWith({ running: 0.38, waiting: 0.42 }, cpuWith({ others: 1.6 })) }],
  ['likely beyond this host', { host: CROWDED }, /, but this host had too little CPU$/, '--find-peak, or two hosts'],
  ['likely beyond this host', { host: hostWith({}, cpuWith({ busiest: 0.95 })) }],
  ['likely concurrency', { ...QUICK, host: CROWDED }, /, but this host had too little CPU/, 'more <threads>'],
  [
    'likely store',
    { ...sizes(1000, 1003), host: CROWDED },
    /^more than 23 threads .*, but this host had/,
    'more buckets',
  ],
  ['likely network link', { host: hostWith({}, { ...cpuWith({ others: 1.7 }), network: NETWORK }) }],
  [
    'likely host CPU',
    { p50: 25, mean: 25, host: CROWDED },
    /^median latency 25\.00ms .*, and this host had too little CPU/,
  ],
  [
    'likely host CPU',
    {
      search: {
        ...PLATEAU,
        movesBytes: true,
        busyHost: { host: hostWith({ running: 0.4, waiting: 0.35 }), cpuCores: 0.4, loops: 1 },
      },
    },
    /ran 40% of the time and waited for a CPU 35%/,
  ],

  // Operations that wait.
  [
    'proven network link',
    { host: hostWith({}, { network: NETWORK }) },
    /^eth0 was saturated 90% of the time: 11\.8MiB\/s received and 0\.1MiB\/s sent, link speed 11\.9MiB\/s$/,
    'a faster link, or several hosts',
  ],
  ['proven beyond this host', { host: hostWith({}, { network: { ...NETWORK, fullShare: 0.7 } }) }],
  [
    'proven beyond this host',
    { host: hostWith({}, { tcp: { sent: 995, retransmitted: 5 } }) },
    /^median latency 60\.00ms with 50 threads, 20\.00ms with one, while the client waited .* 0\.50% of TCP segments retransmitted$/,
    '--find-peak, or two hosts',
  ],
  // Seen: a queue of 166 ms after a client whose hypervisor took 31% of the CPUs.
  ['proven beyond this host', { p50: 166, unloadedP50: 7, host: hostWith({ running: 0.18, waiting: 0.24 }) }],
  ['proven beyond this host', { p50: 21, mean: 200 }, /, but the mean is 200\.00ms, /],
  ['likely beyond this host', { host: hostWith({ running: null }) }, /does not report all figures of the host$/],
  ['likely beyond this host', { host: hostWith({ delayP50: null }) }],
  ['unknown inconclusive', { host: hostWith({ running: 0.7 }) }, /, event loop ran 70% of the time/, '--find-peak'],
  ['unknown inconclusive', { host: hostWith({ delayP50: 15 }) }],
  [
    'unknown inconclusive',
    { p50: 29, mean: 29 },
    /^median latency 29\.00ms with 50 threads, 20\.00ms with one, event loop/,
  ],
  ['unknown inconclusive', { unloadedSize: 1024 }, /, 20\.00ms with one and objects of 1KiB, /],
  ['unknown inconclusive', { openedShare: 0.5 }, /^50% of the attempts .* new connection$/, 'keep-alive connections'],
  ['likely beyond this host', { p50: 20, mean: 51.86, host: null }, /, but the mean is 51\.86ms, /],

  // Too few threads.
  [
    'proven concurrency',
    { ...QUICK },
    /^median latency 21\.00ms .*: too few threads to reach a limit$/,
    'more <threads>',
  ],
  ['proven concurrency', { p50: 23, mean: 23, unloadedSize: 1024 }],
  ['likely concurrency', { p50: 15, mean: 15 }, /, but the latency with one thread is unknown or was slowed down$/],
  ['unknown inconclusive', { p50: 9, mean: 9 }],
  ['likely concurrency', { p50: 17, mean: 17, unloadedP50: null }],
  ['unknown inconclusive', { unloadedP50: null }],
  ['likely concurrency', { ...QUICK, host: hostWith({ running: 0.45, waiting: 0.06 }) }],
  ['proven concurrency', { ...QUICK, threads: 64, search: NO_PLATEAU }],
  ['unknown inconclusive', { ...QUICK, threads: 63, search: NO_PLATEAU }],
  [
    'likely concurrency',
    { p50: 29, mean: 29, search: { ...NO_PLATEAU, limitingResource: 'threads' } },
    /, but no plateau was reached$/,
  ],
  [
    'unknown inconclusive',
    { search: { ...NO_PLATEAU, limitingResource: 'threads' } },
    /^no plateau /,
    'more <threads> and <objects>',
  ],
  ['unknown inconclusive', { search: { ...NO_PLATEAU, limitingResource: 'time' } }, / in the time allowed: /, null],
  ['proven beyond this host', { threads: 1 }, /^median latency 60\.00ms with 1 thread, 20\.00ms before the run, /],

  // A plateau.
  [
    'proven store',
    sizes(1000, 1003.1),
    /^more than 23 threads brought no gain, 1,000\.0\/s of 16KiB and 1,003\.1\/s of 8KiB, event loop up to 30% busy$/,
    'more buckets',
  ],
  ['proven store', { search: { ...PLATEAU, movesBytes: false } }],
  ['proven bandwidth', sizes(600, 1050), /./, 'smaller objects, or several hosts'],
  ['proven bandwidth', sizes(600, 1200, { held: 650 })],
  [
    'likely beyond this host',
    sizes(1000, 1400),
    /, but the rates with two object sizes fit neither the store nor bandwidth$/,
    'another run',
  ],
  ['likely beyond this host', sizes(268.7, 500, { held: 459.4 })],
  ['likely beyond this host', sizes(1000, 1003, { spread: 0.23 })],
  [
    'likely beyond this host',
    { search: PLATEAU },
    /, but no objects of half the size were tried$/,
    'a Write stage with enough <objects>',
  ],
  [
    'likely beyond this host',
    { search: { ...PLATEAU, capacity: null, limitingResource: 'dollars' } },
    /not held long enough$/,
    'a higher --max-cost',
  ],
  [
    'unknown inconclusive',
    { ...QUICK, search: { ...PLATEAU, movesBytes: false } },
    /^more than 23 threads .*: median latency 21/,
    'another run',
  ],
  [
    'likely beyond this host',
    { search: { ...PLATEAU, hasPlateau: false, holdAgrees: false } },
    /, but 1,000\.0\/s in the hold, but 1,000\.0\/s in the best step before it$/,
  ],
  [
    'unknown inconclusive',
    { ...QUICK, threads: 64, search: { ...PLATEAU, hasPlateau: false, holdAgrees: false } },
    /./,
    'another run',
  ],

  // A search over rates.
  [
    'proven beyond this host',
    rates({}),
    /^responses took longer than --slo above about 400\.0\/s, event loop 30% busy$/,
    'two hosts',
  ],
  ['likely beyond this host', { ...rates({}), host: CROWDED }],
  ['proven client CPU', { ...rates({}), ...FULL }],
  ['proven store throttling', rates({ missedBy: 'refusals' }), /^the store refused requests above about 400\.0\/s$/],
  ['unknown inconclusive', rates({ missedBy: 'errors' }), /^too many attempts failed above about 400\.0\/s$/],
  [
    'unknown inconclusive',
    rates({ missedBy: null, limitingResource: 'objects' }),
    /^the store kept up with every /,
    'more <objects>',
  ],
  [
    'likely concurrency',
    rates({ missedBy: null, isClientLimited: true }),
    /^all threads were waiting/,
    'more <threads>',
  ],
  ['likely host CPU', { ...rates({ isClientLimited: true }), eventLoopUtilization: 0.8 }],

  // Stages that ended early get no advice that could not have helped.
  ['unknown inconclusive', { p50: 29, mean: 29, end: 'stopped' }, /^stopped before its end: median/, null],
  ['proven concurrency', { ...QUICK, end: 'unpaid' }, /^median latency/, 'more <threads>'],
];

test('each finding has its figures, likely cause, evidence and advice', () => {
  for (const [limit, figures, evidence = /./, advice] of FINDINGS) {
    const found = classify({ ...WAITING, ...figures });
    const what = JSON.stringify(figures);
    assert.equal(`${found.certainty} ${found.cause}`, limit, `${what}: ${found.evidence}`);
    assert.match(found.evidence, evidence);
    if (advice !== undefined) {
      assert.equal(found.advice, advice, what);
    }
  }
});

const share = fc.double({ min: 0, max: 1, noNaN: true });
const milliseconds = fc.option(fc.double({ min: 0.01, max: 1e4, noNaN: true }));
const loop = fc.record({ running: fc.option(share, { freq: 8 }), waiting: share, delayP50: milliseconds });
const host = fc
  .tuple(
    loop,
    share,
    fc.double({ min: 0, max: 2, noNaN: true }),
    fc.option(fc.record({ cpu: share, running: share, waiting: share })),
  )
  .map(([thread, busiest, others, endpoint]) =>
    hostWith(thread, { ...cpuWith({ busiest, others }), ...(endpoint === null ? {} : { endpoint }) }),
  );
const search = fc
  .record({ hasPlateau: fc.boolean(), holdAgrees: fc.boolean(), movesBytes: fc.boolean() })
  .map((found) => ({ ...PLATEAU, ...found, hasPlateau: found.hasPlateau && found.holdAgrees }));
const anyFigures = fc.record({
  eventLoopUtilization: share,
  cpuCores: share,
  operations: fc.nat(100_000),
  measured: fc.nat(1000),
  failed: fc.oneof(fc.constant(0), fc.nat(100_000)),
  throttled: fc.nat(100_000),
  backoffShare: share,
  p50: milliseconds,
  mean: milliseconds,
  unloadedP50: milliseconds,
  requestedRate: fc.option(fc.constant(300)),
  startDelayP50: milliseconds,
  startDelayP90: milliseconds,
  openedShare: share,
  host: fc.option(host, { freq: 8 }),
  search: fc.option(search),
});

test('whatever the figures, a bottleneck fits on one line, and nothing contradicts a proof', () => {
  fc.assert(
    fc.property(anyFigures, (drawn) => {
      const evidence = { ...WAITING, ...drawn, attempts: drawn.operations + drawn.throttled };
      const { cause, certainty, evidence: words, advice } = classify(evidence);
      // The log takes 600 characters, followed by the advice.
      assert.match(words, /^[\x20-\x7e]{1,520}$/);
      assert.ok(advice === null || /^[\x20-\x7e]{1,40}$/.test(advice));
      if (certainty !== 'proven') {
        return;
      }
      const { running, waiting } = evidence.host?.loops[0] ?? { running: null, waiting: null };
      const demand = running === null ? evidence.eventLoopUtilization : running + Number(waiting);
      const isFull = demand >= 0.85;
      assert.ok(cause !== 'client CPU' || isFull);
      assert.ok(!['concurrency', 'beyond this host', 'bandwidth'].includes(cause) || !isFull);
      assert.ok(cause !== 'beyond this host' || (demand < 0.7 && drawn.requestedRate === null));
      assert.ok(cause !== 'store throttling' || drawn.throttled > 0);
      assert.ok(cause !== 'requested rate' || (drawn.requestedRate !== null && Number(drawn.startDelayP90) <= 50));
      assert.ok(cause !== 'concurrency' || Number(drawn.p50) <= 1.2 * Number(drawn.unloadedP50));
    }),
    { numRuns: cases(5000) },
  );
});
