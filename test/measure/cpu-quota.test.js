import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { availableCores, findCpuQuota } from '../../lib/measure/host/limits.js';

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
  });
  assert.deepEqual(findCpuQuota(read), { cores: 0.5, statistics: '/sys/fs/cgroup/pods/pod-1/cpu.stat' });
});

test('without a quota, or in a hierarchy of version 1, there is no limit', () => {
  assert.equal(findCpuQuota(reading({})), null);
  const unlimited = { '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': 'max 100000\n' };
  assert.equal(findCpuQuota(reading(unlimited)), null);
  assert.equal(findCpuQuota(reading({ ...unlimited, '/proc/self/cgroup': '1:cpu:/\n' })), null);
});

test('a process may use at most the cores it may run on', () => {
  assert.ok(availableCores() > 0 && availableCores() <= availableParallelism());
});
