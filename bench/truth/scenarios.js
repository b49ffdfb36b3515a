import { canCapLinks } from './capped-link.js';
import { canPin } from './pinned.js';
import { canLimitCpu } from './quota-group.js';

/**
 * @import { EndpointScript } from './scripted-endpoint.js'
 *
 * @typedef {object} Scenario a run with a deliberate limit
 * @property {string} name
 * @property {EndpointScript} endpoint
 * @property {number} rate maximum ops/s, for the number of objects
 * @property {number} threads
 * @property {string} stages of a plain run; a search uses only the first one
 * @property {readonly string[]} options
 * @property {boolean} [isPinned] client and endpoint each stay on a separate core
 * @property {boolean} [isRobbed] another process constantly runs on the client's core
 * @property {number} [quota] cores that the control group allows the client
 * @property {number} [linkSpeed] bits/s between client and endpoint
 * @property {number} [distance] round-trip time in ms
 * @property {Partial<Scenario>} [otherwise] substitute for a machine that cannot set it up
 * @property {{ plain?: Truth, search?: Truth }} causes expected causes
 *
 * @typedef {object} Truth causes that a run is allowed to report
 * @property {string} right
 * @property {readonly string[]} supersets causes that also hold, but are less specific
 * @property {string} [underSteal] a cause that also holds if the hypervisor takes CPU time
 */

export const CLIENT_CORE = 1;
const ENDPOINT_CORE = 0;

const SMALL = Object.freeze(['--size', '1KiB']);
const BEYOND = 'beyond this host';

/** The client that uses the most CPU time: several times as much as the endpoint. */
const STARVED = Object.freeze({
  endpoint: { place: { core: ENDPOINT_CORE } },
  threads: 50,
  stages: 'write,stat',
  options: Object.freeze([...SMALL, '--client', 'sdk', '--cores', '1']),
  isPinned: true,
});

/** A client with room to spare. */
const ROOMY = Object.freeze({ threads: 50, stages: 'write,read', options: SMALL });

/** A limit on bytes. */
const NARROW = Object.freeze({ threads: 50, stages: 'write,read', options: Object.freeze(['--size', '16KiB']) });

/** If the hypervisor takes CPU time, then the host also has too little CPU. @type {Truth} */
const NO_CPU = Object.freeze({ ...only('client CPU'), underSteal: 'host CPU' });

