import dgram from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { readSystemFile } from './proc-files.js';

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
