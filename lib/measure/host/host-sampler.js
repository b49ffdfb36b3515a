import { cpus } from 'node:os';
import { findCpuQuota } from './cpu-quota.js';
import {
  readAllowedCpus,
  readCpuTicks,
  readCpuTime,
  readLinkSpeed,
  readPressure,
  readScheduling,
  readSystemFile,
  readTcpSegments,
  readThrottling,
  readTraffic,
} from './proc-files.js';

/**
 * @import { CpuLoad, HostLoad } from '../../result/result.js'
 * @import { CpuTicks, ReadSystemFile, Throttling } from './proc-files.js'
 */

const SAMPLE_EVERY_MS = 1000;

/** Utilization at which a link counts as full; frame headers account for the rest. */
const FULL_LINK = 0.95;

/** Above this utilization, the reported link speed must be wrong, as with some virtual devices. */
const IMPOSSIBLE = 1.05;

/**
 * Measures the load of the machine, and the limits that apply. An unavailable source makes its figure null.
 *
 * It reads everything at both ends of a stage, and the traffic every second, which takes about 0.1 ms of CPU time.
 */
export class HostSampler {
  #read;
  #now;
  #interfaceName;
  #quota;
  #endpointProcess;
  #before;
  #traffic;
  #linkSpeed;
  #seconds = 0;
  #fullSeconds = 0;
  #timer;

  /**
   * @param {object} options
   * @param {() => number} options.now monotonic ms
   * @param {string | null} options.interfaceName of the traffic to the store; null if unknown
   * @param {number | null} [options.endpointProcess] process ID of an embedded endpoint
   * @param {ReadSystemFile} [options.read]
   */
  constructor({ now, interfaceName, endpointProcess = null, read = readSystemFile }) {
    this.#now = now;
    this.#read = read;
    this.#interfaceName = interfaceName;
    this.#endpointProcess = endpointProcess;
    this.#quota = findCpuQuota(read);
    this.#before = this.#take();
    this.#traffic = { at: this.#before.at, ...(this.#before.traffic ?? { received: 0, sent: 0 }) };
    this.#linkSpeed = this.#readLinkSpeed();
    this.#timer = setInterval(() => this.#sampleTraffic(), SAMPLE_EVERY_MS).unref();
  }

  /** @returns {Omit<HostLoad, 'loops'>} since the start */
  stop() {
    clearInterval(this.#timer);
    const before = this.#before;
    const after = this.#take();
    const duration = Math.max(after.at - before.at, 1);
    return {
      cpu: cpuLoad(before, after, duration),
      quota: this.#quotaLoad(before, after, duration),
      pressure: shareOf(before.pressure, after.pressure, duration),
      network: this.#networkLoad(after, duration),
      endpoint: endpointLoad(before.endpoint, after.endpoint, duration),
      tcp:
        before.segments === null || after.segments === null
          ? null
          : {
              sent: after.segments.sent - before.segments.sent,
              retransmitted: after.segments.retransmitted - before.segments.retransmitted,
            },
    };
  }

  #take() {
    const ticks = readCpuTicks(this.#text('/proc/stat'));
    const { user, system } = process.cpuUsage();
    return {
      at: this.#now(),
      throttling: this.#quota === null ? null : readThrottling(this.#text(this.#quota.statistics)),
      ticks: ticks ?? ticksElsewhere(),
      isComplete: ticks !== null,
      allowed: readAllowedCpus(this.#text('/proc/self/status')),
      ownTime: (user + system) / 1000,
      pressure: readPressure(this.#text('/proc/pressure/cpu')),
      traffic: this.#readTraffic(),
      endpoint: this.#readEndpoint(),
      segments: readTcpSegments(this.#text('/proc/net/snmp')),
    };
  }

  /**
   * @param {{ throttling: Throttling | null }} before
   * @param {{ throttling: Throttling | null }} after
   * @param {number} duration ms
   */
  #quotaLoad({ throttling: before }, { throttling: after }, duration) {
    if (this.#quota === null || before === null || after === null) {
      return null;
    }
    const periods = after.periods - before.periods;
    return {
      cores: this.#quota.cores,
      throttled: periods > 0 ? (after.throttledPeriods - before.throttledPeriods) / periods : 0,
      heldBack: (after.time - before.time) / duration,
    };
  }

  #readEndpoint() {
    const folder = `/proc/${this.#endpointProcess}`;
    const scheduling = this.#endpointProcess === null ? null : readScheduling(this.#text(`${folder}/schedstat`));
    const cpuTime = this.#endpointProcess === null ? null : readCpuTime(this.#text(`${folder}/stat`));
    return scheduling === null || cpuTime === null ? null : { ...scheduling, cpuTime };
  }

  /**
   * Virtual interfaces, such as those of containers and tunnels, report a meaningless speed. Only a physical link has a
   * device.
   */
  #readLinkSpeed() {
    const folder = `/sys/class/net/${this.#interfaceName}`;
    const isPhysical = this.#read(`${folder}/device/uevent`) !== null;
    return isPhysical ? readLinkSpeed(this.#text(`${folder}/speed`)) : null;
  }

  #readTraffic() {
    return this.#interfaceName === null ? null : readTraffic(this.#text('/proc/net/dev'), this.#interfaceName);
  }

  #sampleTraffic() {
    const traffic = this.#readTraffic();
    if (traffic === null || this.#linkSpeed === null) {
      return;
    }
    const before = this.#traffic;
    const at = this.#now();
    const possible = (this.#linkSpeed * (at - before.at)) / 1000;
    const carried = Math.max(traffic.received - before.received, traffic.sent - before.sent);
    this.#seconds += 1;
    this.#fullSeconds += Number(carried >= FULL_LINK * possible);
    this.#traffic = { at, ...traffic };
    if (carried > IMPOSSIBLE * possible) {
      this.#linkSpeed = null;
    }
  }

  /**
   * @param {{ traffic: { received: number, sent: number } | null }} after
   * @param {number} duration ms
   */
  #networkLoad(after, duration) {
    const before = this.#before.traffic;
    if (this.#interfaceName === null || before === null || after.traffic === null) {
      return null;
    }
    return {
      interface: this.#interfaceName,
      linkSpeed: this.#linkSpeed,
      received: (1000 * (after.traffic.received - before.received)) / duration,
      sent: (1000 * (after.traffic.sent - before.sent)) / duration,
      fullShare: this.#seconds === 0 || this.#linkSpeed === null ? null : this.#fullSeconds / this.#seconds,
    };
  }

