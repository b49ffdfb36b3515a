import { Agent } from 'node:https';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** In ms; without them, a request would wait forever. */
const TIMEOUTS = Object.freeze({
  connectionTimeout: 5000,
  requestTimeout: 10_000,
  // Otherwise the SDK only warns.
  throwOnRequestTimeout: true,
  // For a response that has started.
  socketTimeout: 10_000,
});

/** Sends requests for credentials, with time limits and a way to abort them. */
export class CredentialRequests extends NodeHttpHandler {
  /** Aborts requests in flight and further attempts. @type {AbortSignal | undefined} */
  signal;

  /** @param {string} [certificate] as PEM: the only trusted authorities */
  constructor(certificate) {
    super({ ...TIMEOUTS, ...(certificate === undefined ? {} : { httpsAgent: new Agent({ ca: certificate }) }) });
  }

  /**
   * @override
   * @param {Parameters<NodeHttpHandler['handle']>[0]} request
   * @param {Parameters<NodeHttpHandler['handle']>[1]} [options]
   */
  handle(request, options) {
    return super.handle(request, { ...options, ...(this.signal === undefined ? {} : { abortSignal: this.signal }) });
  }
}
