import dgram from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { findCpuQuota } from './limits.js';
import {
  readAllowedCpus,
  readCpuTicks,
  readCpuTime,
  readLinkSpeed,
  readScheduling,
  readSystemFile,
  readTcpSegments,
  readThrottling,
  readTraffic,
} from './proc-files.js';

/**
 * @import { CpuLoad, HostLoad } from '../../result/result.js'
 * @import { CpuTicks, ReadSystemFile } from './proc-files.js'
 */

const SAMPLE_EVERY_MS = 1000;

/** Utilization at which a link counts as full; frame headers account for the rest. */
const FULL_LINK = 0.95;

/** Above this utilization, the reported link speed must be wrong, as with some virtual devices. */
const IMPOSSIBLE = 1.05;

/**
 * Starts measuring the load of the machine, and the limits that apply. An unavailable source makes its figure null.
 *
 * It reads everything at both ends of a stage, and the traffic every second, which takes about 0.1 ms of CPU time.
 *
 * @param {object} options
 * @param {() => number} options.now monotonic ms
 * @param {string | null} options.interfaceName of the traffic to the store; null if unknown
 * @param {number | null} [options.endpointProcess] process ID of an embedded endpoint
 * @param {ReadSystemFile} [options.read]
 * @returns {() => Omit<HostLoad, 'loops'>} ends the measurement
 */
export function measureHost({ now, interfaceName, endpointProcess = null, read = readSystemFile }) {
  const textOf = (/** @type {string} */ path) => read(path) ?? '';
  const quota = findCpuQuota(read);
  const readLink = () => ({
    at: now(),
    traffic: interfaceName === null ? null : readTraffic(textOf('/proc/net/dev'), interfaceName),
  });
  const readEndpoint = () => {
    const folder = `/proc/${endpointProcess}`;
    const scheduling = endpointProcess === null ? null : readScheduling(textOf(`${folder}/schedstat`));
    const cpu = endpointProcess === null ? null : readCpuTime(textOf(`${folder}/stat`));
    return scheduling === null || cpu === null ? null : { ...scheduling, cpu };
  };
  const take = () => {
    const { user, system } = process.cpuUsage();
    return {
      ...readLink(),
      throttling: quota && readThrottling(textOf(quota.statistics)),
      ticks: readCpuTicks(textOf('/proc/stat')),
      allowed: readAllowedCpus(textOf('/proc/self/status')),
      ownTime: (user + system) / 1000,
      endpoint: readEndpoint(),
      segments: readTcpSegments(textOf('/proc/net/snmp')),
    };
  };
  const before = take();
  let linkSpeed = interfaceName === null ? null : speedOf(interfaceName, read);
  let [seconds, fullSeconds] = [0, 0];
  let last = { at: before.at, traffic: before.traffic };
  const timer = setInterval(() => {
    const next = readLink();
    const carried = growth(last.traffic, next.traffic);
    if (carried !== null && linkSpeed !== null) {
      const used = Math.max(carried.received, carried.sent) / ((linkSpeed * (next.at - last.at)) / 1000);
      seconds += 1;
      fullSeconds += Number(used >= FULL_LINK);
      linkSpeed = used > IMPOSSIBLE ? null : linkSpeed;
      last = next;
    }
  }, SAMPLE_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    const after = take();
    const duration = Math.max(after.at - before.at, 1);
    const held = growth(before.throttling, after.throttling);
    const carried = growth(before.traffic, after.traffic, duration / 1000);
    const fullShare = seconds === 0 || linkSpeed === null ? null : fullSeconds / seconds;
    return {
      cpu: cpuLoad(before, after, duration),
      quota: held && {
        cores: Number(quota?.cores),
        throttled: held.periods > 0 ? held.throttledPeriods / held.periods : 0,
        heldBack: held.time / duration,
      },
      network: carried && { interface: String(interfaceName), linkSpeed, ...carried, fullShare },
      endpoint: growth(before.endpoint, after.endpoint, duration),
      tcp: growth(before.segments, after.segments),
    };
  };
}

/**
 * Bytes per second. Virtual interfaces, such as those of containers and tunnels, report a meaningless speed. Only a
 * physical link has a device.
 *
 * @param {string} interfaceName
 * @param {ReadSystemFile} read
 */
function speedOf(interfaceName, read) {
  const folder = `/sys/class/net/${interfaceName}`;
  return read(`${folder}/device/uevent`) === null ? null : readLinkSpeed(read(`${folder}/speed`) ?? '');
}

/**
 * @template {Record<string, number>} Counters
 * @param {Counters | null | undefined} before
 * @param {Counters | null} after
 * @param {number} [dividedBy]
 * @returns {Counters | null} null if either is unknown
 */
function growth(before, after, dividedBy = 1) {
  return !before || !after
    ? null
    : /** @type {Counters} */ (
        Object.fromEntries(Object.entries(after).map(([name, value]) => [name, (value - before[name]) / dividedBy]))
      );
}

/**
 * @typedef {{ ticks: Map<number, CpuTicks> | null, allowed: Set<number> | null, ownTime: number }} Sample `ownTime`: ms of CPU
 *   time of this process
 *
 * @param {Sample} before
 * @param {Sample} after
 * @param {number} duration ms
 * @returns {CpuLoad | null} null if the system does not report it, if CPUs were added or removed meanwhile, or if the
 *   process's usable CPUs are unknown
 */
function cpuLoad(before, after, duration) {
  const all = [...(after.ticks ?? [])].map(([number, ticks]) => ({
    ...growth(before.ticks?.get(number), ticks),
    number,
  }));
  const { allowed } = after;
  const usable = all.filter(({ number }) => allowed === null || allowed.has(number));
  const isCounted = all.every(({ total = 0 }) => total > 0) && all.length === before.ticks?.size;
  if (!isCounted || usable.length === 0 || before.allowed?.size !== allowed?.size) {
    return null;
  }
  const shareOf = (/** @type {'busy' | 'steal'} */ name, among = all) =>
    among.map((cpu) => Number(cpu[name]) / Number(cpu.total)).reduce((sum, share) => sum + share, 0);
  return {
    cpus: all.length,
    usable: usable.length,
    busy: shareOf('busy') / all.length,
    steal: shareOf('steal') / all.length,
    busiest: Math.max(...usable.map(({ busy = 0, steal = 0, total = 0 }) => (busy + steal) / total)),
    others: Math.max(shareOf('busy', usable) - (after.ownTime - before.ownTime) / duration, 0),
  };
}

/**
 * Finds the interface for traffic to an address. Connecting a UDP socket sends nothing: the system only chooses the
 * route, and gives the socket this host's address on that route.
 *
 * @param {string} address
 * @param {number} port
 * @returns {Promise<string | null>} null if there is no route, or the interface is unknown
 */
export async function findInterface(address, port) {
  const socket = dgram.createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    socket.connect(port, address);
    await once(socket, 'connect');
    const local = socket.address().address;
    const found = Object.entries(networkInterfaces()).find(([, addresses]) =>
      addresses?.some((each) => each.address === local),
    );
    return found?.[0] ?? null;
  } catch {
    return null;
  } finally {
    socket.close();
  }
}
