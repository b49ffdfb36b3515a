/** How many values the seven data bits of a byte can have. The eighth bit is set if another byte follows. */
const BITS = 0x80;

/**
 * Packs figures per second into one to three bytes each.
 *
 * @param {Iterable<number | null>} tenths of operations, or bytes, in each second; null if no log line reports it
 * @returns {string} each value plus one, or 0 for null, as LEB128 in base64
 */
export function encodeSeconds(tenths) {
  const bytes = [];
  for (const value of tenths) {
    let rest = value === null ? 0 : value + 1;
    while (rest >= BITS) {
      bytes.push((rest % BITS) + BITS);
      rest = Math.floor(rest / BITS);
    }
    bytes.push(rest);
  }
  return Buffer.from(bytes).toString('base64');
}

/** @param {string} base64 output of {@link encodeSeconds} */
export function decodeSeconds(base64) {
  const values = [];
  let value = 0;
  let scale = 1;
  for (const byte of Buffer.from(base64, 'base64')) {
    value += (byte % BITS) * scale;
    scale *= BITS;
    if (byte < BITS) {
      values.push(value === 0 ? null : value - 1);
      value = 0;
      scale = 1;
    }
  }
  return values;
}
