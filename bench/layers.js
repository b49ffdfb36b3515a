import { Bench } from 'tinybench';
import { Clock } from '../lib/clock/clock.js';
import { StageMeter } from '../lib/meter/stage-meter.js';
import { LiveCredentials } from '../lib/s3/live-credentials.js';
import { SigningRegion } from '../lib/s3/signing-region.js';
import { Pauses, Retrier } from '../lib/s3/retry.js';
import { RequestSigner, UNSIGNED_PAYLOAD, payloadHash } from '../lib/s3/sigv4.js';
import { Keyspace } from '../lib/workload/keyspace.js';
import { BodyVerifier } from '../lib/workload/body-verifier.js';
import { Payload } from '../lib/workload/payload.js';

const OBJECT_SIZE = 16 * 1024;
const TIME_MS = 500;

/**
 * Measures each layer of the direct client separately, to locate regressions.
 *
 * @returns {Promise<{ layer: string, microseconds: number, margin: number }[]>} mean per operation, and its
 *   relative margin of error as a percentage
 */
export async function measureLayers() {
  const bench = new Bench({ time: TIME_MS, warmupTime: TIME_MS / 5 });
  for (const [layer, operation] of Object.entries(layers())) {
    bench.add(layer, operation);
  }
  await bench.run();
  return bench.tasks.map(({ name, result }) => {
    const { latency } = /** @type {any} */ (result);
    return { layer: name, microseconds: latency.mean * 1000, margin: latency.rme };
  });
}

/** @returns {Record<string, () => unknown>} */
function layers() {
  const clock = new Clock();
  const keyspace = new Keyspace({ runId: 'layers', prefix: 'benchmark', buckets: ['bench'] });
  const payload = new Payload('layers');
  const verifier = new BodyVerifier(payload);
  const body = Buffer.from(payload.view(7, 0, OBJECT_SIZE));
  const signer = new RequestSigner({
    credentials: new LiveCredentials({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }),
    region: new SigningRegion('auto'),
    host: 'account.r2.cloudflarestorage.com',
    now: clock.epochNow,
  });
  const meter = new StageMeter(clock, clock.now());
  const retrier = new Retrier({
    maxAttempts: 20,
    now: clock.now,
    random: Math.random,
    pauses: new Pauses(),
    signal: new AbortController().signal,
    hooks: { attemptFailed() {}, retrying() {} },
  });
  const operation = {
    attempt: async () => {},
    connection: { startedAt: 0, idleSince: 0 },
    isWrite: false,
    attempts: 1,
    outcomeUnknown: false,
    intendedAt: 0,
    startedAt: 0,
    attemptStartedAt: 0,
    finishedAt: 0,
  };
  let index = 0;
  return {
    'key and bucket': () => [keyspace.bucketOf(++index), keyspace.keyOf(index)],
    signing: () => signer.sign('GET', `/bench/${index++}`, UNSIGNED_PAYLOAD),
    'body hash, 16 KiB (plain HTTP)': () => payloadHash(body),
    'verification, 16 KiB': () => {
      verifier.begin(7, OBJECT_SIZE);
      verifier.accept(body);
      return verifier.end();
    },
    metering: () => {
      operation.finishedAt = clock.now();
      operation.startedAt = operation.finishedAt - 20;
      // A first attempt, like nearly all of them: retried operations take another code path.
      operation.attemptStartedAt = operation.startedAt;
      meter.succeeded(operation, OBJECT_SIZE);
    },
    'retry layer': () => retrier.run(operation),
  };
}
