import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';

const PERIOD_US = 100_000;

/**
 * The two kinds of control groups: where one can be made, and how it is told its quota. A machine may have both, and only
 * one of them with a controller for CPU.
 */
const KINDS = [
  {
    root: '/sys/fs/cgroup/cpu',
    limit: (/** @type {string} */ group, /** @type {number} */ quota) => {
      writeFileSync(`${group}/cpu.cfs_period_us`, String(PERIOD_US));
      writeFileSync(`${group}/cpu.cfs_quota_us`, String(quota));
    },
  },
  {
    root: '/sys/fs/cgroup',
    limit: (/** @type {string} */ group, /** @type {number} */ quota) =>
      writeFileSync(`${group}/cpu.max`, `${quota} ${PERIOD_US}`),
  },
];

let groups = 0;

/**
 * A control group with a CPU quota.
 *
 * @typedef {object} QuotaGroup
 * @property {readonly string[]} within the command that starts another one in it
 * @property {() => void} remove once its processes have ended
 */

/**
 * @param {number} cores parts of one included
 * @returns {QuotaGroup | null} null where this machine does not let one be made
 */
export function makeQuotaGroup(cores) {
  groups += 1;
  const name = `r2-benchmark-truth-${process.pid}-${groups}`;
  for (const { root, limit } of KINDS) {
    const group = `${root}/${name}`;
    const remove = () => rmdirSync(group);
    try {
      mkdirSync(group);
      limit(group, cores * PERIOD_US);
      const join = 'echo $$ > "$0" && exec "$@"';
      return { within: ['sh', '-c', join, `${group}/cgroup.procs`], remove };
    } catch {
      if (existsSync(group)) {
        remove();
      }
    }
  }
  return null;
}

/** Whether this machine lets control groups with a quota be made. */
export function canLimitCpu() {
  const group = makeQuotaGroup(1);
  group?.remove();
  return group !== null;
}
