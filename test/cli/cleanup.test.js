import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'dotenv';
import {
  cleanupCommand,
  cleanupProblems,
  cleanupState,
  describeCleanup,
  readAgainCommand,
} from '../../lib/cli/cleanup.js';
import { newResult } from '../../lib/cleanup/cleanup.js';
import { WHOLE } from '../../lib/workload/shard.js';
import { dotEnvOf, folderWith, keysIn, machineLines, runCommand, startProgram } from '../helpers/command.js';
import { freePort } from '../helpers/free-port.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';

const OBJECTS = 200;
const RUN = [`${OBJECTS}`, '5', '--size', '1KiB', '--run-id', 'a-run'];

test('the result of a clean-up is told in one line', () => {
  const config = /** @type {any} */ ({
    runId: 'a-run',
    prefix: 'benchmark',
    shard: WHOLE,
    store: { buckets: ['a', 'b'] },
  });
  const result = { ...newResult(), removed: 3, left: 0 };
  const removed = 'Clean-up of run a-run: 3 objects removed under benchmark/a-run/ in a, b';
  assert.equal(describeCleanup(result, config), `${removed}, 0 left`);
  assert.equal(describeCleanup({ ...result, left: 2 }, config), `${removed}, 2 left`);
  assert.equal(describeCleanup({ ...result, left: -1 }, config), `${removed}, how many are left could not be counted`);
  assert.match(describeCleanup({ ...result, foreign: 4 }, config), /, 0 left, and 4 that the run did not write/);
  assert.equal(
    describeCleanup({ ...result, left: 5, misplaced: 4 }, config),
    `${removed}, 5 left, 4 of them in other buckets than this list gives them`,
  );
  assert.match(
    describeCleanup({ ...result, otherBuckets: ['a', null] }, config),
    /, 0 left in these buckets, which are not all buckets of the run$/,
  );
  assert.match(
    describeCleanup({ ...result, versions: 7 }, config),
    /: 3 objects and 7 older versions and delete markers removed/,
  );
  const shard = { index: 1, count: 4 };
  assert.match(describeCleanup(result, { ...config, shard }), /^Clean-up of run a-run, shard 1\/4: 3 objects /);
});

test('what went wrong with a clean-up is told a line each, and what is not shown is counted', () => {
  const config = /** @type {any} */ ({
    runId: 'r',
    prefix: 'benchmark',
    shard: WHOLE,
    store: { buckets: ['a', 'b'] },
  });
  const result = { ...newResult(), problems: ['k: AccessDenied'], furtherProblems: 7 };
  const problems = ['k: AccessDenied', '7 further errors are counted, but not shown'];
  assert.deepEqual(cleanupProblems(result, config), problems);
  const adviceOn = (/** @type {(string | null)[] | null} */ otherBuckets) =>
    cleanupProblems({ ...newResult(), misplaced: 1, otherBuckets }, config).join();
  assert.match(adviceOn(['b', 'a']), /: clean up with: S3_BUCKET=b,a node r2-benchmark\.js --cleanup r$/);
  assert.match(adviceOn(['b', null, 'a']), /over 3 buckets, .* pass them in the order S3_BUCKET=b,<another>,a$/);
  assert.match(adviceOn(null), /do not fit the buckets a,b: pass all buckets of the run/);
});

test('how far a clean-up is, is told with what is expected, where that is known', () => {
  assert.equal(cleanupState({ removed: 5, expected: null, silence: 0 }), 'Clean-up: 5 objects removed');
  assert.equal(cleanupState({ removed: 5, expected: 9, silence: 0 }), 'Clean-up: 5 of 9 objects removed');
  assert.equal(cleanupState({ removed: 10, expected: 9, silence: 0 }), 'Clean-up: 10 of 10 objects removed');
});

test('the command that cleans up names the prefix where it is not the usual one', () => {
  assert.match(cleanupCommand({ runId: 'r', prefix: 'benchmark', shard: WHOLE }), / --cleanup r$/);
  assert.match(cleanupCommand({ runId: 'r', prefix: 'x/y', shard: WHOLE }), / --cleanup r --prefix x\/y$/);
});

test('a shard is told how to clean up its own objects, and how to read them again', () => {
  const place = { runId: 'r', prefix: 'benchmark', shard: { index: 1, count: 4 }, threads: 50 };
  assert.match(cleanupCommand(place), / --cleanup r --shard 1\/4$/);
  assert.equal(
    readAgainCommand(place, { objects: 30, size: 1000 }),
    'node r2-benchmark.js 30 30 --size 1000B --stages read,stat --run-id r --shard 1/4',
  );
});

