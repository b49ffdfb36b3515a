import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/**
 * A certificate of 127.0.0.1, and its key, for as long as a study takes.
 *
 * @typedef {object} Certificate
 * @property {string} key PEM
 * @property {string} certificate PEM
 * @property {string} keyFile
 * @property {string} certificateFile for a client to trust
 * @property {() => void} remove removes both files
 */

/** @returns {Promise<Certificate>} */
export async function makeCertificate() {
  const { private: key, cert: certificate } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    // What oha's TLS library accepts; the default of `selfsigned` is SHA-1.
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const folder = mkdtempSync(join(tmpdir(), 'study-'));
  const files = { keyFile: join(folder, 'key.pem'), certificateFile: join(folder, 'certificate.pem') };
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  writeFileSync(files.certificateFile, certificate);
  return { key, certificate, ...files, remove: () => rmSync(folder, { recursive: true }) };
}
