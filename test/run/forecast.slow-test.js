import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { run } from '../../lib/index.js';
import { forecastOf, totalOf } from '../../lib/run/forecast.js';
import { dollarsFor } from '../../lib/run/prices.js';
import { prepareRun } from '../../lib/run/prepare-run.js';
import { readRunOptions } from '../../lib/options/read-options.js';
import { billedRequests } from '../helpers/billed-requests.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

/**
 * @import { TestContext } from 'node:test'
 *
 * @typedef {{ objects: number, threads: number } & Record<string, unknown>} Load
 */

/** The number of probes varies. */
const FEW = { objects: 800, threads: 16, preflight: false };

/** Runs whose counts are fixed. @type {Readonly<Record<string, Load>>} */
const FIXED = {
  'the default stages': { objects: 3000, threads: 16 },
  'a mix': { ...FEW, mix: 'read=70,write=20,stat=5,remove=5' },
  'the optional stages': {
    ...{ ...FEW, stages: 'write,range,list,copy,batch-remove' },
    ...{ pageSize: 20, batch: 50, rangeSize: 10 },
  },
  multipart: { ...FEW, objects: 200, size: 1000, multipart: true, stages: 'write,read,remove' },
  'objects of several sizes that are kept': { ...FEW, size: '100..2kB', keep: true },
  races: { ...FEW, objects: 200, stages: 'write,create,swap', contenders: 4 },
  'reads at random': { ...FEW, access: 'uniform' },
};

/** Runs that time ends: numbers are upper bounds. @type {Readonly<Record<string, Load>>} */
const TIMED = {
  'timed stages': { objects: 300, threads: 8, duration: '2s' },
  'a timed mix': { objects: 300, threads: 8, duration: '3s', mix: 'read=60,write=40' },
  'a ramp': { objects: 3000, threads: 8, ramp: '2,8', stepTime: '4s', stages: 'write,read' },
  'a search': { objects: 20_000, threads: 8, findPeak: true, stages: 'write' },
};

const LATENCY = 10;

/**
 * @param {TestContext} t
 * @param {Load} load
 * @param {string} [faults]
 * @returns {Promise<{ forecast: import('../../lib/run/forecast.js').Row, counts: { A: number, B: number, free: number } }>}
 */
async function forecastAndRun(t, load, faults) {
  const endpoint = await startTestEndpoint(t, { faults });
  const { credentials, buckets } = endpoint;
  const store = { endpoint: `http://127.0.0.1:${endpoint.port}`, bucket: buckets, credentials };
  const options = { size: 100, ...load };
  const { values, problems } = readRunOptions(options);
  assert.deepEqual(problems, []);
  const context = { env: {}, now: Date.now(), random: Math.random, takesSnapshots: false, store };
  const { target, config } = await prepareRun(values, context);
  await target.close();
  assert.deepEqual(await billedRequests(endpoint), { A: 0, B: 0, free: 0 });
  const forecast = totalOf(forecastOf([config], LATENCY).rows);
  const { requests } = await run({ store, ...options });
  const { B, ...counts } = await billedRequests(endpoint);
  // On a busy host, the store's clock takes more requests than usual.
  return { forecast, counts: { ...counts, B: B - Math.max(Number(requests?.clock) - 60, 0) } };
}

describe('a forecast', { concurrency: 2 }, () => {
  for (const [what, load] of Object.entries(FIXED)) {
    test(`of ${what} costs as much as the store counts, within 1%`, async (t) => {
      const { forecast, counts } = await forecastAndRun(t, load);
      const ratio = dollarsFor(forecast.requests) / dollarsFor(counts);
      t.diagnostic(`${what}: ${ratio}`);
      assert.ok(ratio > 0.99 && ratio < 1.01, JSON.stringify({ ratio, ...forecast.requests, counts }));
    });
  }

  for (const [what, load] of Object.entries(TIMED)) {
    test(`of ${what} is an upper bound`, async (t) => {
      const { forecast, counts } = await forecastAndRun(t, load, `latency=${LATENCY}ms`);
      const { A, B, free } = forecast.requests;
      t.diagnostic(`${what}: ${dollarsFor(forecast.requests) / dollarsFor(counts)}`);
      assert.ok(A >= counts.A && B >= counts.B && free >= counts.free, JSON.stringify({ A, B, free, counts }));
    });
  }
});