test('the command for a run whose id an earlier version took, though it looks like an option, works', () => {
  assert.match(cleanupCommand({ runId: '-x', prefix: 'benchmark', shard: WHOLE }), / '--cleanup=-x'$/);
});

test('the command that cleans up is one for a shell, whatever the names', () => {
  const config = /** @type {any} */ ({ runId: 'r', prefix: 'benchmark', shard: WHOLE, envFile: "my bucket's.env" });
  assert.equal(cleanupCommand(config), `node r2-benchmark.js --cleanup r --env-file 'my bucket'\\''s.env'`);
  const overrides = { S3_BUCKET: 'a, b', S3_PORT: '9000', S3_REGION: '' };
  assert.equal(
    cleanupCommand({ ...config, envFile: '.env', overrides }),
    `S3_BUCKET='a, b' S3_PORT=9000 S3_REGION='' node r2-benchmark.js --cleanup r`,
  );
});

describe('objects that stay', { concurrency: 3 }, () => {
  for (const client of ['direct', 'sdk']) {
    const using = ['--client', client];

    test(`Row 30: ${client}: --keep leaves the objects to a run that reads them, and --cleanup removes nothing else`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const dotEnv = dotEnvOf(endpoint);
      const kept = await runCommand(t, [...RUN, ...using, '--keep'], { dotEnv });
      assertStatus(kept, 0);
      assert.deepEqual(
        ofKind(recordsOf(kept.stdout), 'schedule').map(({ stage }) => stage),
        ['Write', 'Read', 'Stat'],
      );
      assert.match(kept.stderr, /^The objects were kept; remove them with: node \S*r2-benchmark\.js --cleanup a-run$/m);
      const keys = await keysIn(endpoint);
      assert.equal(keys.length, OBJECTS);
      assert.ok(keys.every((key) => /^benchmark\/a-run\/[0-9a-f]{8}-\d+$/.test(key)));

      const later = await runCommand(t, [...RUN, ...using, '--stages', 'read,stat'], { dotEnv });
      assertStatus(later, 0);
      assert.deepEqual(
        machineLines(recordsOf(later.stdout), 'stage').map(({ stage, operations }) => [stage, operations]),
        [
          ['Read', OBJECTS],
          ['Stat', OBJECTS],
        ],
      );
      assert.match(later.stderr, /^Stat checks sizes alone/m);
      assert.deepEqual(await keysIn(endpoint), keys, 'a run that did not write the objects leaves them');

      const foreign = ['benchmark/a-run/notes.txt', 'benchmark/a-run2/00000000-0', 'benchmark/a-run', 'other'];
      await Promise.all(foreign.map((key) => endpoint.put('bucket-a', key, Buffer.from('not of this run'))));
      const cleaned = await runCommand(t, [...using, '--cleanup', 'a-run'], { dotEnv });
      assertStatus(cleaned, 0);
      assert.match(cleaned.stdout, /^Clean-up of run a-run: 200 objects removed .*, 0 left, and 1 .* not touched\n$/);
      assert.deepEqual((await keysIn(endpoint)).toSorted(), foreign.toSorted());
    });
  }

  test('--keep with a key that may not delete leaves what it wrote, and all is well', async (t) => {
    const faults = 'DELETE.status=403/AccessDenied:100%,POST.status=403/AccessDenied:100%';
    const endpoint = await startTestEndpoint(t, { faults });
    const kept = await runCommand(t, [...RUN, '--keep', '--stages', 'write,stat'], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(kept, 0);
    assert.match(kept.stderr, /^Deleting was refused: the objects of the preflight stay /m);
    assert.match(kept.stderr, /^The objects were kept; remove them with: /m);
    const ofPreflight = 2;
    assert.equal((await keysIn(endpoint)).length, OBJECTS + ofPreflight);
  });

  test('the command that is told finds the objects again, though variables and a file with blanks say where', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const { S3_BUCKET, S3_PORT, ...variables } = parse(dotEnvOf(endpoint));
    const file = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
    const folder = await folderWith(t, { 'my own.env': ['S3_BUCKET=bucket-x\n', ...file].join('') });
    const envFile = path.join(folder, 'my own.env');
    const run = [...RUN, '--stages', 'write', '--keep', '--env-file', envFile];
    const kept = await runCommand(t, run, { env: { S3_BUCKET, S3_PORT } });
    assertStatus(kept, 0);
    assert.equal((await keysIn(endpoint)).length, OBJECTS);
    const [, told] = /^The objects were kept; remove them with: (.*)$/m.exec(kept.stderr) ?? [];
    assert.doesNotMatch(told, /S3_SECRET_KEY|S3_ACCESS_KEY/);
    const command = await startProgram(t, '/bin/sh', ['-c', told]);
    const cleaned = await command.outcome;
    assertStatus(cleaned, 0);
    assert.match(cleaned.stdout, /: 200 objects removed under .* in bucket-a, bucket-b, 0 left$/m);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test("objects of another run, or of another size, are not taken for the run's own", async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint);
    assertStatus(await runCommand(t, [...RUN, '--stages', 'write', '--keep'], { dotEnv }), 0);

    for (const more of [
      ['--stages', 'read,stat'],
      ['--stages', 'read', '--no-preflight'],
      ['--stages', 'stat'],
    ]) {
      const smaller = await runCommand(t, [...RUN, '--size', '512', ...more], { dotEnv });
      assertStatus(smaller, 2);
      assert.equal(smaller.stdout, '');
      assert.match(
        smaller.stderr,
        /^(Checking.*\n)?Measuring.*\nerror: --size: the objects of run a-run have 1KiB each, not 512B; expected --size 1KiB\n$/,
      );
    }

    const another = await runCommand(t, [...RUN, '--run-id', 'another', '--stages', 'read'], { dotEnv });
    assertStatus(another, 1);
    assert.equal(machineLines(recordsOf(another.stdout), 'stage')[0].failed, OBJECTS);
    assert.match(another.stderr, /^Read: \S+ failed: HTTP 404 NoSuchKey/m);
  });

  test('the objects of an earlier run are removed by the stage Remove alone', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint);
    assertStatus(await runCommand(t, [...RUN, '--stages', 'write', '--keep'], { dotEnv }), 0);
    assertStatus(await runCommand(t, [...RUN, '--stages', 'remove'], { dotEnv }), 0);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('more objects than a page of a listing holds are cleaned up', async (t) => {
    const endpoint = await startTestEndpoint(t, { buckets: ['bucket-a'] });
    const dotEnv = dotEnvOf(endpoint);
    const run = ['20000', '20', '--size', '1', '--run-id', 'many', '--stages', 'write'];
    const outcome = await runCommand(t, run, { dotEnv });
    assertStatus(outcome, 0);
    assert.match(outcome.stderr, /^Clean-up of run many: 20000 objects removed .*, 0 left$/m);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('a clean-up that cannot reach the store, or may not, ends with status 2', async (t) => {
    const endpoint = await startTestEndpoint(t, { port: await freePort() });
    const denied = await runCommand(t, ['--cleanup', 'a-run'], {
      dotEnv: dotEnvOf(endpoint, { S3_SECRET_KEY: 'a-wrong-secret-key' }),
    });
    assertStatus(denied, 2);
    assert.match(denied.stderr, /^error: .*S3_SECRET_KEY/);
    await endpoint.close();
    const unreachable = await runCommand(t, ['--cleanup', 'a-run'], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(unreachable, 2);
  });

  test('a clean-up gets over errors of the store, and counts what it could not remove', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'seed=7, LIST.status=503:20%, POST.status=500:20%' });
    const dotEnv = dotEnvOf(endpoint);
    assertStatus(await runCommand(t, [...RUN, '--stages', 'write', '--keep'], { dotEnv }), 0);
    const outcome = await runCommand(t, ['--cleanup', 'a-run'], { dotEnv });
    assertStatus(outcome, 0);
    assert.deepEqual(await keysIn(endpoint), []);

    const stubborn = await startTestEndpoint(t, { faults: 'POST.status=501:100%' });
    const left = await runCommand(t, [...RUN, '--stages', 'write'], { dotEnv: dotEnvOf(stubborn) });
    assertStatus(left, 1);
    assert.match(left.stderr, /^error: clean-up: .*501/m);
    assert.match(left.stderr, /try again with: node \S*r2-benchmark\.js --cleanup a-run$/m);
    assert.equal((await keysIn(stubborn)).length, OBJECTS);
  });
});
