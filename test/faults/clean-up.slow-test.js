import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { dotEnvOf, keysIn, runCommand } from '../helpers/command.js';
import { startFaultProxy } from '../helpers/fault-proxy.js';
import { OBJECTS, fastTime, faultRun, startFaultRun } from '../helpers/fault-run.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { rounded } from '../../lib/text/figures.js';

/** @import { Exchange } from '../helpers/fault-proxy.js' */

/** A request without an answer may still take effect, so the store is counted again after this time. */
const LATE_MS = 2000;

/** Remove lasts four seconds, so that the log has lines while it runs. */
const SLOW_DELETES = 'DELETE.latency=400ms';

/** Answers after which a write may have taken effect. @type {readonly [status: number, code: string][]} */
const STORED_ALL_THE_SAME = [
  [503, 'SlowDown'],
  [408, ''],
  [400, 'RequestTimeout'],
  [200, 'InternalError'],
];

const KEPT_RUN = ['100', '4', '--size', '1', '--run-id', 'kept-run', '--stages', 'write', '--keep'];

describe('what a run leaves behind', { concurrency: 3 }, () => {
  test('Row 16: a PUT that timed out and is stored after its DELETE leaves no object', async (t) => {
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
    const run = await faultRun(t, endpoint, ['--timeout', '3s'], { port: proxy.port });
    assertStatus(run, 0);
    assert.equal(stored, 200, 'the late PUT took effect');
    assert.ok(run.stages[0].errors.timeout >= 1);
    assert.ok(run.report.cleanup.removed >= 1 && run.report.cleanup.left === 0, JSON.stringify(run.report.cleanup));
    assert.deepEqual(await keysIn(endpoint), []);
    await wait(LATE_MS);
    assert.deepEqual(await keysIn(endpoint), [], 'no object appears later');
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
    assert.match(run.stderr, /^error: Clean-up of run stuck-run: .*; try again with: \S+ \S+ cleanup stuck-run$/m);
  });

  test('Row 35: writes that are stored but answered with an error leave nothing, although they are given up', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const proxy = await startFaultProxy(t, endpoint, async (exchange) => {
      const answer = exchange.operation === 'PUT' ? STORED_ALL_THE_SAME[exchange.index % 10] : undefined;
      if (answer === undefined) {
        return exchange.pass();
      }
      await exchange.forward();
      exchange.refuse(...answer);
    });
    const parameters = ['--retries', '0', '--no-preflight'];
    const run = await faultRun(t, endpoint, parameters, { port: proxy.port });
    assertStatus(run, 1);
    const lost = (STORED_ALL_THE_SAME.length / 10) * OBJECTS;
    const [{ failed, unknownOutcomes }] = run.report.stages;
    assert.deepEqual([failed, unknownOutcomes], [lost, lost]);
    assert.match(run.stderr, /^Write: \S+ failed: HTTP 200 with an error in its body: InternalError/m);
    assert.deepEqual([run.report.cleanup.removed, run.report.cleanup.left], [lost, 0]);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 34: cleanup with another prefix prints where it looked, and never «0 left»', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint);
    assertStatus(await runCommand(t, [...KEPT_RUN, '--prefix', 'team/load'], { dotEnv }), 0);
    const wrong = await runCommand(t, ['cleanup', 'kept-run'], { dotEnv });
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
      const listed = await runCommand(t, ['cleanup', 'list'], { dotEnv });
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
      // The marker is reported apart.
      assert.match(
        run.stderr,
        new RegExp(
          `: 0 objects removed under .*, ${rounded(left - 1)} left; try again with: \\S+ \\S+ cleanup lied$`,
          'm',
        ),
      );
      assert.match(run.stderr, /^error: .*-running-.* keeps it\nRemove them with: \S+ \S+ cleanup lied$/m);

      const honest = await runCommand(t, ['cleanup', 'lied'], { dotEnv: dotEnvOf(endpoint) });
      assertStatus(honest, 0);
      assert.match(honest.stdout, new RegExp(`: ${rounded(left)} objects removed .*, 0 left$`, 'm'));
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }

  test('Row 40: a clean-up reports that a frozen store does not answer, and ends after a minute', async (t) => {
    const run = ['20', '4', '--stages', 'write', '--run-id', 'frozen', '--cores', '1'];
    const endpoint = await startTestEndpoint(t);
    const proxy = await startFaultProxy(t, endpoint, (exchange) =>
      exchange.operation === 'LIST' ? undefined : exchange.pass(),
    );
    const outcome = await runCommand(t, [...run, '--timeout', '1h'], {
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
    assert.match(outcome.stderr, /try again with: \S+ \S+ cleanup frozen\n$/);
  });

  test('Row 17: a run killed in a later stage is cleaned up, too', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: SLOW_DELETES });
    const command = await startFaultRun(t, endpoint, ['--run-id', 'killed-run']);
    await command.shows('stdout', /^\d\d:\d\d:\d\d: Remove: Ops [1-9]/m);
    command.child.kill('SIGKILL');
    assert.equal((await command.outcome).status, null);
    const left = (await keysIn(endpoint)).length;
    assert.ok(left > 0 && left < OBJECTS);
    const outcome = await runCommand(t, ['cleanup', 'killed-run'], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 0);
    assert.match(outcome.stdout, /^Clean-up of run killed-run: [\d,]+ objects removed .*, 0 left\n$/);
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
