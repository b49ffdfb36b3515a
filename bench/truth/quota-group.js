import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';

const PERIOD_US = 100_000;

/**
 * The two versions of control groups: where to create a group, and how to set its quota. A machine can have both, but with a
 * CPU controller in only one of them.
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
 * @typedef {object} QuotaGroup a control group with a CPU quota
 * @property {readonly string[]} within command prefix that starts a process in it
 * @property {() => void} remove call it once its processes have ended
 */

/**
 * @param {number} cores may be fractional
 * @returns {QuotaGroup | null} null if this machine does not allow it
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

export function canLimitCpu() {
  const group = makeQuotaGroup(1);
  group?.remove();
  return group !== null;
}
