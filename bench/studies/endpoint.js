import { once } from 'node:events';
import { connect } from 'node:tls';

/** @import { Certificate } from './certificate.js' */

/** Bytes of an object, small enough that the server sends the response in one piece. */
export const OBJECT_SIZE = 1024;
export const BUCKET = 'study';

/**
 * @param {number} port of the endpoint, or of its relay
 * @param {Certificate} certificate
 * @returns {Record<string, string>} environment variables with which the tool finds it
 */
export function endpointVariables(port, { certificateFile }) {
  return {
    NODE_EXTRA_CA_CERTS: certificateFile,
    S3_BUCKET: BUCKET,
    S3_HOSTNAME: '127.0.0.1',
    S3_PORT: String(port),
    S3_USE_SSL: '1',
    S3_ACCESS_KEY: BUCKET,
    S3_SECRET_KEY: BUCKET,
  };
}

/**
 * @param {number} port of a server on this host
 * @param {Certificate} certificate
 * @returns {Promise<string>} the protocol that a client negotiates with it, such as TLSv1.3
 */
export async function agreedProtocol(port, { certificate }) {
  const socket = connect({ host: '127.0.0.1', port, ca: certificate });
  await once(socket, 'secureConnect');
  const protocol = socket.getProtocol();
  socket.destroy();
  return String(protocol);
}
