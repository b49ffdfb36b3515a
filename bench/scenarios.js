const KIB = 1024;
const MIB = 1024 ** 2;

export const ROUNDS = 5;

/**
 * A load to compare clients under.
 *
 * @typedef {object} Scenario
 * @property {string} title
 * @property {boolean} useTls
 * @property {number} threads
 * @property {number} objectSize bytes
 * @property {number} [latency] ms that the store takes for each request; default: 0
 * @property {readonly Contestant[]} clients measured in turn in each round
 * @property {readonly Comparison[]} comparisons of the clients' costs
 *
 * @typedef {object} Contestant
 * @property {string} name
 * @property {'direct' | 'watched' | 'sdk' | 'undici' | 'sockets' | 'oha'} client
 * @property {number} objects of the long run; the short run's share of them must still be enough for all threads
 * @property {number} [threads] overrides the scenario's
 * @property {number} [cores] default: 1
 *
 * @typedef {object} Comparison
 * @property {string} of name of a client
 * @property {string} to name of the client whose cost counts as 1
 * @property {boolean} [hasDifference] whether to also show the difference in µs
 */

/** @type {readonly Scenario[]} */
export const SCENARIOS = [
  {
    title: 'All clients: TLS, 50 threads, 16 KiB',
    useTls: true,
    threads: 50,
    objectSize: 16 * KIB,
    clients: [
      { name: 'direct', client: 'direct', objects: 60_000 },
      { name: 'bare undici', client: 'undici', objects: 60_000 },
      { name: 'sdk', client: 'sdk', objects: 6_000 },
      { name: 'oha', client: 'oha', objects: 60_000 },
    ],
    comparisons: [
      { of: 'direct', to: 'bare undici' },
      { of: 'direct', to: 'oha' },
      { of: 'sdk', to: 'direct' },
    ],
  },
  {
    title: 'Plain HTTP, 50 threads, 16 KiB (the body is hashed for its signature)',
    useTls: false,
    threads: 50,
    objectSize: 16 * KIB,
    clients: [
      { name: 'direct', client: 'direct', objects: 60_000 },
      { name: 'bare undici', client: 'undici', objects: 60_000 },
    ],
    comparisons: [{ of: 'direct', to: 'bare undici' }],
  },
  {
    title: 'TLS, 50 threads, 1 MiB',
    useTls: true,
    threads: 50,
    objectSize: MIB,
    clients: [
      { name: 'direct', client: 'direct', objects: 2_000 },
      { name: 'bare undici', client: 'undici', objects: 2_000 },
    ],
    comparisons: [{ of: 'direct', to: 'bare undici' }],
  },
  {
    title: 'TLS, 1,000 threads, 16 KiB',
    useTls: true,
    threads: 1_000,
    objectSize: 16 * KIB,
    clients: [
      { name: 'direct', client: 'direct', objects: 60_000 },
      { name: 'bare undici', client: 'undici', objects: 60_000 },
      { name: 'oha', client: 'oha', objects: 60_000 },
    ],
    comparisons: [
      { of: 'direct', to: 'bare undici' },
      { of: 'direct', to: 'oha' },
    ],
  },
  {
    title: 'Cost of a connection: TLS, 50, 1,000 and 10,000 threads, 16 KiB',
    useTls: true,
    threads: 50,
    objectSize: 16 * KIB,
    clients: [
      { name: '50', client: 'direct', objects: 60_000 },
      { name: '1,000', client: 'direct', objects: 60_000, threads: 1_000 },
      { name: '10,000', client: 'direct', objects: 60_000, threads: 10_000 },
      { name: 'sockets, 50', client: 'sockets', objects: 60_000 },
      { name: 'sockets, 1,000', client: 'sockets', objects: 60_000, threads: 1_000 },
      { name: 'sockets, 10,000', client: 'sockets', objects: 60_000, threads: 10_000 },
    ],
    comparisons: [
      { of: '1,000', to: '50', hasDifference: true },
      { of: '10,000', to: '50', hasDifference: true },
      { of: 'sockets, 1,000', to: 'sockets, 50', hasDifference: true },
      { of: 'sockets, 10,000', to: 'sockets, 50', hasDifference: true },
    ],
  },
  {
    title: 'A store 50 ms away: TLS, 1,000 threads, 16 KiB',
    useTls: true,
    threads: 1_000,
    objectSize: 16 * KIB,
    latency: 50,
    clients: [
      { name: 'one core', client: 'direct', objects: 60_000, cores: 1 },
      { name: 'two cores', client: 'direct', objects: 60_000, cores: 2 },
    ],
    comparisons: [{ of: 'two cores', to: 'one core' }],
  },
  {
    title: 'One core and two: TLS, 200 threads, 16 KiB',
    useTls: true,
    threads: 200,
    objectSize: 16 * KIB,
    clients: [
      { name: 'one core', client: 'direct', objects: 60_000, cores: 1 },
      { name: 'two cores', client: 'direct', objects: 60_000, cores: 2 },
    ],
    comparisons: [{ of: 'two cores', to: 'one core' }],
  },
  {
    title: 'Watched: TLS, 50 threads, 16 KiB, metrics sent to a collector and scraped as often as by default',
    useTls: true,
    threads: 50,
    objectSize: 16 * KIB,
    clients: [
      { name: 'direct', client: 'direct', objects: 200_000 },
      { name: 'watched', client: 'watched', objects: 200_000 },
    ],
    comparisons: [{ of: 'watched', to: 'direct' }],
  },
];

export const MEMORY_RUNS = [
  { threads: 1_000, objects: 10_000, useTls: false },
  { threads: 1_000, objects: 60_000, useTls: false },
  { threads: 1_000, objects: 1_000_000, useTls: false },
  { threads: 1_000, objects: 60_000, useTls: true },
  { threads: 10_000, objects: 20_000, useTls: true },
];

/**
 * @param {string} wanted a part of a title
 * @returns {readonly Scenario[]}
 * @throws {RangeError} if no title matches
 */
export function scenariosOf(wanted) {
  const found = SCENARIOS.filter(({ title }) => title.includes(wanted));
  if (found.length === 0) {
    throw new RangeError(
      `expected a part of a title, got ${wanted}: ${SCENARIOS.map(({ title }) => title).join(' | ')}`,
    );
  }
  return found;
}
