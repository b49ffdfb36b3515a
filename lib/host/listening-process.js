import { readdirSync, readlinkSync } from 'node:fs';
import { readSystemFile } from './system-file.js';

const LISTENING = '0A';

/**
 * @param {number} port of this host
 * @returns {number | null} ID of the process that listens on the port; null if there is not exactly one, or if the
 *   system hides it from this user
 */
export function findListeningProcess(port) {
  const inodes = new Set(['tcp', 'tcp6'].flatMap((name) => socketsOn(port, readSystemFile(`/proc/net/${name}`) ?? '')));
  const holders = inodes.size === 0 ? [] : processIds().filter((id) => holdsOne(id, inodes));
  return holders.length === 1 ? holders[0] : null;
}

/**
 * @param {number} port
 * @param {string} table see proc(5): a header, then one line per socket
 * @returns {string[]} link targets of the sockets that listen on the port
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
      // The file was closed in the meantime.
      return false;
    }
  });
}

/** @param {string} folder @returns {string[]} empty if the folder is hidden from us */
function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
