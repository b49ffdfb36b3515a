import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { differencesBetween, mismatchesBetween } from '../../lib/result/compare/differences.js';
import { ratesOf, resultOf, STARTED } from './results.js';

/** @import { StageSum } from '../../lib/result/result.js' */

const RATES = ratesOf(40);

/**
 * @param {Partial<StageSum>} [stage]
 * @param {Parameters<typeof resultOf>[1]} [facts]
 */
function run(stage = {}, facts = {}) {
  return resultOf([{ rates: RATES, facts: stage }], facts);
}

describe('differences between runs', () => {
  test('cover versions, options, hosts, data centres, days and the ends of stages', () => {
    const options = {
      objects: 10_000,
      threads: 50,
      size: 65_536,
      client: /** @type {const} */ ('sdk'),
      duration: 90_000,
    };
    const after = run(
      {
        end: 'stopped',
        bottleneck: { cause: 'store', evidence: null, advice: null },
        connections: /** @type {any} */ ({ colos: { FRA: 9, AMS: 1 } }),
      },
      {
        versions: { 'r2-benchmark': '1.1.0', node: '20.19.5' },
        options: { ...options, warmup: 500, keepAlive: false },
        host: 'ams-1',
        start: new Date(STARTED + 86_400_000).toISOString(),
      },
    );
    assert.deepEqual(differencesBetween(run(), after), [
      { what: 'version of r2-benchmark', before: '1.0.0', after: '1.1.0' },
      { what: 'size', before: '16KiB', after: '64KiB' },
      { what: 'client', before: 'direct', after: 'sdk' },
      { what: 'duration', before: null, after: '90s' },
      { what: 'warmup', before: null, after: '500ms' },
      { what: 'keep alive', before: null, after: 'no' },
      { what: 'host', before: 'fra-1', after: 'ams-1' },
      { what: 'Cloudflare data centres', before: null, after: 'AMS, FRA' },
      { what: 'day (UTC)', before: '2026-01-31', after: '2026-02-01' },
      { what: 'end of Read', before: 'complete', after: 'stopped' },
      { what: 'Read limited by', before: null, after: 'store' },
    ]);
  });

  test('leave out the port of the embedded endpoint, which differs in every run', () => {
    const [one, other] = [4001, 4002].map((port) => {
      const { options } = run();
      return run(
        {},
        { options: /** @type {any} */ ({ ...options, local: true, endpoint: `http://127.0.0.1:${port}` }) },
      );
    });
    assert.deepEqual(differencesBetween(one, other), []);
  });

  test('count once, not per option, if a log lacks its options', () => {
    const differences = differencesBetween(run(), run({}, { options: null }));
    assert.deepEqual(differences, [{ what: 'options', before: 'known', after: null }]);
  });
});

describe('runs cannot be compared', () => {
  test('with different sizes, orders, threads or loads, in one line for all stages that differ alike', () => {
    const two = (/** @type {Partial<StageSum>} */ facts) =>
      resultOf(['Write', 'Read'].map((name) => ({ name, rates: RATES, facts })));
    const openLoop = { mode: /** @type {const} */ ('open loop'), rate: 500, arrival: /** @type {const} */ ('poisson') };
    const after = two({ threads: 1, objectSize: 1024, load: openLoop });
    assert.deepEqual(mismatchesBetween(two({}), after), [
      'object size: 16KiB before, 1KiB after (Write, Read)',
      'threads: 50 threads before, 1 thread after (Write, Read)',
      'load: closed loop before, open loop of 500 ops/s after (Write, Read)',
    ]);
    const drawn = run({ objectSize: 16384, sizes: '4KiB..16KiB', access: 'zipf:0.99' });
    assert.deepEqual(mismatchesBetween(run(), drawn), [
      'object size: 16KiB before, 4KiB..16KiB after (Read)',
      'access: sequential before, zipf:0.99 after (Read)',
    ]);
  });

  test('with different requested mixes, whatever succeeded', () => {
    const mixed = (/** @type {string | undefined} */ mix, /** @type {number} */ reads) => {
      const counts = Object.entries({ read: reads, write: 1000 - reads });
      const kinds = counts.map(([operation, operations]) => ({ operation, operations }));
      const result = run({ kinds: /** @type {any} */ (kinds), operations: 1000 });
      return { ...result, options: { ...result.options, mix } };
    };
    const [asked, other] = ['read=70,write=30', 'read=69,write=31'];
    assert.deepEqual(mismatchesBetween(mixed(asked, 700), mixed(asked, 650)), []);
    assert.deepEqual(mismatchesBetween(mixed(asked, 700), mixed(other, 700)), [
      `operations: ${asked} before, ${other} after (Read)`,
    ]);
    assert.deepEqual(mismatchesBetween(mixed(undefined, 704), mixed(asked, 696)), []);
    assert.deepEqual(mismatchesBetween(mixed(asked, 700), run()), []);
  });

  test('without a common stage', () => {
    const write = resultOf([{ name: 'Write', rates: RATES }]);
    assert.deepEqual(mismatchesBetween(write, run()), [
      'the results have no stage in common: Write before, Read after',
    ]);
    assert.deepEqual(mismatchesBetween(resultOf([]), run()), [
      'the results have no stage in common: none before, Read after',
    ]);
  });

  test('unless they match, or a log does not say', () => {
    assert.deepEqual(mismatchesBetween(run(), run()), []);
    assert.deepEqual(differencesBetween(run(), run()), []);
    assert.deepEqual(mismatchesBetween(run(), run({ threads: null, objectSize: null, load: null })), []);
  });
});
