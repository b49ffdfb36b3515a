import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/**
 * @typedef {object} Certificate a temporary certificate for 127.0.0.1, and its key
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
    // oha's TLS library rejects SHA-1, the default of `selfsigned`.
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const folder = mkdtempSync(join(tmpdir(), 'study-'));
  const files = { keyFile: join(folder, 'key.pem'), certificateFile: join(folder, 'certificate.pem') };
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  writeFileSync(files.certificateFile, certificate);
  return { key, certificate, ...files, remove: () => rmSync(folder, { recursive: true }) };
}
