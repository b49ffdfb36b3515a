/** Where a drain's chunks end: as cheap as a check of a body can be, and enough to know that all of them came. */
export class ByteCount {
  bytes = 0;

  /** @param {Uint8Array} chunk */
  accept(chunk) {
    this.bytes += chunk.length;
  }
}
