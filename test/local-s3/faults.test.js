import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFaults } from '../../lib/local-s3/faults.js';

/** @type {[script: string, items: object[]][]} */
const SCRIPTS = [
  ['', []],
  ['latency=lognormal:20ms:0.5', [{ name: 'latency', median: 20, sigma: 0.5 }]],
  ['PUT.status=503:5%', [{ name: 'status', operation: 'PUT', status: 503, code: 'SlowDown', probability: 0.05 }]],
  [
    'status=400/BadDigest:0.5%,status=520:100%',
    [
      { name: 'status', status: 400, code: 'BadDigest', probability: 0.005 },
      { name: 'status', status: 520, code: 'InternalError', probability: 1 },
    ],
  ],
  [
    ' retry-after=2s , rate=500,close=100',
    [
      { name: 'retry-after', milliseconds: 2000 },
      { name: 'rate', perSecond: 500 },
      { name: 'close', requests: 100 },
    ],
  ],
  ['PUT.stall=2s@1.5s', [{ name: 'stall', operation: 'PUT', length: 2000, after: 1500 }]],
  [
    'queue=900,GET.queue@my.bucket-2=100',
    [
      { name: 'queue', perSecond: 900 },
      { name: 'queue', operation: 'GET', bucket: 'my.bucket-2', perSecond: 100 },
    ],
  ],
];

for (const [script, items] of SCRIPTS) {
  test(`'${script}' becomes a plan`, () => {
    const expected = items.map((item) => ({ operation: null, bucket: null, ...item }));
    assert.deepEqual(parseFaults(`seed=7,skew=-20m,${script}`), { seed: 7, skew: -1_200_000, items: expected });
  });
}

test('reports all mistakes of a script at once, each with what was expected', () => {
  const mistakes = [
    ['latency=5', 'expected a duration'],
    ['frobnicate=1%', 'expected one of seed, skew, queue, latency, bandwidth, stall, rate'],
    ['reset=5', 'expected a percentage'],
    ['PATCH.hang=1%', 'expected one of the methods PUT, GET, HEAD, DELETE, POST, LIST, BUCKET'],
    ['PUT.truncate=1%', 'truncate applies to GET only'],
    ['seed=x', 'expected a whole number'],
    ['skew@b=1s', 'skew takes no bucket'],
    ['PUT.seed=1', 'seed takes no method'],
    ['queue@b=0', 'expected requests per second'],
    ['queue@b=2', 'given twice'],
    ['nothing', 'expected name=value'],
  ];
  assert.throws(
    () => parseFaults(mistakes.map(([item]) => item).join(',')),
    ({ message }) => {
      const told = message.replace('The fault script cannot be used: ', '').split('; ');
      assert.equal(told.length, mistakes.length);
      mistakes.forEach(([item, problem], place) => assert.ok(told[place].startsWith(`'${item}': ${problem}`), message));
      return true;
    },
  );
});
