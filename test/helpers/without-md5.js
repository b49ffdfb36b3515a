import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

// Imported by a child process: imitates Node in FIPS mode.

const { hash, createHash } = crypto;

/** @param {string} algorithm */
function refuseMd5(algorithm) {
  if (/^md5$/i.test(algorithm)) {
    throw Object.assign(new Error('error:0308010C:digital envelope routines::unsupported'), {
      code: 'ERR_OSSL_EVP_UNSUPPORTED',
    });
  }
}

crypto.hash = /** @type {any} */ (
  (/** @type {string} */ algorithm, /** @type {string} */ data, /** @type {any} */ encoding) => {
    refuseMd5(algorithm);
    return hash(algorithm, data, encoding);
  }
);
crypto.createHash = (algorithm, options) => {
  refuseMd5(algorithm);
  return createHash(algorithm, options);
};
syncBuiltinESMExports();
