import fc from 'fast-check';
import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import { decodeHistogram, HistogramSum, isHistogram, valueCounts, valuesIn } from '../../lib/model/histogram.js';
import { LatencyHistogram } from '../../lib/meter/latency-histogram.js';
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
 * The encoding of a small histogram, with its uncompressed bytes changed.
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

/** @param {string} payload the words of the counts, in hex */
function withPayload(payload) {
  return changed((bytes) => {
    bytes.writeUInt32BE(payload.length / 2, 4);
    return Buffer.concat([bytes.subarray(0, 40), Buffer.from(payload, 'hex')]);
  });
}

test('what the meter encodes is decoded with the same counts', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3_600_000), { maxLength: 200 }), (milliseconds) => {
      const meter = new LatencyHistogram();
      milliseconds.forEach((value) => meter.record(value));
      const decoded = decodeHistogram(meter.encode());
      const expected = decodeHistogram(encodedOf(milliseconds.map((value) => value * 1000)));
      assert.equal(decoded.totalCount, milliseconds.length);
      assert.equal(decoded.outputPercentileDistribution(), expected.outputPercentileDistribution());
    }),
    { numRuns: cases(50) },
  );
});

test('a histogram that is changed by nothing but the test is read', () => {
  assert.equal(decodeHistogram(changed((bytes) => bytes)).totalCount, 2);
});

/** @type {[string, string][]} */
const HOSTILE = [
  ['nothing', ''],
  ['no base64', '%%%%'],
  ['something else', Buffer.from('Lorem ipsum dolor sit amet').toString('base64')],
  [
    'a bomb of a gigabyte of zeros',
    Buffer.concat([Buffer.alloc(8), deflateSync(Buffer.alloc(2 ** 30))]).toString('base64'),
  ],
  ['too few bytes for a header', changed((bytes) => bytes.subarray(0, 20))],
  ['a payload said to be longer than it is', changed((bytes) => (bytes.writeUInt32BE(0x7fffffff, 4), bytes))],
  ['too many digits', changed((bytes) => (bytes.writeUInt32BE(5, 12), bytes))],
  ['a highest value beyond all numbers', changed((bytes) => (bytes.writeBigInt64BE(2n ** 62n, 24), bytes))],
  ['a lowest value of zero', changed((bytes) => (bytes.writeBigInt64BE(0n, 16), bytes))],
  ['another cookie', changed((bytes) => (bytes.writeUInt32BE(0x1c849301, 0), bytes))],
  ['a count beyond all numbers', withPayload('ffffffffffffffff7f02')],
  ['a run of zeros that would be counted for years', withPayload('ffffffffff3f02')],
];

for (const [name, base64] of HOSTILE) {
  test(`${name} is refused, at once`, () => {
    const cpuTime = startCpuTime();
    assert.throws(() => decodeHistogram(base64));
    assert.ok(cpuTime() < 5000, `${cpuTime()}ms`);
  });
}

/** The words of 2^52, 2^53 - 1, 2^53 and 2^62 values. */
const HALF = '8080808080808010';
const MOST = 'feffffffffffff1f';
const ONE_MORE = '8080808080808020';
const HUGE = '808080808080808080';

test('a histogram with more values than can be counted exactly is refused', () => {
  assert.equal(decodeHistogram(withPayload(`00${MOST}`)).totalCount, Number.MAX_SAFE_INTEGER);
  for (const words of [ONE_MORE, HUGE, HALF + HALF, `${MOST}02`]) {
    assert.equal(isHistogram(withPayload(`00${words}`)), false, words);
    assert.throws(() => decodeHistogram(withPayload(`00${words}`)), RangeError);
  }
});

test('a sum of more values than can be counted exactly is an error of the input', () => {
  const half = withPayload(`00${HALF}`);
  const sum = new HistogramSum();
  sum.addEncoded(half);
  const add = [
    () => sum.addEncoded(half),
    () => sum.add(decodeHistogram(half)),
    () => {
      const other = new HistogramSum();
      other.addEncoded(half);
      sum.addSum(other);
    },
  ];
  add.forEach((each) => assert.throws(each, { name: 'InputError' }));
});

test('whatever bytes are damaged, decoding ends, with a histogram or an error', () => {
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
          assert.ok(decodeHistogram(base64).totalCount >= 0);
        } catch (error) {
          assert.ok(!(error instanceof assert.AssertionError));
        }
      }
    }),
    { numRuns: cases(300) },
  );
});

test('the values of a histogram are those that decoding it gives', () => {
  const anyDigits = fc.constantFrom(/** @type {const} */ (1), /** @type {const} */ (2), /** @type {const} */ (3));
  fc.assert(
    fc.property(fc.array(fc.nat(3_600_000_000), { maxLength: 100 }), anyDigits, (values, digits) => {
      const histogram = build({ highestTrackableValue: 3_600_000_000, numberOfSignificantValueDigits: digits });
      values.forEach((value) => histogram.recordValue(value));
      /** @type {Map<number, number>} */
      const expected = new Map();
      for (const value of values.toSorted((one, other) => one - other)) {
        const least = /** @type {any} */ (histogram).lowestEquivalentValue(value);
        expected.set(least, (expected.get(least) ?? 0) + 1);
      }
      assert.deepEqual([...valuesIn(encodeIntoCompressedBase64(histogram))], [...expected]);
    }),
    { numRuns: cases(100) },
  );
});

test('a sum is the same whether histograms are decoded or added as they are', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.nat(3_600_000_000), { minLength: 1, maxLength: 50 }), { maxLength: 5 }),
      (parts) => {
        const [decoded, encoded] = [new HistogramSum(), new HistogramSum()];
        for (const part of parts.map(encodedOf)) {
          decoded.add(decodeHistogram(part));
          encoded.addEncoded(part);
        }
        assert.deepEqual([encoded.summary(), encoded.encode()], [decoded.summary(), decoded.encode()]);
      },
    ),
    { numRuns: cases(30) },
  );
});

test('each value is counted as the largest of those that the library does not tell apart', () => {
  const anyValue = fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 3_600_000_000 }));
  fc.assert(
    fc.property(fc.array(anyValue, { maxLength: 50 }), fc.integer({ min: 1, max: 3 }), (given, digits) => {
      const histogram = build({
        highestTrackableValue: 3_600_000_000,
        numberOfSignificantValueDigits: /** @type {any} */ (digits),
      });
      given.forEach((value) => histogram.recordValue(value));
      const expected = new Map();
      for (const value of given.toSorted((one, other) => one - other)) {
        const largest = /** @type {any} */ (histogram).highestEquivalentValue(value);
        expected.set(largest, (expected.get(largest) ?? 0) + 1);
      }
      const { values, counts } = valueCounts(encodeIntoCompressedBase64(histogram));
      assert.deepEqual([values, counts], [[...expected.keys()], [...expected.values()]]);
    }),
  );
});
