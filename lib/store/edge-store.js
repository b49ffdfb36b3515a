import { isNamed } from './http/response-parser.js';
import { DirectConnection, DirectStore } from './direct-store.js';

/**
 * @import { ObjectRequest, StoreOptions } from './object-store.js'
 * @import { S3Call } from './s3-calls.js'
 */

/** The Worker's entry in the header, next to which Cloudflare may add others. See withTime() in edge/s3-requests.js. */
const BINDING_TIME = /(?:^|,) *r2(-first-byte)?;dur=(\d{1,9})(?:$|[,; ])/;

/** Sends a Worker the requests that the direct client would send to a store. */
export class EdgeStore extends DirectStore {
  /** @param {StoreOptions} options */
  constructor(options) {
    super(options, EdgeConnection);
  }
}

/** One thread's connection to the Worker, which reports how long its call of the binding took. */
class EdgeConnection extends DirectConnection {
  /**
   * @param {S3Call} call
   * @param {ObjectRequest} request
   */
  send(call, request) {
    this.reply.bindingTime = -1;
    return super.send(call, request);
  }

  /**
   * @param {Buffer} bytes
   * @param {number} name
   * @param {number} nameEnd
   * @param {number} value
   * @param {number} valueEnd
   * @param {number} status
   */
  onHeader(bytes, name, nameEnd, value, valueEnd, status) {
    super.onHeader(bytes, name, nameEnd, value, valueEnd, status);
    if (isNamed(bytes, name, nameEnd, 'server-timing')) {
      const [, firstByte, time] = BINDING_TIME.exec(bytes.toString('latin1', value, valueEnd)) ?? [];
      if (time !== undefined) {
        this.reply.bindingTime = Number(time);
        this.reply.isFirstByteTime = firstByte !== undefined;
      }
    }
  }
}
