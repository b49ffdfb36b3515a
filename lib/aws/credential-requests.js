import { Agent } from 'node:https';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** Without them a request waits for ever. ms */
const TIMEOUTS = Object.freeze({
  connectionTimeout: 5000,
  requestTimeout: 10_000,
  // Else the SDK only warns.
  throwOnRequestTimeout: true,
  // That of an answer which has begun.
  socketTimeout: 10_000,
});

/** How services are asked for credentials: none of them is waited for without end, and all can be given up. */
export class CredentialRequests extends NodeHttpHandler {
  /** Ends those that are under way, and the attempts that would follow. @type {AbortSignal | undefined} */
  signal;

  /** @param {string} [certificate] as PEM: the only authorities to trust */
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
