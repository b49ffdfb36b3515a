import { spawnSync } from 'node:child_process';

/** A loopback interface takes packets of 64 KiB, which no link does, and which would be a burst each. Bytes. */
const MTU = 1500;

/** What may pass at once after a pause: less would hold back a link of 100 Mbit/s to less, bytes. */
const BURST = 32_768;

/** What may wait for the link: more than fifty threads send, so that nothing is dropped, bytes. */
const QUEUE = 16_777_216;

let links = 0;

/**
 * A network namespace whose loopback interface carries only so much. The speed of its link is not known to anybody.
 *
 * @typedef {object} CappedLink
 * @property {readonly string[]} within the command that starts another one in it
 * @property {() => void} remove once its processes have ended
 */

/**
 * @param {number} speed bits/s
 * @returns {CappedLink | null} null where this machine does not let one be made
 */
export function makeCappedLink(speed) {
  links += 1;
  const name = `r2-truth-${process.pid}-${links}`;
  if (!succeeds(['ip', 'netns', 'add', name])) {
    return null;
  }
  const within = ['ip', 'netns', 'exec', name];
  const remove = () => void succeeds(['ip', 'netns', 'delete', name]);
  const bucket = ['rate', `${speed}bit`, 'burst', String(BURST), 'limit', String(QUEUE)];
  const isMade =
    succeeds([...within, 'ip', 'link', 'set', 'lo', 'mtu', String(MTU), 'up']) &&
    succeeds([...within, 'tc', 'qdisc', 'add', 'dev', 'lo', 'root', 'tbf', ...bucket]);
  if (!isMade) {
    remove();
    return null;
  }
  return { within, remove };
}

/** Whether this machine lets a link be capped. */
export function canCapLinks() {
  const link = makeCappedLink(1e6);
  link?.remove();
  return link !== null;
}

/** @param {readonly string[]} command */
function succeeds([program, ...parameters]) {
  return spawnSync(program, parameters, { stdio: 'ignore' }).status === 0;
}
