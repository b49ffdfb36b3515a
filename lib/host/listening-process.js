import { readdirSync, readlinkSync } from 'node:fs';
import { readSystemFile } from './system-file.js';

/** The state of a socket that listens, in /proc/net/tcp. */
const LISTENING = '0A';

/**
 * @param {number} port of this host
 * @returns {number | null} the id of the process that listens there; null if there is none, or more than one, or the system does
 *   not show it to this user
 */
export function findListeningProcess(port) {
  const inodes = new Set(['tcp', 'tcp6'].flatMap((name) => socketsOn(port, readSystemFile(`/proc/net/${name}`) ?? '')));
  const holders = inodes.size === 0 ? [] : processIds().filter((id) => holdsOne(id, inodes));
  return holders.length === 1 ? holders[0] : null;
}

/**
 * @param {number} port
 * @param {string} table of proc(5): a heading, and a line for each socket
 * @returns {string[]} links to those that listen on the port
 */
function socketsOn(port, table) {
  const rows = table.split('\n').slice(1);
  return rows.flatMap((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    return state === LISTENING && Number.parseInt(local.split(':')[1], 16) === port ? [`socket:[${inode}]`] : [];
  });
}

function processIds() {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/**
 * @param {number} id of a process
 * @param {ReadonlySet<string>} sockets
 */
function holdsOne(id, sockets) {
  const folder = `/proc/${id}/fd`;
  return namesIn(folder).some((name) => {
    try {
      return sockets.has(readlinkSync(`${folder}/${name}`));
    } catch {
      // It was closed meanwhile.
      return false;
    }
  });
}

/** @param {string} folder @returns {string[]} none if it is not shown to us */
function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
