import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { operationsOf, parseFaults } from '../../lib/local-s3/faults.js';
import { startLocalS3 } from '../../lib/local-s3/start.js';

/**
 * @param {string} script
 * @returns {string} the parser's error message
 */
function complaint(script) {
  try {
    parseFaults(script);
  } catch (error) {
    return String(error);
  }
  throw new assert.AssertionError({ message: `expected '${script}' to be refused` });
}

test('a script becomes a plan', () => {
  assert.deepEqual(
    parseFaults('seed=7, skew=-20m, latency=20ms..1.5s, PUT.status=503:5%, status=400/BadDigest:0.5%, retry-after=2s'),
    {
      seed: 7,
      skew: -1_200_000,
      items: [
        { name: 'latency', operation: null, bucket: null, minimum: 20, maximum: 1500 },
        { name: 'status', operation: 'PUT', bucket: null, status: 503, code: 'SlowDown', probability: 0.05 },
        { name: 'status', operation: null, bucket: null, status: 400, code: 'BadDigest', probability: 0.005 },
        { name: 'retry-after', operation: null, bucket: null, milliseconds: 2000 },
      ],
    },
  );
  assert.deepEqual(parseFaults(''), { seed: 0, skew: 0, items: [] });
});

test('delays also become a plan', () => {
  assert.deepEqual(
    parseFaults('queue=500,bandwidth=10MB,GET.bandwidth=64KiB,PUT.stall=2s@1.5s,latency=lognormal:20ms:0.5').items,
    [
      { name: 'queue', operation: null, bucket: null, perSecond: 500 },
      { name: 'bandwidth', operation: null, bucket: null, bytesPerSecond: 10_000_000 },
      { name: 'bandwidth', operation: 'GET', bucket: null, bytesPerSecond: 65_536 },
      { name: 'stall', operation: 'PUT', bucket: null, length: 2000, after: 1500 },
      { name: 'latency', operation: null, bucket: null, median: 20, sigma: 0.5 },
    ],
  );
});

test('a fault may apply to one bucket, or to each separately', () => {
  assert.deepEqual(parseFaults('queue=900,queue@EACH=400,GET.queue@my.bucket-2=100,GET.queue@Photos_1=50').items, [
    { name: 'queue', operation: null, bucket: null, perSecond: 900 },
    { name: 'queue', operation: null, bucket: 'EACH', perSecond: 400 },
    { name: 'queue', operation: 'GET', bucket: 'my.bucket-2', perSecond: 100 },
    { name: 'queue', operation: 'GET', bucket: 'Photos_1', perSecond: 50 },
  ]);
});

test('the code of an injected status matches the status', () => {
  const codes = [400, 401, 403, 404, 409, 429, 500, 502, 503, 520].map(
    (status) => parseFaults(`status=${status}:1%`).items[0].code,
  );
  assert.deepEqual(codes, [
    'InvalidRequest',
    'Unauthorized',
    'AccessDenied',
    'NoSuchKey',
    'InvalidRequest',
    'TooManyRequests',
    'InternalError',
    'InternalError',
    'SlowDown',
    'InternalError',
  ]);
});

test('a fault without a method applies to objects and their uploads only, if it makes sense for them', () => {
  /** @param {string} script */
  const operations = (script) => operationsOf(parseFaults(script).items[0]);
  const ofUploads = ['CREATE', 'PART', 'COMPLETE', 'ABORT'];
  assert.deepEqual(operations('reset=1%'), ['PUT', 'GET', 'HEAD', 'DELETE', ...ofUploads]);
  assert.deepEqual(operations('truncate=1%'), ['GET']);
  assert.deepEqual(operations('lost=1%'), ['PUT', ...ofUploads]);
  assert.deepEqual(operations('bandwidth=1MB'), ['PUT', 'GET', 'PART']);
  assert.deepEqual(operations('wrong-size=1%'), ['HEAD']);
  assert.deepEqual(operations('LIST.reset=1%'), ['LIST']);
  assert.deepEqual(operations('BUCKET.status=403:1%'), ['BUCKET']);
});

test('reports all mistakes of a script at once, each with what was expected', () => {
  const message = complaint(
    'latency=5,frobnicate=1%,reset=5,PATCH.hang=1%,PUT.truncate=1%,seed=x,hang=1%,hang=2%,queue@b=1,queue@b=2,skew@b=1s,nothing',
  );
  for (const part of [
    "'latency=5': expected a duration",
    "'frobnicate=1%': expected one of seed, skew, latency, queue, bandwidth, stall, rate",
    "'reset=5': expected a percentage",
    "'PATCH.hang=1%': expected one of the methods PUT, GET, HEAD, DELETE, POST, LIST, BUCKET",
    "'PUT.truncate=1%': truncate applies to GET only",
    "'seed=x': expected a whole number",
    "'hang=2%': given twice",
    "'queue@b=2': given twice",
    "'skew@b=1s': skew takes no bucket",
    "'nothing': expected name=value",
  ]) {
    assert.ok(message.includes(part), `${message} should say: ${part}`);
  }
  assert.doesNotMatch(message, /\n/);
});

