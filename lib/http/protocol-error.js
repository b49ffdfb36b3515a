/** The response is not HTTP, or its end is ambiguous. The connection is unusable afterwards. */
export class ProtocolError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'ProtocolError';
  }
}
