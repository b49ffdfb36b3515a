import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startAccessLogProxy } from '../helpers/access-log-proxy.js';
import { startMinio } from '../helpers/servers.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { runBenchmark } from './run-benchmark.js';
import { STAGE_NAMES } from './whole-run.js';
import { machineRecords } from '../helpers/log-records.js';

/**
 * @import { LogRecord } from '../helpers/log-records.js'
 * @import { AccessLogEntry } from '../helpers/access-log-proxy.js'
 */

const OBJECTS = 1_200;
const THREADS = 8;

/**
 * Holds the rate below THREADS / DELAY = 200 per second, so that a stage lasts at least 6 s and the machine is not
 * busy.
 */
const DELAY = 40;

/** Time from the proxy's answer to its count in the client: ample for a busy machine, but less than a second. */
const ARRIVES_WITHIN = 900;

/** Tolerance: the log's clock counts from the start, the proxy reads the wall clock each time, and both round to 1 ms. */
const CLOCKS_AGREE_WITHIN = 20;

/** @type {Record<string, string>} */
const METHODS = { Write: 'PUT', Read: 'GET', Stat: 'HEAD', Remove: 'DELETE' };

const minio = await startMinio();
const proxy = await startAccessLogProxy({ upstreamPort: minio.port, delay: DELAY });
after(async () => {
  await proxy.stop();
  await minio.stop();
});

for (const client of ['direct', 'sdk']) {
  test(`${client} client: every second of the log agrees with the proxy's access log`, async () => {
    const buckets = await minio.createBuckets(1);
    const parameters = [`${OBJECTS}`, `${THREADS}`, '--client', client];

    const run = await runBenchmark(parameters, { server: minio, buckets, port: proxy.port });

    assertStatus(run, 0);
    const records = recordsOf(run.stdout);
    const seconds = ofKind(records, 'second');
    const [{ clock }] = machineRecords(records, 'run');
    const served = (await proxy.entries()).filter(
      ({ path, status }) => isOfStage(path, buckets[0]) && status >= 200 && status < 300,
    );
    for (const stage of STAGE_NAMES) {
      const answers = served.filter(({ method }) => method === METHODS[stage]);
      const lines = seconds.filter((line) => line.stage === stage);
      assert.equal(answers.length, OBJECTS, `${stage}: one answer per object`);
      assert.ok(lines.length >= 3, `${stage} lasts long enough for a full second`);
      assertAgreement(lines, answers, clock.offset);
    }
  });
}

/**
 * Excludes the probes of the preflight and of the unloaded latency, by their names.
 *
 * @param {string} path
 * @param {string} bucket
 */
function isOfStage(path, bucket) {
  return path.startsWith(`/${bucket}/benchmark/`) && /\/[0-9a-f]{8}-\d+(?:\?|$)/.test(path);
}

/**
 * Each line ends a second. The sum of all lines so far includes everything answered well before that moment, and
 * nothing answered after it. Comparing sums rather than single seconds keeps noise from adding up.
 *
 * @param {readonly LogRecord[]} lines
 * @param {readonly AccessLogEntry[]} answers
 * @param {number} offset ms by which the log's clock (the store's, as the run measured it) is ahead of the proxy's
 */
function assertAgreement(lines, answers, offset) {
  const times = answers.map(({ answeredAt }) => answeredAt);
  const answeredBy = (/** @type {number} */ moment) => times.filter((time) => time <= moment).length;
  let previous = -Infinity;
  let counted = 0;
  for (const { time, stage, operationsPerSecond } of lines) {
    const end = epochNear(time, times[0]);
    assert.ok(previous === -Infinity || end - previous === 1_000, `${stage} ${time} follows the line before it`);
    counted += operationsPerSecond;
    const ended = end - offset;
    const [least, most] = [answeredBy(ended - ARRIVES_WITHIN), answeredBy(ended + CLOCKS_AGREE_WITHIN)];
    assert.ok(
      least <= counted && counted <= most,
      `${stage}: ${counted} operations counted by ${time}, but ${least} to ${most} answered`,
    );
    previous = end;
  }
  assert.equal(counted, answers.length);
}

/**
 * @param {string} time `HH:MM:SS` in UTC
 * @param {number} moment epoch milliseconds less than half a day away
 * @returns {number} epoch milliseconds
 */
function epochNear(time, moment) {
  const day = 86_400_000;
  const midnight = Math.floor(moment / day) * day;
  const sinceMidnight = Date.parse(`1970-01-01T${time}Z`);
  return [-day, 0, day]
    .map((shift) => midnight + shift + sinceMidnight)
    .reduce((one, other) => (Math.abs(other - moment) < Math.abs(one - moment) ? other : one));
}