  /** @param {string} path */
  #text(path) {
    return this.#read(path) ?? '';
  }
}

/**
 * @typedef {object} Sample
 * @property {Map<number, CpuTicks>} ticks
 * @property {boolean} isComplete whether the ticks include the figures that only Linux reports
 * @property {Set<number> | null} allowed
 * @property {number} ownTime ms of CPU time of this process
 */

/**
 * @param {Sample} before
 * @param {Sample} after
 * @param {number} duration ms
 * @returns {CpuLoad | null} null if CPUs were added or removed meanwhile, or if the process's usable CPUs are unknown
 */
function cpuLoad(before, after, duration) {
  const all = [...after.ticks].map(([number, ticks]) => ({
    number,
    spent: difference(before.ticks.get(number), ticks),
  }));
  const { allowed } = after;
  const usable = all.filter(({ number }) => allowed === null || allowed.has(number));
  const isCounted = all.every(({ spent }) => spent.total > 0) && all.length === before.ticks.size;
  if (!isCounted || usable.length === 0 || before.allowed?.size !== allowed?.size) {
    return null;
  }
  const share = (/** @type {'busy' | 'iowait' | 'steal'} */ name) =>
    sumOf(all.map(({ spent }) => spent[name] / spent.total)) / all.length;
  const busyCores = sumOf(usable.map(({ spent }) => spent.busy / spent.total));
  return {
    cpus: all.length,
    usable: usable.length,
    busy: share('busy'),
    iowait: after.isComplete ? share('iowait') : null,
    steal: after.isComplete ? share('steal') : null,
    busiest: Math.max(...usable.map(({ spent }) => (spent.busy + spent.steal) / spent.total)),
    others: Math.max(busyCores - (after.ownTime - before.ownTime) / duration, 0),
  };
}

/**
 * @param {CpuTicks | undefined} before
 * @param {CpuTicks} after
 */
function difference(before, after) {
  const since = (/** @type {keyof CpuTicks} */ name) => after[name] - (before?.[name] ?? NaN);
  return { total: since('total'), busy: since('busy'), iowait: since('iowait'), steal: since('steal') };
}

/** Figures that Node provides on any system. @returns {Map<number, CpuTicks>} in ms */
function ticksElsewhere() {
  return new Map(
    cpus().map(({ times: { user, nice, sys, irq, idle } }, number) => {
      const busy = user + nice + sys + irq;
      return [number, { total: busy + idle, busy, iowait: 0, steal: 0 }];
    }),
  );
}

/**
 * @typedef {{ running: number, waiting: number, cpuTime: number }} EndpointTimes ms
 *
 * @param {EndpointTimes | null} before
 * @param {EndpointTimes | null} after
 * @param {number} duration ms
 */
function endpointLoad(before, after, duration) {
  if (before === null || after === null) {
    return null;
  }
  const share = (/** @type {keyof EndpointTimes} */ name) => (after[name] - before[name]) / duration;
  return { cpu: share('cpuTime'), running: share('running'), waiting: share('waiting') };
}

/**
 * @param {number | null} before ms
 * @param {number | null} after ms
 * @param {number} duration ms
 */
function shareOf(before, after, duration) {
  return before === null || after === null ? null : (after - before) / duration;
}

/** @param {readonly number[]} values */
function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}
