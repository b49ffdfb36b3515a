/** An answer that is not HTTP, or HTTP whose end is ambiguous. Its connection is unusable afterwards. */
export class ProtocolError extends Error {
  /** @param {string} message what is wrong with the answer */
  constructor(message) {
    super(message);
    this.name = 'ProtocolError';
  }
}
