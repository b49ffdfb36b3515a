import { PassThrough } from 'node:stream';
import Bluebird from 'bluebird';
import { fetch } from 'undici';
import { drainByData, drainByIteration, drainByRead, drainReader } from './drains.js';
import { MEMORY_ORIGIN, memoryClient, memorySocket } from './memory-socket.js';
import { OwnHandler } from './own-handler.js';
import { PromiseReader } from './promise-reader.js';
import { RawHandler } from './raw-handler.js';

/**
 * @import { ByteCount } from './byte-count.js'
 * @import { DrainStream, Reader } from './drains.js'
 */

/** How the direct client passes a body to the read stage (lib/store/direct-store.js, lib/load/operations/read.js). */
export const OWN_HANDLER = 'own handler';

/**
 * A full pipe, which `drain` reads to its end.
 *
 * @typedef {object} FullPipe
 * @property {(sink: ByteCount) => Promise<void>} drain
 *
 * @callback FillPipe
 * @param {readonly Buffer[]} chunks
 * @returns {FullPipe | Promise<FullPipe>}
 *
 * @typedef {Readonly<Record<string, FillPipe>>} WaysToRead by name
 */

const ownHandler = new OwnHandler();

/**
 * Reads from a buffer that holds the chunks separately. Only the two handlers do more than read: their chunks come from a
 * connection, which for undici is paused, and are parsed first.
 *
 * @type {WaysToRead}
 */
export const FROM_BUFFER = {
  [OWN_HANDLER]: arrivingOwnHandler,
  'undici handler': bufferedHandler,
  'readable, read()': nodePipe(drainByRead),
  'data events': nodePipe(drainByData),
  'for await': nodePipe(drainByIteration),
  'WHATWG reader': (chunks) => reading(whatwgStream(chunks).getReader()),
  'reader, native': (chunks) => reading(new PromiseReader(chunks, (result) => Promise.resolve(result))),
  'reader, Bluebird': (chunks) => reading(new PromiseReader(chunks, (result) => Bluebird.resolve(result))),
};

/**
 * Reads the body of a GET, from the arrival of its chunks at the socket until the last chunk is read: the real choices of a
 * client. All but the first use undici, whose streams are built on its handler.
 *
 * @type {WaysToRead}
 */
export const FROM_SOCKET = {
  [OWN_HANDLER]: arrivingOwnHandler,
  'undici handler': arrivingHandler,
  'request, read()': arrivingBody(drainByRead),
  'request, data events': arrivingBody(drainByData),
  'request, for await': arrivingBody(drainByIteration),
  'fetch, reader': arrivingFetch,
};

/** @type {FillPipe} */
async function arrivingOwnHandler(chunks) {
  await ownHandler.open(chunks);
  return { drain: (sink) => ownHandler.readBody(sink, () => ownHandler.receive(chunks)) };
}

/** @type {FillPipe} */
async function bufferedHandler(chunks) {
  const handler = await RawHandler.open(chunks, { holdsBody: true });
  memorySocket.receive(chunks);
  return { drain: (sink) => handler.readBody(sink, handler.resume) };
}

/** @type {FillPipe} */
async function arrivingHandler(chunks) {
  const handler = await RawHandler.open(chunks, { holdsBody: false });
  return { drain: (sink) => handler.readBody(sink, () => memorySocket.receive(chunks)) };
}

/**
 * @param {DrainStream} drain
 * @returns {FillPipe}
 */
function arrivingBody(drain) {
  return async (chunks) => {
    memorySocket.announce(chunks);
    const { body } = await memoryClient.request({ method: 'GET', path: '/' });
    return {
      drain(sink) {
        memorySocket.receive(chunks);
        return drain(body, sink);
      },
    };
  };
}

/** @type {FillPipe} */
async function arrivingFetch(chunks) {
  memorySocket.announce(chunks);
  const { body } = await fetch(MEMORY_ORIGIN, { dispatcher: memoryClient });
  if (body === null) {
    throw new Error('fetch gave a response without a body');
  }
  const reader = body.getReader();
  return {
    drain(sink) {
      memorySocket.receive(chunks);
      return drainReader(reader, sink);
    },
  };
}

/**
 * @param {DrainStream} drain
 * @returns {FillPipe}
 */
function nodePipe(drain) {
  return (chunks) => {
    // In byte mode, read() and `for await` would join everything buffered into one new chunk.
    const pipe = new PassThrough({ objectMode: true, highWaterMark: chunks.length + 1 });
    chunks.forEach((chunk) => pipe.write(chunk));
    pipe.end();
    return { drain: (sink) => drain(pipe, sink) };
  };
}

/** @param {readonly Buffer[]} chunks */
function whatwgStream(chunks) {
  return new ReadableStream(
    {
      start(controller) {
        chunks.forEach((chunk) => controller.enqueue(chunk));
        controller.close();
      },
    },
    { highWaterMark: chunks.length + 1 },
  );
}

/**
 * @param {Reader} reader
 * @returns {FullPipe}
 */
function reading(reader) {
  return { drain: (sink) => drainReader(reader, sink) };
}
