import { Agent } from 'node:https';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { ending } from './credential-process.js';

/** Milliseconds. By default, the SDK waits forever. */
const TIMEOUTS = Object.freeze({
  connectionTimeout: 5000,
  requestTimeout: 10_000,
  // By default, the SDK only logs a warning when a request times out.
  throwOnRequestTimeout: true,
  // Aborts a response that stalls midway.
  socketTimeout: 10_000,
});

/** Sends requests for credentials, with time limits and a way to abort them. */
export class CredentialRequests extends NodeHttpHandler {
  /** @param {string} [certificate] PEM text with the only trusted certificate authorities */
  constructor(certificate) {
    super({ ...TIMEOUTS, ...(certificate === undefined ? {} : { httpsAgent: new Agent({ ca: certificate }) }) });
  }

  /**
   * @override
   * @param {Parameters<NodeHttpHandler['handle']>[0]} request
   * @param {Parameters<NodeHttpHandler['handle']>[1]} [options]
   */
  handle(request, options) {
    return super.handle(request, { ...options, abortSignal: ending.getStore() });
  }
}
