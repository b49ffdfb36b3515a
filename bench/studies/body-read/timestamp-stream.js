import { Transform } from 'node:stream';
import { RECORD_SIZE } from './timestamp-record.js';

/** @import { TransformCallback } from 'node:stream' */

/** Splits the chunks of a body into timestamps. If the reader stops, the stream holds one chunk and takes no more. */
export class TimestampStream extends Transform {
  /** The first part of a record that continues in the next chunk. @type {Buffer} */
  #rest = Buffer.alloc(0);

  constructor() {
    super({ readableObjectMode: true });
  }

  /**
   * @param {Buffer} chunk
   * @param {BufferEncoding} _encoding
   * @param {TransformCallback} callback
   */
  _transform(chunk, _encoding, callback) {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let offset = 0;
    for (; offset + RECORD_SIZE <= bytes.length; offset += RECORD_SIZE) {
      this.push(bytes.subarray(offset, offset + RECORD_SIZE));
    }
    this.#rest = bytes.subarray(offset);
    callback();
  }

  /** @param {TransformCallback} callback */
  _flush(callback) {
    const { length } = this.#rest;
    callback(length === 0 ? null : new Error(`the stream ended within a timestamp, after ${length} bytes of it`));
  }
}
