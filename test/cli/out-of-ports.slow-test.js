import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { PROGRAM, startProgram } from '../helpers/command.js';
import { assertStatus, ofKind, recordsOf } from '../helpers/outcome.js';
import { machineRecords } from '../helpers/log-records.js';

/** A separate network, in which six connections use all ports. */
const IN_NARROW_NETWORK =
  'ip link set lo up && sysctl -qw net.ipv4.ip_local_port_range="32768 32773" && exec "$0" "$@"';

const skip = canNarrow() ? false : 'needs unshare, ip and sysctl, and the permission to make a network namespace';

function canNarrow() {
  return spawnSync('unshare', ['-rn', 'sh', '-c', IN_NARROW_NETWORK, 'true']).status === 0;
}

test(
  'Row 14: a host without a free port waits for one, reports it once, and completes all operations',
  { skip },
  async (t) => {
    const run = [
      process.execPath,
      PROGRAM,
      '40',
      '12',
      '--size',
      '1KiB',
      '--local',
      '--no-keep-alive',
      '--stages',
      'write',
    ];
    const command = await startProgram(t, 'unshare', ['-rn', 'sh', '-c', IN_NARROW_NETWORK, ...run]);
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    assert.equal(
      outcome.stderr.match(/^warning: this host has run out of local ports .*ip_local_port_range$/gm)?.length,
      1,
    );
    assert.match(outcome.stderr, /^warning: .*--no-keep-alive/m);
    const records = recordsOf(outcome.stdout);
    const [write] = machineRecords(records, 'stage');
    assert.equal(write.operations, 40);
    assert.ok(write.errors['no-port'] > 0, 'more threads than ports');
    assert.deepEqual(Object.keys(write.errors), ['no-port']);
    // Each thread requests a port at most once per second.
    const seconds = ofKind(records, 'second').length;
    assert.ok(write.retries <= 12 * (seconds + 1), `${write.retries} retries in ${seconds} seconds`);
  },
);