test('rejects values out of range', () => {
  const scripts = ['reset=101%', 'reset=-1%', 'status=200:1%', 'status=600:1%', 'status=503', 'rate=0', 'close=0'];
  const more = [
    'latency=5ms..1ms',
    'latency=1ms..2ms..3ms',
    'PUT.seed=1',
    'latency=',
    'constructor=1',
    'retry-after=5%',
    'queue=0',
    'bandwidth=0',
    'bandwidth=fast',
    'HEAD.bandwidth=1MB',
    'stall=2s',
    'stall=2s@',
    'stall=2s@3s@4s',
    'latency=lognormal:20ms',
    'latency=lognormal:20:0.5',
    'latency=lognormal:20ms:-1',
    'latency=lognormal:20ms:0.5:1',
  ];
  [...scripts, ...more].forEach(complaint);
});

test('an endpoint does not start with an invalid script', async () => {
  const options = { buckets: ['b'], credentials: { accessKeyId: 'a', secretAccessKey: 's' }, faults: 'reset=lots' };
  await assert.rejects(startLocalS3(options), /The fault script cannot be used: 'reset=lots': expected a percentage/);
  const elsewhere = startLocalS3({ ...options, faults: 'queue@c=400' });
  await assert.rejects(elsewhere, /The fault script cannot be used: 'queue@c': expected one of the buckets b, EACH/);
});

const METHODS = /** @type {const} */ (['PUT', 'GET', 'HEAD', 'DELETE', 'POST', 'LIST', 'BUCKET']);
const percentage = fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10);
const count = fc.integer({ min: 1, max: 999_999_999 });
const milliseconds = fc.integer({ min: 0, max: 999_999 });
const ITEMS = fc.oneof(
  fc.tuple(fc.constantFrom('reset', 'hang'), percentage).map(([name, percent]) => ({
    name,
    value: `${percent}%`,
    fields: { probability: percent / 100 },
  })),
  count.map((perSecond) => ({ name: 'rate', value: String(perSecond), fields: { perSecond } })),
  count.map((requests) => ({ name: 'close', value: String(requests), fields: { requests } })),
  milliseconds.map((time) => ({ name: 'retry-after', value: `${time}ms`, fields: { milliseconds: time } })),
  fc.tuple(milliseconds, milliseconds).map(([one, other]) => {
    const [minimum, maximum] = [Math.min(one, other), Math.max(one, other)];
    return { name: 'latency', value: `${minimum}ms..${maximum}ms`, fields: { minimum, maximum } };
  }),
  fc.tuple(fc.integer({ min: 400, max: 599 }), percentage).map(([status, percent]) => ({
    name: 'status',
    value: `${status}/SomeCode:${percent}%`,
    fields: { status, code: 'SomeCode', probability: percent / 100 },
  })),
);

test('reads a formatted plan back unchanged', () => {
  const bucket = fc.option(fc.constantFrom('EACH', 'bucket-a', 'other.bucket_1'));
  const entries = fc.uniqueArray(fc.tuple(fc.option(fc.constantFrom(...METHODS)), ITEMS, bucket), {
    selector: ([operation, { name }, place]) => `${operation}.${name}@${place}`,
  });
  fc.assert(
    fc.property(
      entries,
      fc.integer({ min: 0, max: 999_999_999 }),
      fc.constantFrom(',', ' , '),
      (items, seed, comma) => {
        const parts = items.map(
          ([method, { name, value }, place]) =>
            `${method === null ? '' : `${method}.`}${name}${place === null ? '' : `@${place}`}=${value}`,
        );
        const plan = parseFaults([...parts, `seed=${seed}`].join(comma));
        const expected = items.map(([operation, { name, fields }, place]) => ({
          name,
          operation,
          bucket: place,
          ...fields,
        }));
        assert.deepEqual(plan, { seed, skew: 0, items: expected });
      },
    ),
  );
});

test('any text is either a plan or an error that names the invalid part', () => {
  const piece = fc.constantFrom(
    'seed',
    'status',
    'PUT',
    '.',
    '=',
    ',',
    ':',
    '@',
    '%',
    '5',
    'ms',
    '..',
    '/',
    '-',
    '__proto__',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece).map((pieces) => pieces.join('')),
      ),
      (script) => {
        try {
          assert.ok(Array.isArray(parseFaults(script).items));
        } catch (error) {
          assert.match(String(error), /^Error: The fault script cannot be used: /);
        }
      },
    ),
  );
});
