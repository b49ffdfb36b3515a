/** An answer that is not HTTP, or not such HTTP that it is clear where it ends. Its connection is of no more use. */
export class ProtocolError extends Error {
  /** @param {string} message what is wrong with the answer */
  constructor(message) {
    super(message);
    this.name = 'ProtocolError';
  }
}
