import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { generate } from 'selfsigned';
import { startLocalS3 } from '../../../lib/local-s3/start.js';

/** Bytes of an object: an answer that leaves the server in one piece. */
export const OBJECT_SIZE = 1024;
export const BUCKET = 'study';

/**
 * An endpoint behind TLS that does next to nothing for a request, in a process of its own.
 *
 * @typedef {object} StudyEndpoint
 * @property {number} port
 * @property {string} authorities file with the certificate to trust
 * @property {string} protocol that a client agrees on, such as TLSv1.3
 * @property {() => Promise<void>} close
 */

/** @returns {Promise<StudyEndpoint>} */
export async function startStudyEndpoint() {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    // What oha's TLS library accepts; the default of `selfsigned` is SHA-1.
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const { port, close } = await startLocalS3({
    buckets: [BUCKET],
    credentials: { accessKeyId: BUCKET, secretAccessKey: BUCKET },
    mode: 'null',
    objectSize: OBJECT_SIZE,
    tls: { key, cert },
  });
  const folder = mkdtempSync(join(tmpdir(), 'connection-reuse-'));
  const authorities = join(folder, 'authority.pem');
  writeFileSync(authorities, cert);
  return {
    port,
    authorities,
    protocol: await agreedProtocol(port, cert),
    async close() {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * @param {number} port
 * @param {string} ca
 */
async function agreedProtocol(port, ca) {
  const socket = connect({ host: '127.0.0.1', port, ca });
  await once(socket, 'secureConnect');
  const protocol = socket.getProtocol();
  socket.destroy();
  return String(protocol);
}
