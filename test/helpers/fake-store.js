import { Clock } from '../../lib/measure/clock/clock.js';
import { Keyspace, WHOLE } from '../../lib/load/workload/keyspace.js';
import { DEFAULT_AMOUNTS } from '../../lib/load/operations/registry.js';
import { Payload } from '../../lib/load/workload/payload.js';
import { Ledger, ledgerMemory } from '../../lib/load/workload/ledger.js';
import { TimerAlarm } from './timer-alarm.js';

/**
 * @import { Engine } from '../../lib/load/run-stage.js'
 * @import { BodySink, ObjectConnection, ObjectRequest, Reply } from '../../lib/store/object-store.js'
 * @import { S3Call } from '../../lib/store/s3-calls.js'
 * @import { Shard } from '../../lib/result/config.js'
 */

/** Names of S3 calls in tests. @type {Record<string, FakeMethod>} */
const METHODS = {
  PutObject: 'put',
  GetObject: 'get',
  HeadObject: 'head',
  DeleteObject: 'remove',
  ListObjectsV2: 'list',
  DeleteObjects: 'batch',
  CopyObject: 'copy',
  CreateMultipartUpload: 'create',
  UploadPart: 'part',
  CompleteMultipartUpload: 'complete',
  AbortMultipartUpload: 'abort',
};

/**
 * @typedef {'put' | 'get' | 'head' | 'remove' | 'list' | 'batch' | 'copy' | 'create' | 'part' | 'complete' | 'abort'} FakeMethod
 *
 * @typedef {object} FakeRequest
 * @property {FakeMethod} method
 * @property {string} bucket
 * @property {string} key
 * @property {FakeConnection} connection that carries it
 * @property {Buffer | Iterable<Buffer>} [body] of a put
 * @property {BodySink} [sink] of a get
 * @property {ObjectRequest['input']} input
 */

/**
 * A connection without a store: the test determines the outcome of each request.
 *
 * @implements {ObjectConnection}
 */
export class FakeConnection {
  #answer;
  /** @type {((error: Error) => void) | null} */
  #reject = null;
  /** @type {Reply} */
  reply = { status: 200, etagDigest: 1, contentLength: 0, contentRange: '', output: {} };
  startedAt = 0;
  moved = 0;
  movedBefore = 0;
  answeredAt = 0;
  idleSince = 0;

  /** @param {(request: FakeRequest) => unknown} answer if it throws or rejects, the request fails with that error */
  constructor(answer) {
    this.#answer = answer;
  }

  /**
   * @param {S3Call} call
   * @param {ObjectRequest} request
   */
  send({ name }, { bucket, key, body, sink, input }) {
    return this.#carry({ method: METHODS[name], bucket, key, body: body ?? undefined, sink, input, connection: this });
  }

  /** @param {Error} error */
  abort(error) {
    this.#reject?.(error);
  }

  /**
   * @param {FakeRequest} request
   * @returns {Promise<void>}
   */
  #carry(request) {
    this.answeredAt = this.startedAt;
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      Promise.resolve(request)
        .then(this.#answer)
        .then(() => resolve(), reject);
    });
  }
}

/**
 * An engine for stages on a store that the test simulates.
 *
 * @param {object} options
 * @param {(request: FakeRequest & { index: number }) => unknown} options.answer
 * @param {number} [options.objects]
 * @param {number} [options.threads]
 * @param {boolean} [options.wroteObjects]
 * @param {number} [options.maxAttempts]
 * @param {number} [options.stallTimeout] ms
 * @param {Clock} [options.clock]
 * @param {Shard} [options.shard]
 * @returns {Engine & { workload: { keyspace: Keyspace } }}
 */
export function fakeEngine({ answer, ...choice }) {
  const { objects = 10, threads = 4, wroteObjects = true } = choice;
  const { maxAttempts = 20, stallTimeout = 60_000, clock = new Clock(), shard = WHOLE } = choice;
  const keyspace = new Keyspace({ runId: 'run-1', prefix: 'benchmark', buckets: ['one', 'two'] });
  const answerWithIndex = (/** @type {FakeRequest} */ request) =>
    answer({ ...request, index: keyspace.indexOf(request.bucket, request.key) });
  return {
    clock,
    random: () => 0,
    connections: Array.from({ length: threads }, () => new FakeConnection(answerWithIndex)),
    maxAttempts,
    stallTimeout,
    alarm: new TimerAlarm(clock),
    runId: 'run-1',
    workload: {
      keyspace,
      payload: new Payload('run-1'),
      ledger: new Ledger(ledgerMemory(objects)),
      shard,
      amounts: DEFAULT_AMOUNTS,
      wroteObjects,
    },
  };
}
