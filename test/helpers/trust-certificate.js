import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';

/** @import { TestContext } from 'node:test' */

/**
 * Lets every secure context that is made from now on, until the test is over, trust a certificate beside those that it
 * trusts anyhow: what NODE_EXTRA_CA_CERTS does for a process that is yet to start.
 *
 * @param {TestContext} t
 * @param {string} certificate as PEM
 */
export function trustCertificate(t, certificate) {
  const { createSecureContext } = tls;
  const mocked = t.mock.method(tls, 'createSecureContext', (/** @type {tls.SecureContextOptions} */ options) =>
    createSecureContext({ ...options, ca: [certificate, ...tls.rootCertificates] }),
  );
  syncBuiltinESMExports();
  t.after(() => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  });
}
