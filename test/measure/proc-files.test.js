import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as files from '../../lib/measure/host/proc-files.js';

const STAT = `cpu  300 0 100 600 50 0 10 40 0 0
cpu0 100 5 50 300 20 1 4 20 7 0
cpu1 200 0 50 300 30 0 6 20 0 0
intr 1234 0 0
`;

const TRAFFIC = `Inter-|   Receive                                                |  Transmit
    lo: 100 1 0 0 0 0 0 0 200 2 0 0 0 0 0 0
 xeth0: 1 1 0 0 0 0 0 0 2 2 0 0 0 0 0 0
  eth0:780 45120 0 0 0 0 0 0 330 33186 0 0 0 0 0 0
`;

const allowed = (/** @type {string} */ list) =>
  files.readAllowedCpus(`Cpus_allowed:\tff\nCpus_allowed_list:\t${list}\nMems_allowed:\t1\n`);

/** What is read, and what it means. @type {Record<string, [read: unknown, expected: unknown][]>} */
const TEXTS = {
  'each CPU by its number, without guest time, which is included in user time': [
    [
      files.readCpuTicks(STAT),
      new Map([
        [0, { total: 500, busy: 160, steal: 20 }],
        [1, { total: 606, busy: 256, steal: 20 }],
      ]),
    ],
    [files.readCpuTicks('cpu  1 2 3 4\ncpu0 1 2 3 4\n'), new Map([[0, { total: 10, busy: 6, steal: 0 }]])],
  ],
  'the CPUs that a process may use, single ones and ranges': [
    [allowed('0-2,5,8-9'), new Set([0, 1, 2, 5, 8, 9])],
    [allowed('3'), new Set([3])],
    [files.readAllowedCpus('Name:\tnode\n'), null],
  ],
  'the time of a thread on a CPU and waiting for one, unless the kernel does not count it': [
    [files.readScheduling('2500000 1250000 17\n'), { running: 2.5, waiting: 1.25 }],
    [files.readScheduling('0 0 0\n'), null],
  ],
  'the traffic of an interface by its full name': [
    [files.readTraffic(TRAFFIC, 'eth0'), { received: 780, sent: 330 }],
    [files.readTraffic(TRAFFIC, 'lo'), { received: 100, sent: 200 }],
    [files.readTraffic(TRAFFIC, 'eth'), null],
  ],
  'a quota, if there is one': [
    [['150000 100000\n', '50000\n 100000\n'].map(files.readQuota), [1.5, 0.5]],
    [
      ['max 100000\n', '', 'max', '100000', '100000 0', '-1 100000', '1e5 100000', 'null null'].map(files.readQuota),
      Array(8).fill(Infinity),
    ],
  ],
};

for (const [what, readings] of Object.entries(TEXTS)) {
  test(`reads ${what}`, () => {
    readings.forEach(([read, expected]) => assert.deepEqual(read, expected));
  });
}

test('unexpected text reports nothing, and never throws', () => {
  const {
    readCpuTicks,
    readAllowedCpus,
    readScheduling,

    readTcpSegments,
    readLinkSpeed,
    readThrottling,
  } = files;
  for (const read of [readCpuTicks, readAllowedCpus, readScheduling, readTcpSegments, readThrottling]) {
    assert.equal(read(''), null, read.name);
  }
  assert.equal(files.readTraffic('', 'eth0'), null);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const read of [readScheduling, readTcpSegments, readThrottling, readLinkSpeed]) {
        const value = read(text);
        assert.ok(value === null || typeof value === 'object' || Number.isFinite(value));
      }
      files.readGroup(text);
      readCpuTicks(text);
    }),
  );
});
