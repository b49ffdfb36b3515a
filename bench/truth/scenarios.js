import { canPin } from './pinned.js';

/**
 * @import { EndpointScript } from './scripted-endpoint.js'
 *
 * What limits a run, brought about on purpose.
 *
 * @typedef {object} Scenario
 * @property {string} name
 * @property {EndpointScript} endpoint
 * @property {number} rate ops/s at most: what the number of objects comes from
 * @property {number} threads
 * @property {string} stages of a plain run; a search takes the first one
 * @property {readonly string[]} options
 * @property {boolean} [isPinned] client and endpoint each stay on a core of their own
 * @property {boolean} [isRobbed] another process runs all the time on the client's core
 * @property {{ plain: string, search?: string }} causes that are to be named
 */

export const CLIENT_CORE = 1;
const ENDPOINT_CORE = 0;

const SMALL = Object.freeze(['--size', '1KiB']);

/**
 * The client that takes the most CPU time, at an endpoint that takes the least. It lists nothing, and has whatever it is
 * asked for: clean-up would not believe it.
 */
const STARVED = Object.freeze({
  endpoint: { mode: /** @type {const} */ ('null'), objectSize: 1024, core: ENDPOINT_CORE },
  threads: 50,
  stages: 'write,stat',
  options: Object.freeze([...SMALL, '--client', 'sdk', '--cores', '1', '--keep']),
  isPinned: true,
});

/** A client with room enough. */
const ROOMY = Object.freeze({ threads: 50, stages: 'write,read,stat,remove', options: SMALL });

/** @type {readonly Scenario[]} */
const SCENARIOS = [
  { ...STARVED, name: 'client starved', rate: 1000, causes: { plain: 'client CPU', search: 'client CPU' } },
  {
    ...STARVED,
    name: 'client robbed of its core',
    rate: 500,
    isRobbed: true,
    causes: { plain: 'host CPU', search: 'host CPU' },
  },
  {
    ...ROOMY,
    name: 'too few threads',
    endpoint: { faults: 'latency=20ms' },
    rate: 250,
    threads: 5,
    causes: { plain: 'concurrency', search: 'concurrency' },
  },
  {
    ...ROOMY,
    name: 'bucket that refuses',
    endpoint: { faults: 'rate=300,latency=5ms' },
    rate: 350,
    causes: { plain: 'store throttling', search: 'store throttling' },
  },
  {
    ...ROOMY,
    name: 'bucket that queues',
    endpoint: { faults: 'queue=300,latency=5ms' },
    rate: 300,
    // Its peak is searched for in the part about capacities, where the cause is looked at as well.
    causes: { plain: 'beyond this host' },
  },
  {
    ...ROOMY,
    name: 'bandwidth cap',
    endpoint: { faults: 'bandwidth=5MB,latency=5ms' },
    // At half the size of the objects, where the cap lets twice as many through.
    rate: 600,
    stages: 'write,read',
    options: ['--size', '16KiB'],
    causes: { plain: 'beyond this host', search: 'bandwidth' },
  },
];

/** Those that this machine can bring about. */
export function possibleScenarios() {
  const pins = canPin();
  return SCENARIOS.filter(({ isPinned }) => pins || !isPinned);
}
