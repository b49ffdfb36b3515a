import { closedWhileOpening, proxyRefused } from './connection-errors.js';

/** @import { Socket } from 'node:net' */

const MAX_HEAD_BYTES = 16 * 1024;

const HEAD_END = '\r\n\r\n';

/** @typedef {{ hostname: string, port: number, authorization?: string }} Proxy `authorization`: a header value */

/**
 * Asks a proxy for a tunnel (CONNECT, RFC 9110, section 9.3.6).
 *
 * @param {Socket} socket connected to the proxy
 * @param {{ hostname: string, port: number }} target
 * @param {string} [authorization] see {@link Proxy}
 * @returns {Promise<void>} resolves once bytes written to the socket reach the target; rejects if the proxy refuses or
 *   the socket closes
 */
export function openTunnel(socket, { hostname, port }, authorization) {
  const authority = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
  const credentials = authorization === undefined ? '' : `proxy-authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${credentials}\r\n`, 'latin1');
  return new Promise((resolve, reject) => {
    let head = '';
    const onError = (/** @type {Error} */ error) => reject(error);
    const onClose = () => reject(closedWhileOpening());
    const onReadable = () => {
      // Read byte by byte, because the bytes after the head come from the target.
      for (let byte = socket.read(1); byte !== null; byte = socket.read(1)) {
        head += byte.toString('latin1');
        if (head.endsWith(HEAD_END) || head.length > MAX_HEAD_BYTES) {
          socket
            .removeListener('readable', onReadable)
            .removeListener('close', onClose)
            .removeListener('error', onError);
          const [, status, reason] = /^HTTP\/1\.[01] ([0-9]{3})([^\r\n]*)/.exec(head) ?? [];
          if (!head.endsWith(HEAD_END)) {
            reject(proxyRefused(`with a head of more than ${MAX_HEAD_BYTES} bytes`));
          } else if (status?.startsWith('2')) {
            resolve();
          } else {
            reject(proxyRefused(status === undefined ? 'with something other than HTTP' : `${status}${reason}`));
          }
          return;
        }
      }
    };
    socket.on('readable', onReadable).once('close', onClose).once('error', onError);
  });
}
