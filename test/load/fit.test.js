import assert from 'node:assert/strict';
import { test } from 'node:test';
import { averageSize, parseSizes } from '../../lib/load/workload/size-distribution.js';
import { zipfRank } from '../../lib/load/workload/access.js';
import { mixIndex } from '../../lib/load/workload/mix.js';
import { fitOf } from '../../lib/load/replay/fit.js';
import { makeTrace } from '../../lib/load/replay/make-trace.js';
import { RecordedRequests } from '../../lib/load/replay/recorded-requests.js';
import { WHOLE } from '../../lib/load/workload/keyspace.js';
import { chance } from '../helpers/chance.js';

/**
 * @param {{ requests: number, objects: number, exponent: number, shares: Record<string, number>, seed: number }} traffic
 *   shares in per cent; an exponent of 0 is uniform
 */
function synthetic({ requests, objects, exponent, shares, seed }) {
  const { uniform, normal } = chance(seed);
  const sizes = Array.from({ length: objects }, () => Math.round(20_000 * Math.exp(1.2 * normal())) + 1);
  const rankOf = exponent === 0 ? null : zipfRank(objects, exponent);
  const recorded = new RecordedRequests(WHOLE);
  const kinds = Object.entries(shares).flatMap(([name, share]) => Array.from({ length: share }, () => name));
  for (let index = 0; index < requests; index++) {
    const operation = kinds[Math.floor(uniform() * kinds.length)];
    const isRead = operation === 'read' || operation === 'stat';
    const object = isRead && rankOf !== null ? rankOf(mixIndex(index, seed)) : Math.floor(uniform() * objects);
    const rest = { bucket: '', bytes: 0, status: 200 };
    recorded.add({ time: 1e12 + index * 5, action: operation, keys: [`k${object}`], size: sizes[object], ...rest });
  }
  const trace = makeTrace(recorded, { from: 0, length: Infinity, limit: Infinity });
  const mean = trace.sizes.reduce((sum, size) => sum + size, 0) / trace.objects;
  return { trace, mean };
}

for (const exponent of [0.6, 1.3]) {
  test(`recovers the mix, the sizes and the exponent ${exponent} of synthetic traffic`, () => {
    const shares = { read: 61, stat: 14, write: 20, remove: 5 };
    const { trace, mean } = synthetic({ requests: 400_000, objects: 5000, exponent, shares, seed: 54 });
    const { mix, access, size, rate } = fitOf(trace);
    Object.entries(shares).forEach(([name, share]) => {
      assert.ok(Math.abs(Number(mix.get(name)) - share) <= 1, `${name} ${mix.get(name)}`);
    });
    assert.equal(
      [...mix.values()].reduce((sum, share) => sum + share),
      100,
    );
    const [, found] = /^zipf:(.*)$/.exec(access) ?? [];
    assert.ok(Math.abs(Number(found) - exponent) < 0.05, access);
    const sizes = parseSizes(size);
    assert.ok(typeof sizes !== 'number');
    assert.ok(Math.abs(averageSize({ size: 0, sizes }) / mean - 1) < 0.02, `${size} for a mean of ${mean}`);
    assert.ok(Math.abs(rate / 200 - 1) < 0.01);
  });
}

test('uniform traffic is recognised', () => {
  const { trace } = synthetic({
    requests: 200_000,
    objects: 3000,
    exponent: 0,
    shares: { read: 90, write: 10 },
    seed: 5,
  });
  assert.equal(fitOf(trace).access, 'uniform');
});

test('equal sizes become one size, and removals never outnumber writes', () => {
  const recorded = new RecordedRequests(WHOLE);
  const actions = ['PutObject', 'DeleteObjects', 'DeleteObjects', 'GetObject', 'GetObject', 'GetObject'];
  actions.forEach((action, index) =>
    recorded.add({ time: 1e12 + index, action, bucket: '', keys: [`k${index}`], size: 4096, bytes: 0, status: 0 }),
  );
  const { mix, size, rangeSize } = fitOf(makeTrace(recorded, { from: 0, length: Infinity, limit: Infinity }));
  assert.equal(size, '4096B');
  assert.deepEqual([mix.get('write'), mix.get('remove'), mix.get('read'), rangeSize], [20, 20, 60, 0]);
});
