import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';

/** @import { TestContext } from 'node:test' */

/**
 * Makes every secure context created until the end of the test trust an additional certificate, like NODE_EXTRA_CA_CERTS does
 * for a new process.
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
