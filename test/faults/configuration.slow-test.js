import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, runCommand, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';

const OVERLONG = 'x'.repeat(1000);

describe('arguments and configuration', { concurrency: 3 }, () => {
  test('Row 21: numbers that are none are refused by name', async (t) => {
    const command = await startCommand(t, ['--local', '--json', 'result.json', '--', '10x', '10x']);
    const outcome = await command.outcome;
    assertStatus(outcome, 2);
    assert.equal(outcome.stdout, '');
    const lines = outcome.stderr.split('\n');
    for (const [place, name] of ['objects', 'threads'].entries()) {
      assert.match(lines[place], new RegExp(`^error: <${name}>: expected a whole number .*, got "10x"$`));
    }
    assert.deepEqual(await readdir(command.folder), []);
  });

  test('Row 21: missing arguments are named', async (t) => {
    const outcome = await runCommand(t, ['--local']);
    assertStatus(outcome, 2);
    assert.match(outcome.stderr, /^error: <objects>: expected .*\nerror: <threads>: expected /);
    const one = await runCommand(t, ['10', '--local']);
    assertStatus(one, 2);
    assert.match(one.stderr, /^error: <threads>: expected /);
  });

  test('Row 21: threads without an object are dropped with a notice', async (t) => {
    const outcome = await runCommand(t, ['5', '20', '--size', '1KiB', '--local']);
    assertStatus(outcome, 0);
    assert.deepEqual(
      ofKind(recordsOf(outcome.stdout), 'schedule').map(({ threads }) => threads),
      [5, 5, 5, 5],
    );
    assert.match(outcome.stderr, /^20 threads are more than 5 objects need; using 5$/m);
  });

  for (const [title, dotEnv] of Object.entries({
    'that is missing': undefined,
    'that is no such file': '\u0000\u0001{"S3_BUCKET": "bucket-a"}\n= = =\n<xml/>',
  })) {
    test(`Row 22: all problems of a .env ${title} are reported at once, with what to do`, async (t) => {
      const outcome = await runCommand(t, ['10', '2'], { dotEnv });
      assertStatus(outcome, 2);
      assert.equal(outcome.stdout, '');
      for (const name of ['S3_BUCKET', 'S3_HOSTNAME', 'S3_ACCESS_KEY', 'S3_SECRET_KEY']) {
        assert.match(outcome.stderr, new RegExp(`^error: .*${name}`, 'm'));
      }
      assert.match(outcome.stderr, /\.env\.example/);
      assert.match(outcome.stderr, /--local/);
    });
  }

  test('Row 22: quotes, CRLF, a byte order mark and `export` in a .env are understood', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const quotes = ['"', "'", ''];
    const lines = dotEnvOf(endpoint)
      .trimEnd()
      .split('\n')
      .map((line, place) => {
        const [name, value] = line.split('=');
        const quote = quotes[place % quotes.length];
        return `${place % 2 === 0 ? 'export ' : ''}${name}=${quote}${value}${quote}`;
      });
    const dotEnv = `\uFEFF${lines.join('\r\n')}\r\n`;
    assertStatus(await runCommand(t, ['10', '2', '--size', '1KiB'], { dotEnv }), 0);
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('Row 23: a bucket that is listed twice is used once, with a warning', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const dotEnv = dotEnvOf(endpoint, { S3_BUCKET: 'bucket-a,bucket-b,bucket-a' });
    const outcome = await runCommand(t, ['10', '2', '--stages', 'write', '--keep'], { dotEnv });
    assertStatus(outcome, 0);
    assert.match(outcome.stderr, /^warning: S3_BUCKET lists a bucket more than once/m);
    assert.equal(ofKind(recordsOf(outcome.stdout), 'schedule')[0].buckets, 2);
    assert.equal((await keysIn(endpoint)).length, 10);
  });

  for (const [option, label] of [
    ['--run-id', '--run-id'],
    ['--cleanup', '<run-id>'],
  ]) {
    test(`Row 29: a run id of ${option} that would widen the prefix is refused by name, and nothing is touched`, async (t) => {
      const endpoint = await startTestEndpoint(t);
      const dotEnv = dotEnvOf(endpoint);
      await endpoint.put('bucket-a', 'benchmark/another-run/00000000-0', Buffer.from('not of this run'));
      for (const given of ['', '..', 'a/b', OVERLONG]) {
        const arguments_ = option === '--run-id' ? ['10', '2'] : [];
        const outcome = await runCommand(t, [...arguments_, `${option}=${given}`], { dotEnv });
        assertStatus(outcome, 2);
        assert.equal(outcome.stdout, '');
        assert.match(
          outcome.stderr,
          new RegExp(`^error: ${label}: expected 1 to 64 characters from A-Z a-z 0-9 \\. _ -, not only dots`),
        );
        assert.ok(outcome.stderr.split('\n').every((line) => line.length < 300));
      }
      assert.equal((await endpoint.report()).connections, 0);
      assert.equal((await keysIn(endpoint)).length, 1);
    });
  }

  test(
    'Row 20: a full disk for the report is reported, and the log is complete',
    { skip: !existsSync('/dev/full') && 'needs /dev/full' },
    async (t) => {
      const outcome = await runCommand(t, ['20', '2', '--size', '1KiB', '--local', '--json', '/dev/full']);
      assertStatus(outcome, 1);
      assert.match(outcome.stderr, /^error: \/dev\/full could not be written: ENOSPC/m);
      assert.equal(ofKind(recordsOf(outcome.stdout), 'table-row').length, 4);
    },
  );
});