/** @type {readonly Scenario[]} */
const SCENARIOS = [
  ...withVariants(
    {
      ...STARVED,
      name: 'client starved',
      rate: 1000,
      causes: { plain: NO_CPU, search: NO_CPU },
    },
    [{ name: '200 threads', threads: 200 }],
  ),
  ...withVariants(
    {
      ...STARVED,
      name: 'client that shares its core',
      rate: 500,
      isRobbed: true,
      causes: { plain: only('host CPU'), search: only('host CPU') },
    },
    [{ name: '200 threads', threads: 200 }],
  ),
  ...withVariants(
    {
      ...STARVED,
      name: 'client with a quota of half a core',
      rate: 400,
      quota: 0.5,
      causes: { plain: only('host CPU') },
    },
    [{ name: '0.3 cores', quota: 0.3, rate: 250 }],
  ),
  ...withVariants(
    {
      ...NARROW,
      name: 'link of 100 Mbit/s',
      endpoint: { faults: '' },
      rate: 700,
      linkSpeed: 100e6,
      otherwise: {
        name: 'link of 100 Mbit/s (the endpoint holds back)',
        endpoint: { faults: 'bandwidth=12MB' },
        linkSpeed: undefined,
      },
      // The tool cannot know the speed of the link, so it cannot detect that the link is full.
      causes: { plain: only(BEYOND) },
    },
    [
      {
        name: '50 Mbit/s',
        rate: 350,
        linkSpeed: 50e6,
        otherwise: {
          name: 'link of 50 Mbit/s (the endpoint holds back)',
          endpoint: { faults: 'bandwidth=6MB' },
          linkSpeed: undefined,
        },
      },
    ],
  ),
  ...withVariants(
    {
      ...ROOMY,
      name: 'too few threads',
      endpoint: { faults: 'latency=20ms' },
      rate: 250,
      threads: 5,
      causes: { plain: only('concurrency'), search: only('concurrency') },
    },
    [
      { name: 'one, 10 ms', threads: 1, rate: 100, endpoint: { faults: 'latency=10ms' } },
      { name: 'two, 50 ms', threads: 2, rate: 40, endpoint: { faults: 'latency=50ms' } },
      { name: '20, 100 ms', threads: 20, rate: 200, endpoint: { faults: 'latency=100ms' } },
      { name: '5, random 20 ms', endpoint: { faults: 'latency=lognormal:20ms:0.3' } },
    ],
  ),
  ...withVariants(
    {
      ...ROOMY,
      name: 'slow path of 30 ms',
      endpoint: { faults: '' },
      rate: 300,
      threads: 10,
      distance: 30,
      causes: { plain: { right: 'concurrency', supersets: [BEYOND] } },
    },
    [
      { name: '10 ms', threads: 5, rate: 400, distance: 10 },
      { name: '80 ms', threads: 20, rate: 240, distance: 80 },
    ],
  ),
  ...withVariants(
    {
      ...ROOMY,
      name: 'throttling bucket',
      endpoint: { faults: 'rate=300,latency=5ms' },
      rate: 350,
      causes: { plain: only('store throttling'), search: only('store throttling') },
    },
    [
      { name: '100 per second', rate: 150, endpoint: { faults: 'rate=100,latency=5ms' } },
      { name: '200 threads', threads: 200 },
    ],
  ),
  ...withVariants(
    {
      ...ROOMY,
      name: 'queueing bucket',
      endpoint: { faults: 'queue=300,latency=5ms' },
      rate: 300,
      // The part about capacities checks the search at such a bucket, including the cause.
      causes: { plain: { right: 'store', supersets: [BEYOND] } },
    },
    [
      { name: '100 per second', rate: 100, endpoint: { faults: 'queue=100,latency=5ms' } },
      { name: '200 threads', threads: 200 },
      { name: '700 per second, 20 ms', threads: 100, rate: 700, endpoint: { faults: 'queue=700,latency=20ms' } },
    ],
  ),
  ...withVariants(
    {
      ...ROOMY,
      name: 'one queueing bucket of three',
      endpoint: { buckets: ['truth-1', 'truth-2', 'truth-3'], faults: 'queue@truth-2=100,latency=5ms' },
      rate: 300,
      causes: { plain: { right: 'store', supersets: [BEYOND] } },
    },
    [{ name: '200 threads', threads: 200 }],
  ),
  {
    ...NARROW,
    name: 'bandwidth cap',
    endpoint: { faults: 'bandwidth=5MB,latency=5ms' },
    // For objects of half the size, of which the cap allows twice as many.
    rate: 600,
    causes: { search: only('bandwidth') },
  },
  ...withVariants(
    {
      ...NARROW,
      name: 'bandwidth of 5 MB per second',
      endpoint: { faults: 'bandwidth=5MB,latency=5ms' },
      rate: 300,
      causes: { plain: { right: 'store', supersets: [BEYOND] } },
    },
    [{ name: '12 MB', rate: 700, endpoint: { faults: 'bandwidth=12MB,latency=5ms' } }],
  ),
  ...withVariants(
    {
      ...ROOMY,
      name: 'requested rate of 200 per second',
      endpoint: { faults: 'latency=5ms' },
      rate: 200,
      options: [...SMALL, '--rate', '200'],
      causes: { plain: only('requested rate') },
    },
    [
      { name: 'at random', options: [...SMALL, '--rate', '200', '--arrival', 'poisson'] },
      {
        name: '50 per second, 50 ms',
        rate: 50,
        endpoint: { faults: 'latency=50ms' },
        options: [...SMALL, '--rate', '50'],
      },
    ],
  ),
];

/**
 * @param {string} [part] selects the scenarios whose names contain it
 * @returns {{ possible: readonly Scenario[], impossible: readonly string[] }} scenarios that this machine can set up,
 *   and the names of the others
 */
export function scenariosOf(part = '') {
  const wanted = SCENARIOS.filter(({ name }) => name.includes(part)).map((scenario) =>
    isPossible(scenario) ? scenario : { ...scenario, ...scenario.otherwise, otherwise: undefined },
  );
  return {
    possible: wanted.filter(isPossible),
    impossible: wanted.filter((scenario) => !isPossible(scenario)).map(({ name }) => name),
  };
}

/** @param {Scenario} scenario */
function isPossible({ isPinned = false, quota, linkSpeed }) {
  return (
    (!isPinned || canPin()) && (quota === undefined || canLimitCpu()) && (linkSpeed === undefined || canCapLinks())
  );
}

/**
 * @param {Scenario} scenario
 * @param {readonly Partial<Scenario>[]} variants named after the difference
 * @returns {Scenario[]} for plain runs only
 */
function withVariants(scenario, variants) {
  const causes = { plain: scenario.causes.plain };
  return [
    scenario,
    ...variants.map((variant) => ({ ...scenario, causes, ...variant, name: `${scenario.name}: ${variant.name}` })),
  ];
}

/**
 * @param {string} right
 * @returns {Truth}
 */
function only(right) {
  return { right, supersets: [] };
}
