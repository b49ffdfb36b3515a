import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { dotEnvOf, keysIn, runCommand, startCommand } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { OBJECTS, endOf, fastTime, faultRun, startFaultRun } from '../helpers/fault-run.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, recordsOf } from '../helpers/outcome.js';
import { machineRecords } from '../helpers/log-records.js';

/** @import { Exchange } from '../helpers/fault-proxy.js' */

/** A request without an answer may still take effect, so the store is counted again after this time. */
const LATE_MS = 2000;

/** Remove lasts four seconds, so that the log has lines while it runs. */
const SLOW_DELETES = 'DELETE.latency=200ms';

/** Answers after which a write may have taken effect. @type {readonly [status: number, code: string][]} */
const STORED_ALL_THE_SAME = [
  [503, 'SlowDown'],
  [408, ''],
  [400, 'RequestTimeout'],
  [200, 'InternalError'],
];

const KEPT_RUN = ['100', '4', '--size', '1', '--run-id', 'kept-run', '--stages', 'write', '--keep'];

describe('what a run leaves behind', { concurrency: 3 }, () => {
  for (const client of ['direct', 'sdk']) {
    test(`Row 16: ${client}: a PUT that timed out and is stored after its DELETE leaves no object`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const index = 42;
      /** @type {Exchange | null} */
      let late = null;
      let stored = 0;
      const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
        if (exchange.index !== index) {
          return exchange.pass();
        }
        if (exchange.operation === 'PUT' && late === null) {
          late = exchange;
          return;
        }
        await exchange.pass();
        if (exchange.operation === 'DELETE' && late !== null && stored === 0) {
          const { status } = await late.forward();
          stored = status;
        }
      });
      const run = await faultRun(t, endpoint, ['--client', client, '--timeout', '3s'], { port: proxy.port });
      assertStatus(run, 0);
      assert.equal(stored, 200, 'the late PUT took effect');
      assert.ok(run.stages[0].errors.timeout >= 1);
      assert.ok(run.report.cleanup.removed >= 1 && run.report.cleanup.left === 0, JSON.stringify(run.report.cleanup));
      assert.deepEqual(await keysIn(endpoint), []);
      await wait(LATE_MS);
      assert.deepEqual(await keysIn(endpoint), [], 'no object appears later');
    });
  }

  test('Row 16: writes with a lost answer are sent again after a second, and leave nothing', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'seed=7, lost=3%' });
    const run = await faultRun(t, endpoint);
    assertStatus(run, 0);
    const [write] = run.stages;
    const { faults, requests } = await endpoint.report();
    assert.ok(write.retries > 0 && write.retries <= faults.lost);
    assert.ok(write.endedAt - write.startedAt >= 1000);
    assert.ok(requests.PUT.total >= OBJECTS + write.retries);
    assert.deepEqual(await keysIn(endpoint), []);
    await wait(LATE_MS);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 18: a Remove with a lost answer has succeeded if its retry gets 404', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const removed = new Set();
    const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
      if (exchange.operation !== 'DELETE' || exchange.index % 20 !== 3) {
        return exchange.pass();
      }
      if (removed.has(exchange.index)) {
        return exchange.refuse(404, 'NoSuchKey');
      }
      removed.add(exchange.index);
      await exchange.forward();
      exchange.end('reset');
    });
    const run = await faultRun(t, endpoint, [], { port: proxy.port });
    assertStatus(run, 0);
    const { operations, failed, retries } = run.stages[3];
    assert.deepEqual([operations, failed, retries], [OBJECTS, 0, OBJECTS / 20]);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 18: deletes that keep failing make the run incomplete, and the remaining objects are listed', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'POST.status=501:100%' });
    const proxy = await startFaultProxy(t, endpoint, (exchange) =>
      exchange.operation === 'DELETE' && exchange.index >= 0 && exchange.index < 10
        ? exchange.refuse(400, 'InvalidRequest')
        : exchange.pass(),
    );
    const run = await faultRun(t, endpoint, ['--run-id', 'stuck-run'], { port: proxy.port });
    assertStatus(run, 1);
    const left = await keysIn(endpoint);
    const indices = left.map((key) => Number(key.split('-').at(-1)));
    assert.deepEqual(
      indices.toSorted((one, other) => one - other),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    for (const key of left) {
      assert.match(run.stderr, new RegExp(`^Remove: bucket-[ab]/${key} failed: HTTP 400`, 'm'));
    }
    assert.match(run.stderr, /^error: clean-up: .*400/m);
    assert.match(run.stderr, /^error: Clean-up of run stuck-run: .*; try again with: \S+ \S+ --cleanup stuck-run$/m);
  });

  test('operations that are given up are named, skipped later, and make the run incomplete', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const proxy = await startFaultProxy(t, endpoint, (exchange) =>
      exchange.operation === 'PUT' && exchange.index >= 0 && exchange.index < 10
        ? exchange.refuse(500, 'InternalError')
        : exchange.pass(),
    );
    const run = await faultRun(t, endpoint, ['--retries', '0'], { port: proxy.port });
    assertStatus(run, 1);
    assert.equal(run.stderr.match(/^Write: bucket-[ab]\/\S+-\d failed: HTTP 500 InternalError/gm)?.length, 10);
    assert.deepEqual(
      run.stages.map(({ operations, failed, skipped }) => [operations, failed, skipped]),
      [[OBJECTS - 10, 10, 0], ...[1, 2, 3].map(() => [OBJECTS - 10, 0, 10])],
    );
    for (const stage of ['Read', 'Stat', 'Remove']) {
      assert.ok(run.stderr.includes(`${stage}: 10 objects were skipped because they had not been written`));
    }
    assert.deepEqual(await keysIn(endpoint), []);
  });

  for (const client of ['direct', 'sdk']) {
    test(`Row 35: ${client}: writes that are stored but answered with an error leave nothing, although they are given up`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
        const answer = exchange.operation === 'PUT' ? STORED_ALL_THE_SAME[exchange.index % 10] : undefined;
        if (answer === undefined) {
          return exchange.pass();
        }
        await exchange.forward();
        exchange.refuse(...answer);
      });
      const parameters = ['--client', client, '--retries', '0', '--no-preflight'];
      const run = await faultRun(t, endpoint, parameters, { port: proxy.port });
      assertStatus(run, 1);
      const lost = (STORED_ALL_THE_SAME.length / 10) * OBJECTS;
      const [{ failed, unknownOutcomes }] = run.report.stages;
      assert.deepEqual([failed, unknownOutcomes], [lost, lost]);
      assert.match(run.stderr, /^Write: \S+ failed: HTTP 200 with an error in its body: InternalError/m);
      assert.deepEqual([run.report.cleanup.removed, run.report.cleanup.left], [lost, 0]);
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  test('Row 35: clean-up does not wait for writes whose answer excludes that they were stored', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const proxy = await startFaultProxy(t, endpoint, (exchange) =>
      exchange.operation === 'PUT' && exchange.index < 10 ? exchange.refuse(400, 'InvalidArgument') : exchange.pass(),
    );
    const run = await faultRun(t, endpoint, ['--retries', '0', '--no-preflight'], { port: proxy.port });
    assertStatus(run, 1);
    const [{ failed, unknownOutcomes }] = run.report.stages;
    assert.deepEqual([failed, unknownOutcomes, run.report.requests.cleanup], [10, 0, endpoint.buckets.length]);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  for (const buckets of ['bucket-b,bucket-a', 'bucket-x,bucket-b,bucket-a']) {
    test(`Row 34: --cleanup over ${buckets} finds the order of the run's buckets, and removes everything`, async (t) => {
      const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a', 'bucket-b', 'bucket-x'] });
      const dotEnv = dotEnvOf(endpoint, { S3_BUCKET: 'bucket-a,bucket-b' });
      assertStatus(await runCommand(t, KEPT_RUN, { dotEnv }), 0);
      const left = (await keysIn(endpoint)).length;
      const cleaned = await runCommand(t, ['--cleanup', 'kept-run'], { dotEnv, env: { S3_BUCKET: buckets } });
      assertStatus(cleaned, 0);
      assert.match(cleaned.stdout, new RegExp(`: ${left} objects removed .*, 0 left$`, 'm'));
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  test('Row 34: --cleanup without one of its buckets reports that there is another one', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint);
    assertStatus(await runCommand(t, KEPT_RUN, { dotEnv }), 0);
    const outcome = await runCommand(t, ['--cleanup', 'kept-run'], { dotEnv, env: { S3_BUCKET: 'bucket-b' } });
    assertStatus(outcome, 1);
    assert.match(outcome.stdout, /, 0 left in these buckets, but the run also used others$/m);
    assert.match(outcome.stderr, /the run used 2 buckets, .*: pass them in the order S3_BUCKET=<another>,bucket-b$/m);
    assert.deepEqual([(await endpoint.list('bucket-a')).length > 0, await endpoint.list('bucket-b')], [true, []]);
  });

  test('Row 34: --cleanup with another prefix prints where it looked, and never «0 left»', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint);
    assertStatus(await runCommand(t, [...KEPT_RUN, '--prefix', 'team/load'], { dotEnv }), 0);
    const wrong = await runCommand(t, ['--cleanup', 'kept-run'], { dotEnv });
    assertStatus(wrong, 0);
    assert.equal(
      wrong.stdout,
      'found no objects of run kept-run under benchmark/kept-run/ in bucket-a, bucket-b; nothing removed\n',
    );
  });

  for (const [what, list] of /** @type {const} */ ([
    ['is empty', '<IsTruncated>false</IsTruncated>'],
    ['claims to continue but contains no objects', '<IsTruncated>true</IsTruncated>'],
  ])) {
    test(`Row 36: a list that ${what} is not trusted`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const body = Buffer.from(`<ListBucketResult>${list}</ListBucketResult>`);
      const proxy = await startFaultProxy(t, endpoint, (exchange) =>
        exchange.operation === 'LIST'
          ? exchange.respond({ status: 200, headers: ['Content-Length', String(body.length)], body })
          : exchange.pass(),
      );
      const dotEnv = dotEnvOf(endpoint, { S3_PORT: proxy.port });
      const run = await runCommand(t, ['20', '4', '--run-id', 'unseen', '--stages', 'write'], { dotEnv });
      assertStatus(run, 1);
      const isEmpty = what === 'is empty';
      assert.deepEqual(await keysIn(endpoint), []);
      assert.match(
        run.stderr,
        isEmpty
          ? /^error: the store made 20 objects that it does not list; they were deleted by key$/m
          : /contains no objects\n.* 20 objects had to be deleted by key, which no list confirms$/m,
      );
      const listed = await runCommand(t, ['--cleanup', '--list'], { dotEnv });
      assertStatus(listed, isEmpty ? 0 : 1);
      assert.match(listed.stdout + listed.stderr, isEmpty ? /^No run left objects/m : /^error: .*contains no objects/m);
    });
  }

  for (const stage of ['remove', 'batch-remove']) {
    test(`Row 44: a list shows that a store confirmed ${stage} but kept the objects`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const proxy = await startFaultProxy(t, endpoint, (exchange) =>
        ['DELETE', 'POST'].includes(exchange.operation) ? exchange.confirmDeletion() : exchange.pass(),
      );
      const dotEnv = dotEnvOf(endpoint, { S3_PORT: proxy.port });
      const run = await runCommand(t, ['40', '4', '--run-id', 'lied', '--stages', `write,${stage}`], { dotEnv });
      assertStatus(run, 1);
      const left = (await keysIn(endpoint)).length;
      // This includes probes.
      assert.ok(left >= 40, `${left} objects are there`);
      assert.match(run.stderr, /^error: the store confirmed 40 deletes that it did not carry out$/m);
      const shown = `0 objects removed under .*, ${left} left`;
      assert.match(run.stderr, new RegExp(`: ${shown}; try again with: \\S+ \\S+ --cleanup lied$`, 'm'));

      const again = await runCommand(t, ['--cleanup', 'lied'], { dotEnv });
      assertStatus(again, 1);
      assert.match(again.stdout, new RegExp(`: ${shown}$`, 'm'));
      assert.match(again.stderr, /^error: objects may remain; try again with: \S+ \S+ --cleanup lied$/m);

      const honest = await runCommand(t, ['--cleanup', 'lied'], { dotEnv: dotEnvOf(endpoint) });
      assertStatus(honest, 0);
      assert.match(honest.stdout, new RegExp(`: ${left} objects removed .*, 0 left$`, 'm'));
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  test('Row 44: objects that a list still shows after Remove are removed again and reported', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const proxy = await startFaultProxy(t, endpoint, (exchange) =>
      exchange.operation === 'DELETE' && exchange.index >= 30 ? exchange.confirmDeletion() : exchange.pass(),
    );
    const run = await faultRun(t, endpoint, [], { port: proxy.port });
    assertStatus(run, 1);
    assert.deepEqual([run.report.cleanup.removed, run.report.cleanup.left], [OBJECTS - 30, 0]);
    assert.match(run.stderr, /^error: the store confirmed 170 deletes that it did not carry out$/m);
    assert.match(run.stderr, /: 170 objects removed under .*, 0 left$/m);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 44: one list of each bucket shows that nothing is left, without any message', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const run = await faultRun(t, endpoint);
    assertStatus(run, 0);
    assert.equal(run.report.requests.cleanup, endpoint.buckets.length);
    assert.equal(run.report.cleanup.left, 0);
    assert.doesNotMatch(run.stderr, /Clean-up/);
  });

  const IN_PARTS = ['6', '2', '--size', '6MiB', '--multipart', '--part-size', '5MiB', '--no-preflight'];

  for (const lost of ['CREATE', 'PART']) {
    test(`Row 45: an answer to ${lost} is lost, and the store cannot list uploads`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      let hasLost = false;
      const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
        if (exchange.operation === 'UPLOADS') {
          return exchange.refuse(501, 'NotImplemented');
        }
        if (exchange.operation !== lost || hasLost) {
          return exchange.pass();
        }
        hasLost = true;
        await exchange.forward();
        exchange.end('close');
      });
      const dotEnv = dotEnvOf(endpoint, { S3_PORT: proxy.port });
      const run = await runCommand(t, [...IN_PARTS, '--stages', 'write,remove'], { dotEnv });
      const { uploads } = await endpoint.report();
      const left = Object.values(uploads).reduce((sum, count) => sum + count);
      assert.deepEqual([hasLost, left], [true, lost === 'CREATE' ? 1 : 0]);
      assertStatus(run, left);
      const isSaid = /^error: clean-up: .*the store cannot list uploads, and some may be left/m.test(run.stderr);
      assert.equal(isSaid, left > 0, run.stderr);
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  for (const [what, parameters] of /** @type {[string, string[]][]} */ ([
    ['at the end of a run', ['20', '4', '--stages', 'write', '--run-id', 'endless']],
    ['of a clean-up by command', ['--cleanup', 'endless']],
    ['of all runs', ['--cleanup', '--list']],
  ])) {
    test(`Row 46: a list ${what} with endless new keys is given up`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      let listed = 0;
      const proxy = await startFaultProxy(t, endpoint, (exchange) =>
        exchange.operation === 'LIST' ? exchange.listOneMore(`~${String(listed++).padStart(9, '0')}`) : exchange.pass(),
      );
      const outcome = await runCommand(t, parameters, { dotEnv: dotEnvOf(endpoint, { S3_PORT: proxy.port }) });
      assertStatus(outcome, 1);
      assert.match(
        outcome.stderr,
        /^error: .*the list of bucket bucket-[ab] continues after 100 pages in a row without anything relevant/m,
      );
      assert.ok(listed > 100 && listed < 400, `${listed} pages`);
    });
  }

  for (const [what, parameters] of /** @type {[string, string[]][]} */ ([
    ['that ends a run', ['20', '4', '--stages', 'write', '--run-id', 'frozen', '--cores', '1']],
    ['by command', ['--cleanup', 'frozen']],
  ])) {
    test(`Row 40: a clean-up ${what} reports that a frozen store does not answer, and ends after a minute`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const proxy = await startFaultProxy(t, endpoint, (exchange) =>
        exchange.operation === 'LIST' ? undefined : exchange.pass(),
      );
      const outcome = await runCommand(t, [...parameters, '--timeout', '1h'], {
        dotEnv: dotEnvOf(endpoint, { S3_PORT: proxy.port }),
        env: fastTime(20),
      });
      assertStatus(outcome, 1);
      const lines = outcome.stderr.match(/^Clean-up: .* after \d+s, no response for \d+s$/gm) ?? [];
      assert.ok(lines.length >= 10 && lines.length <= 40, outcome.stderr);
      assert.match(
        outcome.stderr,
        /^error: clean-up: no request has succeeded for 60s: check that the store is still reachable$/m,
      );
      assert.match(outcome.stderr, /try again with: \S+ \S+ --cleanup frozen\n$/);
    });
  }

  test('a clean-up shows its first hundred errors, each once, and counts the rest', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
      if (exchange.operation === 'PUT' && exchange.index === 7) {
        // So that the store is listed twice.
        await exchange.forward();
        return exchange.end('reset');
      }
      return exchange.operation === 'POST' ? exchange.refuseEach('Locked') : exchange.pass();
    });
    const parameters = [`${OBJECTS}`, '4', '--retries', '0', '--stages', 'write', '--json', 'result.json'];
    const dotEnv = dotEnvOf(endpoint, { S3_PORT: proxy.port });
    const { report, stderr } = await endOf(await startCommand(t, [...parameters, '--no-preflight'], { dotEnv }));
    const shown = stderr.match(/^error: clean-up: .*Locked/gm) ?? [];
    assert.deepEqual([shown.length, new Set(shown).size], [100, 100]);
    assert.match(stderr, new RegExp(`^error: clean-up: ${OBJECTS - 100} more errors are not shown$`, 'm'));
    const { left, removed, problems, furtherProblems } = report.cleanup;
    assert.deepEqual([left, removed, problems.length, furtherProblems], [OBJECTS, 0, 100, OBJECTS - 100]);
  });

  test("Row 30: a shard that is interrupted removes its own objects, and neither another shard's nor foreign ones", async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'PUT.latency=20ms' });
    const dotEnv = dotEnvOf(endpoint);
    const shard = ['--run-id', 'shared', '--shard'];
    const run = ['--size', '1KiB', ...shard];
    const kept = await runCommand(t, ['60', '8', ...run, '1/2', '--stages', 'write', '--keep'], { dotEnv });
    assertStatus(kept, 0);
    const foreign = ['benchmark/shared/notes.txt', 'benchmark/shared/00000000-0', 'benchmark/shared2/00000000-0'];
    await Promise.all(foreign.map((key) => endpoint.put('bucket-a', key, Buffer.from('not of this run'))));
    const keys = (await keysIn(endpoint)).toSorted();
    assert.equal(keys.length, 60 + foreign.length);

    const command = await startCommand(t, ['2000', '4', ...run, '0/2'], { dotEnv });
    await command.shows('stdout', /^\d\d:\d\d:\d\d: Write: Ops [1-9]/m);
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 130);
    const [write] = machineRecords(recordsOf(outcome.stdout), 'stage');
    assert.match(outcome.stderr, new RegExp(`: ${write.operations} objects removed .*, 0 left`));
    assert.deepEqual((await keysIn(endpoint)).toSorted(), keys);
  });

  test('Row 17: a run killed in a later stage is cleaned up, too', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: SLOW_DELETES });
    const command = await startFaultRun(t, endpoint, ['--run-id', 'killed-run']);
    await command.shows('stdout', /^\d\d:\d\d:\d\d: Remove: Ops [1-9]/m);
    command.child.kill('SIGKILL');
    assert.equal((await command.outcome).status, null);
    const left = (await keysIn(endpoint)).length;
    assert.ok(left > 0 && left < OBJECTS);
    const outcome = await runCommand(t, ['--cleanup', 'killed-run'], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 0);
    assert.match(outcome.stdout, /^Clean-up of run killed-run: \d+ objects removed .*, 0 left\n$/);
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
