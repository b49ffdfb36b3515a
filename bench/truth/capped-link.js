import { spawnSync } from 'node:child_process';

/** Replaces the loopback interface's packet size of 64 KiB, with which each packet would be a burst. Bytes. */
const MTU = 1500;

/** Burst allowed after a pause. A smaller burst would slow down a link of 100 Mbit/s. Bytes. */
const BURST = 32_768;

/** Queue of the link: more bytes than fifty threads send, so that no packet is dropped. */
const QUEUE = 16_777_216;

let links = 0;

/**
 * @typedef {object} CappedLink a network namespace whose loopback interface has a hidden speed limit
 * @property {readonly string[]} within command prefix that starts a process in it
 * @property {() => void} remove call it once its processes have ended
 */

/**
 * @param {number} speed bits/s
 * @returns {CappedLink | null} null if this machine does not allow it
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

export function canCapLinks() {
  const link = makeCappedLink(1e6);
  link?.remove();
  return link !== null;
}

/** @param {readonly string[]} command */
function succeeds([program, ...parameters]) {
  return spawnSync(program, parameters, { stdio: 'ignore' }).status === 0;
}
