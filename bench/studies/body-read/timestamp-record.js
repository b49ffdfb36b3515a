/**
 * Bytes of a timestamp on the wire: milliseconds as a double, its number in the stream, and padding. With the padding, a few
 * thousand timestamps fill the buffers between server and client, so that each side must wait for the other.
 */
export const RECORD_SIZE = 256;

const NUMBER_OFFSET = 8;

/**
 * @param {Buffer} chunk
 * @param {number} offset bytes
 * @param {number} milliseconds
 * @param {number} number below 2^32
 */
export function writeTimestamp(chunk, offset, milliseconds, number) {
  chunk.writeDoubleLE(milliseconds, offset);
  chunk.writeUInt32LE(number, offset + NUMBER_OFFSET);
}

/**
 * @param {Buffer} record
 * @returns {{ milliseconds: number, number: number }}
 */
export function readTimestamp(record) {
  return { milliseconds: record.readDoubleLE(0), number: record.readUInt32LE(NUMBER_OFFSET) };
}
