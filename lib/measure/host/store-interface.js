import dgram from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

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
