/**
 * @import { Readable } from 'node:stream'
 * @import { ByteCount } from './byte-count.js'
 *
 * @typedef {{ done: boolean, value?: Uint8Array }} ReadResult
 * @typedef {{ read: () => PromiseLike<ReadResult> }} Reader
 *
 * @callback DrainStream reads a stream to its end
 * @param {Readable} stream
 * @param {ByteCount} sink
 * @returns {Promise<void>}
 */

/** The `readable` event with a loop of synchronous reads. @type {DrainStream} */
export function drainByRead(stream, sink) {
  return new Promise((resolve, reject) => {
    stream.on('readable', () => {
      let chunk;
      while ((chunk = stream.read()) !== null) {
        sink.accept(chunk);
      }
    });
    stream.once('end', resolve).once('error', reject);
  });
}

/** @type {DrainStream} */
export function drainByData(stream, sink) {
  return new Promise((resolve, reject) => {
    stream.on('data', (chunk) => sink.accept(chunk));
    stream.once('end', resolve).once('error', reject);
  });
}

/** @type {DrainStream} */
export async function drainByIteration(stream, sink) {
  for await (const chunk of stream) {
    sink.accept(chunk);
  }
}

/**
 * One loop for every kind of promise, because `await` would wrap each promise in a native one.
 *
 * @param {Reader} reader
 * @param {ByteCount} sink
 * @returns {Promise<void>}
 */
export function drainReader(reader, sink) {
  return new Promise((resolve, reject) => {
    const accept = (/** @type {ReadResult} */ { done, value }) => {
      if (done || value === undefined) {
        resolve();
        return;
      }
      sink.accept(value);
      reader.read().then(accept, reject);
    };
    reader.read().then(accept, reject);
  });
}
