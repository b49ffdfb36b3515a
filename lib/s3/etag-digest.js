const QUOTE = 0x22;
const FNV_OFFSET_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * A 32-bit FNV-1a digest of an ETag without its quotes, so that four bytes an object are enough to tell whether a later
 * answer names the ETag that the write was answered with. Never 0, which stands for «not written».
 *
 * @param {Uint8Array} etag the header's value as it came
 * @returns {number} an unsigned 32-bit integer, not 0
 */
export function etagDigest(etag) {
  let digest = FNV_OFFSET_BASIS;
  for (let place = 0; place < etag.length; place++) {
    if (etag[place] !== QUOTE) {
      digest = Math.imul(digest ^ etag[place], FNV_PRIME);
    }
  }
  return digest >>> 0 || 1;
}
