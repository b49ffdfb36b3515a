import fc from 'fast-check';
import { build, decodeFromCompressedBase64, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import { Histogram } from '../../lib/result/histogram.js';
import { cases } from '../helpers/cases.js';
import { startCpuTime } from '../helpers/cpu-time.js';

const COMPRESSED_HEADER = 8;

/** @param {readonly number[]} values µs */
function encodedOf(values) {
  const histogram = build({ autoResize: false, highestTrackableValue: 3_600_000_000 });
  values.forEach((value) => histogram.recordValue(value));
  return encodeIntoCompressedBase64(histogram);
}

/**
 * The encoding of a small histogram with modified uncompressed bytes.
 *
 * @param {(bytes: Buffer) => Buffer} change
 */
function changed(change) {
  const encoded = Buffer.from(encodedOf([1000, 2000]), 'base64');
  const inflated = inflateSync(encoded.subarray(COMPRESSED_HEADER));
  const deflated = deflateSync(change(Buffer.from(inflated)));
  const header = Buffer.from(encoded.subarray(0, COMPRESSED_HEADER));
  header.writeUInt32BE(deflated.length, 4);
  return Buffer.concat([header, deflated]).toString('base64');
}

/** @param {string} payload words of the counts, in hex */
function withPayload(payload) {
  return changed((bytes) => {
    bytes.writeUInt32BE(payload.length / 2, 4);
    return Buffer.concat([bytes.subarray(0, 40), Buffer.from(payload, 'hex')]);
  });
}

/** µs, small ones and up to an hour. */
const anyValue = fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 3_600_000_000 }));

/** @param {readonly number[]} values µs */
function histogramOf(values) {
  const histogram = new Histogram();
  values.forEach((value) => histogram.record(value / 1000));
  return histogram;
}

test('a histogram matches any library of the format for the same values, encoded or not', () => {
  fc.assert(
    fc.property(fc.array(anyValue, { maxLength: 200 }), fc.nat(1000), (values, thousandths) => {
      const [ours, theirs] = [histogramOf(values), decodeFromCompressedBase64(encodedOf(values))];
      const [percentile, ms] = [thousandths / 10, values.length === 0 ? 0 : values[thousandths % values.length] / 1000];
      for (const histogram of [ours, Histogram.decode(ours.encode()), Histogram.decode(encodedOf(values))]) {
        assert.equal(histogram.count, values.length);
        assert.equal(histogram.at(percentile), theirs.getValueAtPercentile(percentile) / 1000);
        assert.equal(histogram.summary()?.mean ?? 0, theirs.mean / 1000);
        assert.ok(histogram.countAbove(ms) <= values.filter((value) => value > 1000 * ms * 0.999).length);
        assert.ok(histogram.countAbove(ms) >= values.filter((value) => value > 1000 * ms * 1.001).length);
      }
      const decoded = decodeFromCompressedBase64(ours.encode());
      assert.equal(decoded.outputPercentileDistribution(), theirs.outputPercentileDistribution());
    }),
    { numRuns: cases(50) },
  );
});

test('subtracting restores the values before adding', () => {
  const anyValues = fc.array(anyValue, { maxLength: 50 });
  fc.assert(
    fc.property(anyValues, anyValues, (kept, gone) => {
      const histogram = histogramOf(kept);
      histogram.add(histogramOf(gone));
      assert.deepEqual(histogram.valueCounts(), histogramOf([...kept, ...gone]).valueCounts());
      histogram.subtract(histogramOf(gone));
      assert.deepEqual(histogram.valueCounts(), histogramOf(kept).valueCounts());
      assert.equal(histogram.count, kept.length);
    }),
    { numRuns: cases(100) },
  );
});

/** @type {[string, string][]} */
const HOSTILE = [
  ['something else', Buffer.from('Lorem ipsum dolor sit amet').toString('base64')],
  [
    'a bomb of a gigabyte of zeros',
    Buffer.concat([Buffer.alloc(8), deflateSync(Buffer.alloc(2 ** 30))]).toString('base64'),
  ],
  ['too few bytes for a header', changed((bytes) => bytes.subarray(0, 20))],
  ['a payload shorter than its declared length', changed((bytes) => (bytes.writeUInt32BE(0x7fffffff, 4), bytes))],
  ['too many digits', changed((bytes) => (bytes.writeUInt32BE(5, 12), bytes))],
  ['a lowest value of zero', changed((bytes) => (bytes.writeBigInt64BE(0n, 16), bytes))],
  ['another cookie', changed((bytes) => (bytes.writeUInt32BE(0x1c849301, 0), bytes))],
  ['a count beyond all numbers', withPayload('ffffffffffffffff7f02')],
  ['a run of zeros that would be counted for years', withPayload('ffffffffff3f02')],
];

for (const [name, base64] of HOSTILE) {
  test(`rejects ${name}, quickly`, () => {
    const cpuTime = startCpuTime();
    assert.throws(() => Histogram.decode(base64));
    assert.ok(cpuTime() < 5000, `${cpuTime()}ms`);
  });
}

/** Words for counts of 2^52, 2^53 - 1, 2^53 and 2^62. */
const HALF = '8080808080808010';

test('a sum of too many values to count exactly is an input error', () => {
  const half = withPayload(`00${HALF}`);
  const sum = Histogram.decode(half);
  assert.throws(() => sum.addEncoded(half), { name: 'InputError' });
  assert.throws(() => sum.add(Histogram.decode(half)), { name: 'InputError' });
  assert.equal(sum.count, 2 ** 52);
});

test('decoding damaged bytes ends with a histogram or an error', () => {
  const whole = Buffer.from(encodedOf([5, 500, 50_000]), 'base64');
  const edit = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) });
  const inside = fc.record({ at: fc.nat(60), byte: fc.nat(255) });
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 3 }), inside, (edits, { at, byte }) => {
      const damaged = Buffer.from(whole);
      edits.forEach((change) => (damaged[change.at] = change.byte));
      const recoded = changed((bytes) => ((bytes[at % bytes.length] = byte), bytes));
      for (const base64 of [damaged.toString('base64'), recoded]) {
        try {
          assert.ok(Histogram.decode(base64).count >= 0);
        } catch (error) {
          assert.ok(!(error instanceof assert.AssertionError));
        }
      }
    }),
    { numRuns: cases(300) },
  );
});
