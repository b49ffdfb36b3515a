import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { runCommand } from '../helpers/command.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';

describe('arguments and configuration', { concurrency: 2 }, () => {
  test('Row 21: threads without an object are dropped with a notice', async (t) => {
    const outcome = await runCommand(t, ['5', '20', '--size', '1KiB', '--local']);
    assertStatus(outcome, 0);
    assert.deepEqual(
      ofKind(recordsOf(outcome.stdout), 'schedule').map(({ threads }) => threads),
      [5, 5, 5, 5],
    );
    assert.match(outcome.stderr, /^20 threads are more than 5 objects need; using 5$/m);
  });

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
