import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { availableCores, findCpuQuota, throttlingOf } from '../../lib/host/cpu-quota.js';

/** @param {Record<string, string>} files @returns {(path: string) => string | null} */
function reading(files) {
  return (path) => files[path] ?? null;
}

test("of a process's groups, the one with the smallest quota counts", () => {
  const read = reading({
    '/proc/self/cgroup': '0::/pods/pod-1/container\n',
    '/sys/fs/cgroup/pods/cpu.max': '400000 100000\n',
    '/sys/fs/cgroup/pods/pod-1/cpu.max': '50000 100000\n',
    '/sys/fs/cgroup/pods/pod-1/container/cpu.max': 'max 100000\n',
    '/sys/fs/cgroup/pods/pod-1/cpu.stat': 'nr_periods 9\nnr_throttled 3\nthrottled_usec 7000\n',
  });
  const quota = findCpuQuota(read);
  assert.deepEqual(quota, { cores: 0.5, statistics: '/sys/fs/cgroup/pods/pod-1/cpu.stat' });
  assert.deepEqual(quota && throttlingOf(quota, read), { periods: 9, throttledPeriods: 3, time: 7 });
});

test('a version 1 quota counts, even if the container sees its group at the root', () => {
  const read = reading({
    '/proc/self/cgroup': '4:cpuacct,cpu:/docker/abc\n0::/docker/abc\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '150000\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000\n',
    '/sys/fs/cgroup/cpu,cpuacct/cpu.stat': 'nr_periods 9\nnr_throttled 1\nthrottled_time 3000000\n',
  });
  const quota = findCpuQuota(read);
  assert.deepEqual(quota, { cores: 1.5, statistics: '/sys/fs/cgroup/cpu,cpuacct/cpu.stat' });
  assert.deepEqual(quota && throttlingOf(quota, read), { periods: 9, throttledPeriods: 1, time: 3 });
});

test('without a quota, there is no limit', () => {
  assert.equal(findCpuQuota(reading({})), null);
  const unlimited = {
    '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
    '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
  };
  assert.equal(findCpuQuota(reading({ '/proc/self/cgroup': '1:cpu:/\n', ...unlimited })), null);
});

test('a process may use at most the cores it may run on', () => {
  assert.ok(availableCores() > 0 && availableCores() <= availableParallelism());
});
