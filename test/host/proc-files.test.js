import fc from 'fast-check';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as files from '../../lib/host/proc-files.js';

const ON_LINUX = { skip: process.platform !== 'linux' };

const STAT = `cpu  300 0 100 600 50 0 10 40 0 0
cpu0 100 5 50 300 20 1 4 20 7 0
cpu1 200 0 50 300 30 0 6 20 0 0
intr 1234 0 0
ctxt 99
`;

test('reads each CPU by its number, without guest time, which is included in user time', () => {
  const cpus = files.readCpuTicks(STAT);
  assert.deepEqual(
    [...(cpus ?? [])],
    [
      [0, { total: 500, busy: 160, iowait: 20, steal: 20 }],
      [1, { total: 606, busy: 256, iowait: 30, steal: 20 }],
    ],
  );
});

test('reads the output of a kernel with fewer kinds of time', () => {
  assert.deepEqual(
    [...(files.readCpuTicks('cpu  1 2 3 4\ncpu0 1 2 3 4\n') ?? [])],
    [[0, { total: 10, busy: 6, iowait: 0, steal: 0 }]],
  );
});

test('reads the CPUs that a process may use, single ones and ranges', () => {
  const read = (/** @type {string} */ list) =>
    files.readAllowedCpus(`Cpus_allowed:\tff\nCpus_allowed_list:\t${list}\nMems_allowed:\t1\n`);
  assert.deepEqual([...(read('0-2,5,8-9') ?? [])], [0, 1, 2, 5, 8, 9]);
  assert.deepEqual([...(read('3') ?? [])], [3]);
  assert.equal(files.readAllowedCpus('Name:\tnode\n'), null);
});

test('reads the time of a thread on a CPU and waiting for one in ms', () => {
  assert.deepEqual(files.readScheduling('2500000 1250000 17\n'), { running: 2.5, waiting: 1.25 });
  assert.equal(files.readScheduling('0 0 0\n'), null, 'a kernel that does not count');
});

test('pressure is the time during which something waited', () => {
  const text =
    'some avg10=17.74 avg60=24.33 avg300=24.28 total=575303308\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=9\n';
  assert.equal(files.readPressure(text), 575_303.308);
});

test('finds the traffic of an interface by its full name', () => {
  const text = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 100 1 0 0 0 0 0 0 200 2 0 0 0 0 0 0
 xeth0: 1 1 0 0 0 0 0 0 2 2 0 0 0 0 0 0
  eth0:780 45120 0 0 0 0 0 0 330 33186 0 0 0 0 0 0
`;
  assert.deepEqual(files.readTraffic(text, 'eth0'), { received: 780, sent: 330 });
  assert.deepEqual(files.readTraffic(text, 'lo'), { received: 100, sent: 200 });
  assert.equal(files.readTraffic(text, 'eth'), null);
});

test('finds segments by the names above them', () => {
  const text =
    'Ip: Forwarding\nIp: 1\nTcp: RtoMin OutSegs RetransSegs\nTcp: 200 19147685 1214\nUdp: InDatagrams\nUdp: 9\n';
  assert.deepEqual(files.readTcpSegments(text), { sent: 19_147_685, retransmitted: 1214 });
});

test('a link without a speed has a null speed', () => {
  assert.equal(files.readLinkSpeed('1000\n'), 125_000_000);
  assert.deepEqual(['-1\n', '0\n', '', 'unknown'].map(files.readLinkSpeed), [null, null, null, null]);
});

test('finds the groups of both versions', () => {
  const text = '9:name=systemd:/\n2:cpuacct,cpu:/docker/abc\n0::/system.slice/ssh.service\n';
  assert.deepEqual(files.readCgroups(text), { unified: '/system.slice/ssh.service', cpu: '/docker/abc' });
  assert.deepEqual(files.readCgroups('3:cpuset:/\n'), { unified: null, cpu: null });
});

test('a quota is the CPU time of a period divided by its length', () => {
  assert.equal(files.readQuota('150000 100000\n'), 1.5);
  assert.equal(files.readQuota('50000\n 100000\n'), 0.5);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1000, max: 1_000_000 }), (cores, period) => {
      assert.equal(files.readQuota(`${cores * period} ${period}\n`), cores);
    }),
  );
});

test('without a readable quota, there is no limit', () => {
  for (const text of ['max 100000\n', '', 'max', '100000', '100000 0', '-1 100000', '1e5 100000', 'null null']) {
    assert.equal(files.readQuota(text), Infinity, JSON.stringify(text));
  }
});

test('reads the throttled time in either version', () => {
  const throttling = { periods: 9, throttledPeriods: 3, time: 2.5 };
  assert.deepEqual(files.readThrottling('nr_periods 9\nnr_throttled 3\nthrottled_usec 2500\n'), throttling);
  assert.deepEqual(files.readThrottling('nr_periods 9\nnr_throttled 3\nthrottled_time 2500000\n'), throttling);
});

test('unexpected text reports nothing, and never throws', () => {
  const {
    readCpuTicks,
    readAllowedCpus,
    readScheduling,
    readPressure,
    readTcpSegments,
    readLinkSpeed,
    readThrottling,
  } = files;
  for (const read of [readCpuTicks, readAllowedCpus, readScheduling, readPressure, readTcpSegments, readThrottling]) {
    assert.equal(read(''), null, read.name);
  }
  assert.equal(files.readTraffic('', 'eth0'), null);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const read of [readScheduling, readPressure, readTcpSegments, readThrottling, readLinkSpeed]) {
        const value = read(text);
        assert.ok(value === null || typeof value === 'object' || Number.isFinite(value));
      }
      files.readCgroups(text);
      readCpuTicks(text);
    }),
  );
});

test('reads the files of this system', ON_LINUX, () => {
  const text = (/** @type {string} */ path) => readFileSync(path, 'utf8');
  assert.ok(Number(files.readCpuTicks(text('/proc/stat'))?.size) > 0);
  assert.ok(Number(files.readAllowedCpus(text('/proc/self/status'))?.size) > 0);
  assert.ok(Number(files.readTcpSegments(text('/proc/net/snmp'))?.sent) >= 0);
  assert.ok(Number(files.readTraffic(text('/proc/net/dev'), 'lo')?.sent) >= 0);
});
