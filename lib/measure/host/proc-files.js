import { readFileSync } from 'node:fs';

// Parsers for text files in which Linux describes the machine. Each returns null for unexpected text, for example from
// an older kernel, or from a container that hides a part. https://www.kernel.org/doc/html/latest/filesystems/proc.html

/** Linux reports CPU time in this unit. */
const TICK_MS = 10;

/**
 * @typedef {object} CpuTicks CPU time since startup, in ticks of 10 ms
 * @property {number} total
 * @property {number} busy with anything, including interrupts
 * @property {number} steal that the hypervisor gave to other guests while this one had work
 */

/** Ticks by CPU number. @param {string} text of /proc/stat */
export function readCpuTicks(text) {
  const lines = [...text.matchAll(/^cpu(\d+) (.*)$/gm)];
  const cpus = new Map(lines.map(([, number, fields]) => [Number(number), cpuTicks(fields.trim().split(/\s+/))]));
  const isRead = [...cpus.values()].every(({ total }) => Number.isFinite(total));
  return cpus.size > 0 && isRead ? cpus : null;
}

/** @param {readonly string[]} fields */
function cpuTicks(fields) {
  // The fields that follow, for guests, are already included in `user` and `nice`.
  const [user, nice, system, idle, iowait = 0, irq = 0, softirq = 0, steal = 0] = fields.map(Number);
  const busy = user + nice + system + irq + softirq;
  return { total: busy + idle + iowait + steal, busy, steal };
}

/** The numbers of the CPUs that the process can use. @param {string} text of /proc/self/status */
export function readAllowedCpus(text) {
  const [, list] = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(text) ?? [];
  if (list === undefined) {
    return null;
  }
  const ranges = list.split(',').map((range) => range.split('-').map(Number));
  return new Set(
    ranges.flatMap(([first, last = first]) => Array.from({ length: last - first + 1 }, (_, index) => first + index)),
  );
}

/**
 * @param {string} text of /proc/thread-self/schedstat, or of a process's own file for its first thread
 * @returns {{ running: number, waiting: number } | null} ms on a CPU, and ms runnable without one
 */
export function readScheduling(text) {
  const [, running, waiting] = /^(\d+) (\d+) \d+\s*$/.exec(text) ?? [];
  // The calling thread has certainly run, so a zero means that the kernel does not measure this.
  return running === undefined || Number(running) === 0
    ? null
    : { running: Number(running) / 1e6, waiting: Number(waiting) / 1e6 };
}

/** CPU time of the process on all threads, in ms. @param {string} text of /proc/…/stat */
export function readCpuTime(text) {
  // The program's name can contain anything, including parentheses.
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return Number.isFinite(user) && Number.isFinite(system) ? (user + system) * TICK_MS : null;
}

/**
 * @param {string} text of /proc/net/dev
 * @param {string} name of an interface
 * @returns {{ received: number, sent: number } | null} bytes
 */
export function readTraffic(text, name) {
  const lines = text.split('\n').map((line) => line.trim().split(/:\s*/));
  const [, values = ''] = lines.find(([each]) => each === name) ?? [];
  const fields = values.split(/\s+/).map(Number);
  const [received, sent] = [fields[0], fields[8]];
  return Number.isFinite(received) && Number.isFinite(sent) ? { received, sent } : null;
}

/**
 * @param {string} text of /proc/net/snmp: per protocol, a line of names and a line of values
 * @returns {{ sent: number, retransmitted: number } | null} TCP segments of the host
 */
export function readTcpSegments(text) {
  const [names, values] = [...text.matchAll(/^Tcp: (.*)$/gm)].map(([, fields]) => fields.trim().split(/\s+/));
  const sent = Number(values?.[names.indexOf('OutSegs')]);
  const retransmitted = Number(values?.[names.indexOf('RetransSegs')]);
  return Number.isFinite(sent) && Number.isFinite(retransmitted) ? { sent, retransmitted } : null;
}

/** Bytes/s; null if unknown. @param {string} text of /sys/class/net/…/speed */
export function readLinkSpeed(text) {
  const megabits = Number(text.trim());
  return text.trim() !== '' && megabits > 0 ? (megabits * 1e6) / 8 : null;
}

/** The process's control group; null without version 2. @param {string} text of /proc/self/cgroup */
export function readGroup(text) {
  return /^0::(\/.*)$/m.exec(text)?.[1] ?? null;
}

/**
 * @param {string} text of `cpu.max`: `max 100000`, or `150000 100000` for one and a half cores
 * @returns {number} cores; Infinity without a quota
 */
export function readQuota(text) {
  const [, quota, period] = /^(\d+)\s+(\d+)\s*$/.exec(text) ?? [];
  return Number(quota) > 0 && Number(period) > 0 ? Number(quota) / Number(period) : Infinity;
}

/**
 * @typedef {{ periods: number, throttledPeriods: number, time: number }} Throttling effect of a quota on a group so
 *   far; `time`: ms of throttling, summed over CPUs
 */

/** @param {string} text of `cpu.stat` */
export function readThrottling(text) {
  const valueOf = (/** @type {string} */ name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  const [periods, throttledPeriods] = [valueOf('nr_periods'), valueOf('nr_throttled')];
  const time = valueOf('throttled_usec') / 1000;
  return Number.isNaN(time + periods + throttledPeriods) ? null : { periods, throttledPeriods, time };
}

/**
 * @callback ReadSystemFile
 * @param {string} path
 * @returns {string | null} null if the file is missing or hidden from us
 */

/** Synchronous, because the kernel generates these files within tens of µs. @type {ReadSystemFile} */
export function readSystemFile(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
