import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, machineLines, runCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';

/** @import { LogRecord } from '../../lib/log/log-line.js' */

const OBJECTS = 200;
const RUN = [`${OBJECTS}`, '10', '--size', '2KiB'];
const STAGES = ['Write', 'Read', 'Stat', 'Remove'];

/**
 * Runs against an endpoint with faults, and looks at what holds whatever they are: no stage loses or invents an operation
 * or a retry, and nothing is left.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} faults
 * @param {readonly string[]} [parameters]
 */
async function runWith(t, faults, parameters = []) {
  const endpoint = await startTestEndpoint(t, { faults: `seed=7, ${faults}` });
  const outcome = await runCommand(t, [...RUN, ...parameters], { dotEnv: dotEnvOf(endpoint) });
  assert.doesNotMatch(outcome.stderr, /^ {4}at |unexpected/m);
  const records = recordsOf(outcome.stdout);
  const stages = machineLines(records, 'stage');
  assert.deepEqual(
    stages.map(({ stage }) => stage),
    STAGES,
  );
  for (const [place, stage] of stages.entries()) {
    assertAddsUp(stage, recordsOfStage(records, place));
  }
  assert.deepEqual(await keysIn(endpoint), []);
  const report = await endpoint.report();
  return { ...outcome, records, stages, report };
}

/**
 * @param {readonly LogRecord[]} records
 * @param {number} place of a stage among the stages
 * @returns {LogRecord[]} from the stage's beginning to its summary
 */
function recordsOfStage(records, place) {
  const begin = records.findIndex((record) => record.kind === 'schedule' && record.stage === STAGES[place]);
  const end = records.findIndex((record) => record.kind === 'summary' && record.stage === STAGES[place]);
  return records.slice(begin, end + 1);
}

/**
 * @param {any} stage the totals
 * @param {readonly LogRecord[]} records of the stage
 */
function assertAddsUp(stage, records) {
  const failedAttempts = sum(Object.values(stage.errors));
  assert.equal(stage.attempts, stage.operations + failedAttempts);
  assert.equal(stage.operations + stage.failed + stage.integrityErrors + stage.skipped, OBJECTS);
  assert.equal(failedAttempts, stage.retries + stage.failed + stage.integrityErrors);
  assert.equal(sum(ofKind(records, 'second').map((second) => second.operationsPerSecond)), stage.operations);
  assert.equal(sum(ofKind(records, 'retrying').map(({ more }) => 1 + more)), stage.retries, 'the retries of the log');
  assert.equal(ofKind(records, 'summary')[0].recoverableErrors, stage.retries);
}

/**
 * Every attempt goes over a connection that was either opened for it or kept.
 *
 * @param {readonly any[]} stages
 * @param {readonly LogRecord[]} records
 */
