import { createHash } from 'node:crypto';

/** An in-memory R2 binding with the features that the Worker uses. @implements {R2Bucket} */
export class MemoryBucket {
  /** @type {Map<string, Buffer>} */
  objects = new Map();

  /** @param {string} key */
  async head(key) {
    const bytes = this.objects.get(key);
    return bytes === undefined ? null : describe(key, bytes);
  }

  /**
   * @param {string} key
   * @param {{ range?: R2Range }} [options]
   */
  async get(key, { range } = {}) {
    const bytes = this.objects.get(key);
    if (bytes === undefined) {
      return null;
    }
    const { offset = 0, length = bytes.length } = range ?? {};
    const part = new Uint8Array(bytes.subarray(offset, offset + length));
    const body = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (new Blob([part]).stream());
    return { ...describe(key, bytes), range: { offset, length }, body };
  }

  /**
   * @param {string} key
   * @param {string | ArrayBufferView | ReadableStream} value
   * @param {{ onlyIf?: R2Conditional }} [options]
   */
  async put(key, value, { onlyIf } = {}) {
    const bytes = Buffer.from(await new Response(/** @type {any} */ (value)).arrayBuffer());
    const { httpEtag = null } = (await this.head(key)) ?? {};
    const { etagMatches, etagDoesNotMatch } = onlyIf ?? {};
    const isOther = etagMatches !== undefined && httpEtag !== `"${etagMatches}"`;
    if (isOther || (etagDoesNotMatch === '*' && httpEtag !== null)) {
      return null;
    }
    this.objects.set(key, bytes);
    return describe(key, bytes);
  }

  /** @param {string | string[]} keys */
  async delete(keys) {
    [keys].flat().forEach((key) => this.objects.delete(key));
  }

  /** @param {{ prefix: string, limit: number, startAfter?: string }} options */
  async list({ prefix, limit, startAfter = '' }) {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > startAfter).toSorted();
    const objects = keys.slice(0, limit).map((key) => describe(key, this.objects.get(key) ?? Buffer.alloc(0)));
    return { objects, truncated: keys.length > limit };
  }
}

/**
 * @param {string} key
 * @param {Buffer} bytes
 * @returns {R2Object}
 */
function describe(key, bytes) {
  const httpEtag = `"${createHash('md5').update(bytes).digest('hex')}"`;
  return { key, size: bytes.length, httpEtag, uploaded: new Date(0) };
}
