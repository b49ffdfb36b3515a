import { randomBytes } from 'node:crypto';
import { MAX_BODY_BYTES } from '../../local-s3/receive-body.js';
import { counted, rounded } from '../../text/figures.js';
import { formatSize } from '../../text/units.js';
import { MAX_VIEW_BYTES } from '../../load/workload/payload.js';
import { averageSize, sizeText, sizesText } from '../../load/workload/size-distribution.js';
import { UsageError, refuseIfAny } from '../usage-error.js';
import { bucketNames } from '../values.js';
import { attempt } from './environment.js';

/**
 * @import { OptionValues } from '../read-options.js'
 * @import { LocalS3 } from '../../local-s3/start.js'
 * @import { StoreConfig } from '../../result/config.js'
 */

const BUCKETS = ['local'];

/** Memory per object in addition to its bytes: key, table entry and ETag. */
const OVERHEAD_BYTES = 1024;

/** Share of free memory that the objects can take. */
const SHARE_OF_MEMORY = 0.5;

/**
 * @param {Pick<OptionValues, 'objects' | 'size' | 'sizes' | 'sdkDefaults'>} options
 * @throws {UsageError} if the endpoint cannot hold the objects
 */
export function checkLocalLimits({ objects, size, sizes, sdkDefaults }) {
  // The SDK streams longer bodies in chunks with a checksum at the end (aws-chunked), which the endpoint does not read.
  const limit = sdkDefaults ? MAX_VIEW_BYTES : MAX_BODY_BYTES;
  if (size > limit) {
    throw new UsageError([
      `--local stores objects of at most ${formatSize(limit)}${sdkDefaults ? ' with --sdk-defaults' : ''}, got ${sizes?.kind === 'listed' ? formatSize(size) : `--size ${sizeText({ size, sizes })}`}`,
    ]);
  }
  // Systems that do not report free memory return 0.
  const freeMemory = process.availableMemory() || Infinity;
  const mean = averageSize({ size, sizes });
  const needed = objects * (mean + OVERHEAD_BYTES);
  if (needed > freeMemory * SHARE_OF_MEMORY) {
    const most = Math.floor((freeMemory * SHARE_OF_MEMORY) / (mean + OVERHEAD_BYTES));
    throw new UsageError([
      `--local keeps its objects in memory: ${rounded(objects)} of ${sizesText({ size, sizes })} would take more than half of the free memory; expected at most ${counted(most, 'object')} of ${sizes === undefined ? 'that size' : 'these sizes'}`,
    ]);
  }
}

/**
 * @param {Pick<OptionValues, 'objects' | 'size' | 'sizes' | 'sdkDefaults' | 'faults' | 'accessLog' | 'bucket'>} options
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ endpoint: LocalS3, store: StoreConfig }>}
 * @throws {UsageError}
 */
export async function startLocalEndpoint(options, env) {
  checkLocalLimits(options);
  const { faults, accessLog, bucket } = options;
  // Loaded only for --local.
  const { startLocalS3 } = await import('../../local-s3/start.js');
  const credentials = { accessKeyId: 'local', secretAccessKey: randomBytes(20).toString('hex') };
  const buckets = bucket === undefined ? readBuckets(env) : [...new Set(bucket)];
  const endpoint = await startLocalS3({ buckets, credentials, faults, accessLog }, { env }).catch((error) => {
    throw new UsageError([`--local: ${error.message}`]);
  });
  const { hostname, port, processId } = endpoint;
  return {
    endpoint,
    store: {
      buckets,
      hostname,
      port,
      useTls: false,
      region: 'auto',
      credentials,
      isEmbedded: true,
      faults,
      processId,
    },
  };
}

/**
 * Returns the buckets of S3_BUCKET if it names several, so that --local supports faults of single buckets.
 *
 * @param {NodeJS.ProcessEnv} env
 * @throws {UsageError}
 */
function readBuckets({ S3_BUCKET = '' }) {
  /** @type {string[]} */
  const problems = [];
  const names = new Set(S3_BUCKET.includes(',') ? attempt(problems, 'S3_BUCKET', () => bucketNames(S3_BUCKET)) : []);
  refuseIfAny(problems);
  return names.size > 1 ? [...names] : BUCKETS;
}
