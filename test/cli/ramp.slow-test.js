import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rampTogether } from '../../bench/truth/ramp.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

const LIMIT = 300;

/** A queue never exceeds its rate, but what was in flight at the start of a second may complete in it. */
const MAX_EXCESS = 1.1;

/** @param {any} ramp of a merged stage @returns {number[]} indices of the slots that count */
function counting({ slots }) {
  return slots.flatMap((/** @type {any} */ { counts }, /** @type {number} */ place) => (counts ? [place] : []));
}

// A busy machine may keep hosts from a slot, or from the limit. What a slot shows must be true anyway.
describe('hosts that go through a ramp together', { concurrency: 2, timeout: 240_000 }, () => {
  test('never show more than the store provides, in the slots that all of them share', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: `queue=${LIMIT},latency=10ms` });
    const { accessKeyId, secretAccessKey } = endpoint.credentials;
    const env = {
      S3_BUCKET: endpoint.buckets.join(','),
      S3_HOSTNAME: endpoint.hostname,
      S3_PORT: String(endpoint.port),
      S3_USE_SSL: '0',
      S3_ACCESS_KEY: accessKeyId,
      S3_SECRET_KEY: secretAccessKey,
    };
    const steps = ['--ramp', '1,2,4,8,16', '--step-time', '4s', '--stages', 'write', '--size', '1KiB', '--cores', '1'];
    const hosts = [{ shift: -7000 }, { shift: 0, readyAfter: 1 }, { shift: 11_000, diesAfter: 4 }];
    const { stages, text, warnings } = await rampTogether({ env, hosts, objects: 8000, threads: 16, options: steps });
    const [{ ramp, merge, operations }] = stages;
    assert.equal(ramp.steps.length, 5);
    const [late, killed] = ['1/3', '2/3'].map((shard) =>
      merge.ramp.missing.find((/** @type {any} */ { host }) => host.endsWith(shard)),
    );
    // On a very busy machine, it may start so late that it misses all slots.
    if (late !== undefined) {
      assert.ok(late.slots.includes(ramp.steps[0].slotStart) && late.shortfalls[0] === 'late', JSON.stringify(late));
      assert.match(text, /Does not count\n.*started late/s);
      assert.match(warnings, /missed \d of 5 ramp slots because it .*started late/);
    }
    assert.ok(killed.slots.includes(ramp.steps[4].slotStart) && killed.shortfalls.at(-1) === null);
    assert.ok(!counting(merge.ramp).includes(0) && !counting(merge.ramp).includes(4));
    for (const [place, { threads, operationsPerSecond }] of merge.ramp.slots.entries()) {
      assert.ok(operationsPerSecond <= MAX_EXCESS * LIMIT, `slot ${place}: ${operationsPerSecond} ops/s`);
      if (counting(merge.ramp).includes(place)) {
        assert.equal(threads, 3 * [1, 2, 4, 8, 16][place]);
      }
    }
    const counted = ramp.steps.flatMap((/** @type {any} */ step) => step.operations);
    assert.ok(counted.reduce((/** @type {number} */ sum, /** @type {number} */ each) => sum + each, 0) <= operations);
  });
});