function assertConnectionsAddUp(stages, records) {
  assert.deepEqual(
    ofKind(records, 'connections').map(({ opened, reused }) => opened + reused),
    stages.map(({ attempts }) => attempts),
  );
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

describe('faults of the store', { concurrency: 6 }, () => {
  for (const client of ['direct', 'sdk']) {
    const using = ['--client', client];

    test(`${client}: corrupted bodies are integrity errors that name key and offset, and no successes`, async (t) => {
      const { status, stderr, records, stages, report } = await runWith(t, 'GET.corrupt=5%', using);
      assert.equal(status, 1);
      const count = report.faults.corrupt;
      assert.ok(count > 0);
      const lines = stderr.match(
        /^Read: integrity error: bucket-[ab]\/benchmark\/\S+\/[0-9a-f]{8}-\d+: .* from offset 1024 on$/gm,
      );
      assert.equal(lines?.length, count);
      assert.deepEqual(
        ofKind(records, 'integrity').map((record) => [record.stage, record.count]),
        [['Read', count]],
      );
      assert.deepEqual(stages[1].errors, { integrity: count });
      assert.deepEqual([stages[1].operations, stages[1].retries], [OBJECTS - count, 0]);
      assert.equal(ofKind(records, 'table-row')[1].errors, count);
    });

    test(`${client}: connections that are reset are replaced`, async (t) => {
      const faults = 'GET.reset=5%, HEAD.reset=5%, DELETE.reset=5%';
      const { status, stages, records, report } = await runWith(t, faults, using);
      assert.equal(status, 0);
      assert.ok(report.faults.reset > 0);
      assert.equal(sum(stages.map(({ retries }) => retries)), report.faults.reset);
      assertConnectionsAddUp(stages, records);
    });

    test(`${client}: a body that is cut short is never a success`, async (t) => {
      const { status, stages, report } = await runWith(t, 'GET.truncate=10%', using);
      assert.equal(status, 0);
      assert.ok(report.faults.truncate > 0);
      assert.deepEqual(stages[1].errors, { truncated: report.faults.truncate });
    });

    test(`${client}: answers that never come, or byte by byte, end at the attempt's deadline`, async (t) => {
      const parameters = [...using, '--timeout', '200ms'];
      const { status, stages, report } = await runWith(t, 'GET.hang=2%, GET.drip=2%, HEAD.hang=3%', parameters);
      assert.equal(status, 0);
      assert.ok(report.faults.hang > 0 && report.faults.drip > 0);
      assert.ok(stages[1].errors.timeout >= report.faults.drip);
      assert.ok(stages[2].errors.timeout > 0);
    });

    test(`${client}: writes whose answers are lost are sent again, after a second, and leave nothing`, async (t) => {
      const { status, stages, report } = await runWith(t, 'PUT.lost=3%', using);
      assert.equal(status, 0);
      assert.ok(report.faults.lost > 0);
      assert.equal(stages[0].retries, report.faults.lost);
      assert.ok(stages[0].stop - stages[0].start >= 1000);
      assert.equal(report.requests.PUT.total, OBJECTS + report.faults.lost);
    });

    test(`${client}: everything at once`, async (t) => {
      const faults = 'status=503:5%, status=500:2%, reset=2%, truncate=2%, lost=1%, close=20, latency=0ms..5ms';
      const { status, stages } = await runWith(t, faults, using);
      assert.equal(status, 0);
      assert.ok(stages.every(({ operations }) => operations === OBJECTS));
    });
  }

  test('a Stat that is answered with another ETag or size is an integrity error', async (t) => {
    const { status, stderr, stages, report } = await runWith(t, 'wrong-etag=4%, wrong-size=4%');
    assert.equal(status, 1);
    const { 'wrong-etag': etags, 'wrong-size': sizes } = report.faults;
    assert.equal(stderr.match(/^Stat: integrity error: \S+: the ETag is not the one/gm)?.length, etags);
    assert.equal(
      stderr.match(/^Stat: integrity error: \S+: the size is 2049 bytes, 2048 were written$/gm)?.length,
      sizes,
    );
    assert.equal(stages[2].integrityErrors, etags + sizes);
  });

  test('errors of the server are tried again, and are no throttling', async (t) => {
    const faults = 'GET.status=500:5%, DELETE.status=502:5%, HEAD.status=520:5%, PUT.status=400/BadDigest:5%';
    const { status, stages } = await runWith(t, faults);
    assert.equal(status, 0);
    assert.ok(stages.every(({ retries, throttled }) => retries > 0 && throttled === 0));
    assert.deepEqual(
      stages.map(({ errors }) => Object.keys(errors)),
      [['incomplete-request'], ['server-error'], ['server-error'], ['server-error']],
    );
  });

  test('a store that closes connections after a few requests costs no operation', async (t) => {
    const { status, stages, records } = await runWith(t, 'close=20');
    assert.equal(status, 0);
    const opened = sum(ofKind(records, 'connections').map((record) => record.opened));
    assert.ok(opened >= Math.floor((4 * OBJECTS) / 20), `${opened} connections`);
    assertConnectionsAddUp(stages, records);
    assert.ok(stages.every(({ operations }) => operations === OBJECTS));
  });

  test('a storm of 503 and 429 is sat out, and counted as throttling', async (t) => {
    const { status, stages, report } = await runWith(t, 'status=503:20%, status=429:20%');
    assert.equal(status, 0);
    const throttled = report.statuses[503] + report.statuses[429];
    assert.ok(throttled > 4 * 20);
    assert.equal(sum(stages.map((stage) => stage.throttled)), throttled);
    assert.equal(sum(stages.map((stage) => stage.retries)), throttled);
    assert.ok(stages.every((stage) => stage.operations === OBJECTS));
  });

  test('a rate limit is kept to, with the pauses that the store asks for', async (t) => {
    const { status, stages } = await runWith(t, 'HEAD.rate=300, HEAD.retry-after=1s');
    assert.equal(status, 0);
    assert.ok(stages[2].throttled > 0);
    assert.ok(stages[2].stop - stages[2].start >= 1000);
    assert.deepEqual(
      stages.map(({ throttled }) => throttled > 0),
      [false, false, true, false],
    );
  });

  test('operations that are given up are named, skipped later on, and make the run incomplete', async (t) => {
    const parameters = ['--retries', '0'];
    const { status, stderr, stages } = await runWith(t, 'PUT.status=500:10%', parameters);
    assert.equal(status, 1);
    const { failed } = stages[0];
    assert.ok(failed > 0);
    assert.equal(stderr.match(/^Write: bucket-[ab]\/\S+ failed: HTTP 500 InternalError/gm)?.length, failed);
    for (const stage of stages.slice(1)) {
      assert.equal(stage.skipped, failed);
      assert.ok(stderr.includes(`${stage.stage}: ${failed} objects were skipped, because they had not been written`));
    }
  });

  test('deletes that keep failing leave the run incomplete, and what is left is listed', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'seed=7, DELETE.status=400:5%, POST.status=501:100%' });
    const parameters = [...RUN, '--run-id', 'stuck-run'];
    const outcome = await runCommand(t, parameters, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 1);
    const left = await keysIn(endpoint);
    assert.ok(left.length > 0);
    assert.equal(outcome.stderr.match(/^Remove: \S+ failed: HTTP 400/gm)?.length, left.length);
    assert.match(outcome.stderr, /^error: clean-up: .*501/m);
    assert.match(
      outcome.stderr,
      /^error: Clean-up of run stuck-run: .*; try again with: \S+ \S+ --cleanup stuck-run$/m,
    );
  });

  test('a permission that is lost in mid-run ends the run with status 2', async (t) => {
    const endpoint = await startTestEndpoint(t, {
      faults: 'seed=7, GET.status=403/AccessDenied:2%',
      buckets: ['bucket-a'],
    });
    const outcome = await runCommand(t, RUN, { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 2);
    assert.match(outcome.stderr, /^error: read in bucket "bucket-a" was refused .*AccessDenied/m);
    const stages = machineLines(recordsOf(outcome.stdout), 'stage');
    assert.deepEqual(
      stages.map(({ stage, end }) => [stage, end]),
      [
        ['Write', 'complete'],
        ['Read', 'fatal'],
      ],
    );
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('a storm of retries does not flood the log', async (t) => {
    const { stdout, stages } = await runWith(t, 'GET.status=503:50%');
    const lines = stdout.split('\n').filter((line) => line.startsWith('Retrying'));
    const seconds = stdout.split('\n').filter((line) => / Read: Ops /.test(line));
    assert.ok(stages[1].retries > OBJECTS / 2);
    assert.ok(lines.length <= 4 * seconds.length, `${lines.length} lines in ${seconds.length} seconds`);
    assert.match(stdout, /^Retrying on TRANSIENT error \([1-9]\d* more\)$/m);
  });

  test('the endpoint of --local takes a script of faults', async (t) => {
    const outcome = await runCommand(t, [...RUN, '--local', '--faults', 'seed=7, GET.corrupt=5%']);
    assertStatus(outcome, 1);
    assert.match(outcome.stdout, /^Read: \d+ integrity errors$/m);
    assert.match(outcome.stderr, /^Read: integrity error: local\/benchmark\/\S+: .* from offset 1024 on$/m);
  });
});
