import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findInterface, measureHost } from '../../lib/measure/host/host-sampler.js';

/**
 * A host whose files and clock the test controls.
 *
 * @param {Record<string, string>} files
 * @param {string | null} [interfaceName]
 */
function hostWith(files, interfaceName = null) {
  const host = { files, time: 1000 };
  const stop = measureHost({ now: () => host.time, interfaceName, read: (path) => host.files[path] ?? null });
  return { host, stop };
}

/** @param {readonly (readonly number[])[]} cpus user, idle, iowait, steal */
function statOf(cpus) {
  const lines = cpus.map(
    ([user, idle, iowait, steal], number) => `cpu${number} ${user} 0 0 ${idle} ${iowait} 0 0 ${steal}`,
  );
  return `cpu  0 0 0 0\n${lines.join('\n')}\n`;
}

test("shares cover the time in between, and other processes' CPU time counts on the CPUs that we may use", () => {
  const status = 'Cpus_allowed_list:\t0,2\n';
  const { host, stop } = hostWith({
    '/proc/stat': statOf([
      [100, 100, 0, 0],
      [100, 100, 0, 0],
      [100, 100, 0, 0],
    ]),
    '/proc/self/status': status,
  });
  // A hundred seconds, compared with which this process's own CPU time is negligible.
  host.time += 100_000;
  host.files = {
    '/proc/stat': statOf([
      [9100, 600, 200, 300],
      [100, 10_100, 0, 0],
      [5100, 5100, 0, 0],
    ]),
    '/proc/self/status': status,
  };
  const { cpu } = stop();
  assert.ok(cpu !== null);
  const { others, ...rest } = cpu;
  const rounded = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, Math.round(Number(value) * 1e4) / 1e4]),
  );
  assert.deepEqual(rounded, { cpus: 3, usable: 2, busy: 0.4667, steal: 0.01, busiest: 0.93 });
  assert.ok(others > 1.39 && others <= 1.4, String(others));
});

test("reads the embedded endpoint's CPU time from its process", () => {
  const statOfProcess = (/** @type {number} */ user, /** @type {number} */ system) =>
    `42 (a (strange) name) S 1 42 42 0 -1 4194560 9 0 0 0 ${user} ${system} 0 0 20 0 11 0 100 1000 10`;
  const host = {
    time: 1000,
    /** @type {Record<string, string>} */
    files: { '/proc/42/stat': statOfProcess(100, 50), '/proc/42/schedstat': '1000000000 200000000 9\n' },
  };
  const options = {
    now: () => host.time,
    interfaceName: null,
    read: (/** @type {string} */ path) => host.files[path] ?? null,
  };
  const [known, other] = [measureHost({ ...options, endpointProcess: 42 }), measureHost(options)];
  host.time += 2000;
  host.files = { '/proc/42/stat': statOfProcess(250, 80), '/proc/42/schedstat': '2600000000 400000000 99\n' };
  assert.deepEqual(known().endpoint, { cpu: 0.9, running: 0.8, waiting: 0.1 });
  assert.equal(other().endpoint, null);
  const ended = measureHost({ ...options, endpointProcess: 42 });
  host.files = {};
  assert.equal(ended().endpoint, null, 'its process has ended');
});

test('adding a CPU, or CPUs with other numbers than those that the process may use, make the figures unknown', () => {
  const [one, two] = [
    [[50, 50, 0, 0]],
    [
      [100, 2, 0, 0],
      [100, 2, 0, 0],
    ],
  ].map(statOf);
  const others = { '/proc/self/status': 'Cpus_allowed_list:\t4-7\n' };
  for (const [files, later] of /** @type {[Record<string, string>, string][]} */ ([
    [{}, two],
    [others, one],
  ])) {
    const { host, stop } = hostWith({ '/proc/stat': statOf([[1, 1, 0, 0]]), ...files });
    host.time += 1000;
    host.files['/proc/stat'] = later;
    assert.equal(stop().cpu, null);
  }
});

test('reports quota, traffic and retransmissions per second or as shares', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const traffic = (/** @type {number} */ received, /** @type {number} */ sent) =>
    `  eth0: ${received} 0 0 0 0 0 0 0 ${sent} 0 0 0 0 0 0 0\n`;
  const { host, stop } = hostWith(
    {
      '/proc/self/cgroup': '0::/\n',
      '/sys/fs/cgroup/cpu.max': '50000 100000\n',
      '/sys/fs/cgroup/cpu.stat': 'nr_periods 10\nnr_throttled 2\nthrottled_usec 1000000\n',
      '/proc/net/dev': traffic(0, 0),
      '/proc/net/snmp': 'Tcp: OutSegs RetransSegs\nTcp: 100 5\n',
      '/sys/class/net/eth0/speed': '100\n',
      '/sys/class/net/eth0/device/uevent': 'DRIVER=e1000e\n',
    },
    'eth0',
  );
  const full = 12_500_000;
  // Of four seconds, one is full in one direction, and one in the other.
  for (const [received, sent] of [
    [full, 1000],
    [full + 1000, 0.96 * full],
    [full + 2000, 1.8 * full],
    [full + 3000, 2.6 * full],
  ]) {
    host.time += 1000;
    host.files['/proc/net/dev'] = traffic(received, Math.round(sent));
    t.mock.timers.tick(1000);
  }
  host.files['/sys/fs/cgroup/cpu.stat'] = 'nr_periods 50\nnr_throttled 32\nthrottled_usec 9000000\n';
  host.files['/proc/net/snmp'] = 'Tcp: OutSegs RetransSegs\nTcp: 300 15\n';
  const { quota, network, tcp } = stop();
  assert.deepEqual(quota, { cores: 0.5, throttled: 0.75, heldBack: 2 });
  assert.deepEqual(tcp, { sent: 200, retransmitted: 10 });
  assert.deepEqual(network, {
    interface: 'eth0',
    linkSpeed: full,
    received: (full + 3000) / 4,
    sent: (2.6 * full) / 4,
    fullShare: 0.5,
  });
});

test('a link that carries more than its speed reports a wrong one, and so may an interface without a device', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const traffic = (/** @type {number} */ received) => `  eth0: ${received} 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n`;
  const device = { '/sys/class/net/eth0/speed': '10\n', '/sys/class/net/eth0/device/uevent': 'DRIVER=virtio_net\n' };
  const { host, stop } = hostWith({ '/proc/net/dev': traffic(0), ...device }, 'eth0');
  host.time += 1000;
  host.files['/proc/net/dev'] = traffic(30_000_000);
  t.mock.timers.tick(1000);
  const { network } = stop();
  assert.deepEqual([network?.linkSpeed, network?.fullShare, network?.received], [null, null, 30_000_000]);
  const virtual = hostWith({ '/proc/net/dev': traffic(0), '/sys/class/net/eth0/speed': '10000\n' }, 'eth0');
  assert.equal(virtual.stop().network?.linkSpeed, null);
});

test('the interface to an address of this host is the loopback, and an unreachable address has none', async () => {
  assert.match((await findInterface('127.0.0.1', 9)) ?? '', /^lo/);
  assert.equal(await findInterface('name.invalid', 9), null);
});
