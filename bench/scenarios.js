const KIB = 1024;
const MIB = 1024 ** 2;

/**
 * One load under which clients are measured side by side.
 *
 * @typedef {object} Scenario
 * @property {string} title
 * @property {boolean} useTls
 * @property {number} threads
 * @property {number} objectSize bytes
 * @property {number} rounds
 * @property {{ name: string, client: 'direct' | 'sdk' | 'bare' | 'oha', objects: number, cores?: number }[]} clients
 */

/** @type {readonly Scenario[]} */
export const SCENARIOS = [
  {
    title: 'All clients: TLS, 50 threads, 16 KiB',
    useTls: true,
    threads: 50,
    objectSize: 16 * KIB,
    rounds: 5,
    clients: [
      { name: 'direct', client: 'direct', objects: 60_000 },
      { name: 'bare undici', client: 'bare', objects: 60_000 },
      { name: 'sdk', client: 'sdk', objects: 6_000 },
      { name: 'oha', client: 'oha', objects: 60_000 },
    ],
  },
  {
    title: 'Plain HTTP, 50 threads, 16 KiB (the body is hashed for its signature)',
    useTls: false,
    threads: 50,
    objectSize: 16 * KIB,
    rounds: 3,
    clients: [
      { name: 'direct', client: 'direct', objects: 60_000 },
      { name: 'bare undici', client: 'bare', objects: 60_000 },
    ],
  },
  {
    title: 'TLS, 50 threads, 1 MiB',
    useTls: true,
    threads: 50,
    objectSize: MIB,
    rounds: 3,
    clients: [
      { name: 'direct', client: 'direct', objects: 2_000 },
      { name: 'bare undici', client: 'bare', objects: 2_000 },
    ],
  },
  {
    title: 'TLS, 1,000 threads, 16 KiB',
    useTls: true,
    threads: 1_000,
    objectSize: 16 * KIB,
    rounds: 3,
    clients: [
      { name: 'direct', client: 'direct', objects: 60_000 },
      { name: 'bare undici', client: 'bare', objects: 60_000 },
    ],
  },
  {
    title: 'TLS, 10,000 threads, 16 KiB',
    useTls: true,
    threads: 10_000,
    objectSize: 16 * KIB,
    rounds: 1,
    clients: [{ name: 'direct', client: 'direct', objects: 100_000 }],
  },
  {
    title: 'One core and two: TLS, 200 threads, 16 KiB',
    useTls: true,
    threads: 200,
    objectSize: 16 * KIB,
    rounds: 3,
    clients: [
      { name: 'one core', client: 'direct', objects: 80_000, cores: 1 },
      { name: 'two cores', client: 'direct', objects: 80_000, cores: 2 },
    ],
  },
];

/** How much memory a run takes, by threads and objects; plain HTTP but for the last. */
export const MEMORY_RUNS = [
  { threads: 1_000, objects: 10_000, useTls: false },
  { threads: 1_000, objects: 100_000, useTls: false },
  { threads: 1_000, objects: 1_000_000, useTls: false },
  { threads: 10_000, objects: 20_000, useTls: true },
];

/**
 * @param {string} wanted a part of a title
 * @returns {readonly Scenario[]}
 * @throws {RangeError} where there is none of that title
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
