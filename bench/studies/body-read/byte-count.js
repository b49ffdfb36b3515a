/** Counts a drain's bytes: the cheapest check that all chunks arrived. */
export class ByteCount {
  bytes = 0;

  /** @param {Uint8Array} chunk */
  accept(chunk) {
    this.bytes += chunk.length;
  }
}
