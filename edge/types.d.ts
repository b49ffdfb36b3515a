// The parts of the Workers runtime that edge/ uses:
// https://developers.cloudflare.com/r2/api/workers/workers-api-reference/

interface R2Range {
  offset?: number;
  length?: number;
}

interface R2Object {
  key: string;
  size: number;
  /** in quotes */
  httpEtag: string;
  uploaded: Date;
  range?: R2Range;
}

interface R2ObjectBody extends R2Object {
  body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

interface R2Conditional {
  etagMatches?: string;
  etagDoesNotMatch?: string;
}

interface R2Bucket {
  head(key: string): Promise<R2Object | null>;
  get(key: string, options?: { range?: R2Range }): Promise<R2ObjectBody | null>;
  /** null if the condition does not hold */
  put(
    key: string,
    value: string | ArrayBufferView | ReadableStream,
    options?: { onlyIf?: R2Conditional },
  ): Promise<R2Object | null>;
  delete(keys: string | string[]): Promise<void>;
  list(options: {
    prefix: string;
    limit: number;
    startAfter?: string;
  }): Promise<{ objects: R2Object[]; truncated: boolean }>;
}

/** Bytes written to `writable` can be read from `readable`; exactly this many must be written. */
declare class FixedLengthStream {
  constructor(bytes: number);
  readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  writable: WritableStream<Uint8Array>;
}
