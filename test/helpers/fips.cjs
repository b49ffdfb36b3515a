// Node as it is in FIPS mode, for `--require`: it has no MD5.
/** @type {Record<string, any>} */
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');

for (const name of ['createHash', 'hash']) {
  const original = crypto[name];
  crypto[name] = (/** @type {string} */ algorithm, /** @type {unknown[]} */ ...others) => {
    if (/md5/i.test(algorithm)) {
      throw Object.assign(new Error('digital envelope routines::unsupported'), { code: 'ERR_OSSL_EVP_UNSUPPORTED' });
    }
    return original.call(crypto, algorithm, ...others);
  };
}
crypto.getFips = () => 1;
syncBuiltinESMExports();
