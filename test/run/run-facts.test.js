import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_AMOUNTS } from '../../lib/load/operations/registry.js';
import { runFacts } from '../../lib/run/benchmark-run.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @import { Overrides } from '../helpers/run-config.js' */

const STARTED = Date.parse('2026-01-31T23:59:58.400Z');

/** @param {Overrides} [overrides] */
function factsOf(overrides) {
  const config = runConfig(NO_TARGET, overrides);
  return runFacts({ config, host: 'fra-1', startedAt: STARTED, clock: null, versions: { 'r2-benchmark': '1.0.0' } });
}

test('the facts identify the run, its host and its start', () => {
  const { run, host, start, versions } = factsOf({});
  assert.deepEqual([run, host, start], ['run-1', 'fra-1', '2026-01-31T23:59:58.400Z']);
  assert.deepEqual(versions, { 'r2-benchmark': '1.0.0' });
});

test('they describe the run’s set-up', () => {
  const { options } = factsOf({
    objects: 7,
    threads: 3,
    size: 9,
    client: 'sdk',
    timeout: 11,
    retries: 5,
    keepAlive: false,
  });
  assert.deepEqual(
    [
      options.objects,
      options.threads,
      options.size,
      options.client,
      options.timeout,
      options.retries,
      options.keepAlive,
    ],
    [7, 3, 9, 'sdk', 11, 5, false],
  );
  assert.equal(options.endpoint, 'https://store.test:443');
  assert.equal(options.buckets, 2);
  assert.deepEqual(options.stages, ['write', 'read', 'stat', 'remove']);
});

test('rarely used options appear only if they were given', () => {
  const { options: usual } = factsOf({ gap: 5000, arrival: 'constant' });
  for (const name of ['gap', 'rate', 'arrival', 'warmup', 'keep', 'findPeak']) {
    assert.ok(!Object.hasOwn(usual, name), name);
  }
  const told = { duration: 60_000, gap: 0, rate: 12.5, arrival: /** @type {const} */ ('poisson'), warmup: 2000 };
  assert.deepEqual(factsOf({ ...told, keep: true }).options, { ...usual, ...told, keep: true });
  assert.equal(factsOf({ findPeak: true }).options.findPeak, true);
});

test('sizes and the order of reads appear in the words of their options, unless they are the defaults', () => {
  const { options: usual } = factsOf({});
  assert.ok(!Object.hasOwn(usual, 'sizes') && !Object.hasOwn(usual, 'access'));
  const { options } = factsOf({
    size: 2 ** 20,
    sizes: { kind: 'log-uniform', min: 4096, max: 2 ** 20 },
    access: { kind: 'zipf', exponent: 0.99 },
  });
  assert.deepEqual([options.size, options.sizes, options.access], [2 ** 20, '4KiB..1MiB', 'zipf:0.99']);
});

test('the range size appears only if ranges are read', () => {
  const amounts = { ...DEFAULT_AMOUNTS, rangeSize: 512 };
  assert.ok(!Object.hasOwn(factsOf({ amounts }).options, 'rangeSize'));
  assert.equal(factsOf({ amounts, stages: ['write', 'range'] }).options.rangeSize, 512);
});

test('a ramp is recorded as its steps', () => {
  const { ramp, stepTime } = factsOf({ ramp: { threads: [2, 4], stepTime: 10_000 } }).options;
  assert.deepEqual([ramp, stepTime], [[2, 4], 10_000]);
});

test('they contain no secret', () => {
  const text = JSON.stringify(factsOf());
  for (const secret of ['the-access-key', 'the-secret-key', 'the-session-token']) {
    assert.ok(!text.includes(secret), secret);
  }
});
