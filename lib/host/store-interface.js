import dgram from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * Finds the interface that carries what goes to an address. A UDP socket is connected to it, which sends nothing: the
 * system only chooses the way, and the socket has the address of this host on it.
 *
 * @param {string} address
 * @param {number} port
 * @returns {Promise<string | null>} null where there is no way, or the interface is not known
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
