// Generated from lib/options/table.js by `npm run generate`. Change the table, not this file.

import type { GivenStore } from '../model/config.js';

/** What a run does. A size is in bytes or a text such as '16KiB', a time in ms or a text such as '30s'. */
export interface RunOptions {
  /** 'local': an endpoint in memory; 'env': what the S3_… variables and .env say, as on the command line */
  store: 'local' | 'env' | GivenStore;
  objects: number | string;
  threads: number | string;
  /** only read up to objects existing objects under this prefix ('*': all) */
  existing?: string;
  /** object size: 64kB; or several sizes: 4KiB..1MiB (default: 16KiB) */
  size?: number | string;
  /** order of reads: sequential, uniform, zipf:0.99 (default: sequential) */
  access?: string;
  /** stages to run, comma-separated (default: write,read,stat,remove) */
  stages?: string | readonly string[];
  /** one stage of mixed operations: read=70,write=20,stat=5,remove=5 */
  mix?: string | Readonly<Record<string, number>>;
  /** bytes that the stage range reads of each object (default: 4KiB) */
  rangeSize?: number | string;
  /** keys per list page (default: 1000) */
  pageSize?: number | string;
  /** objects per request of the stage batch-remove (default: 1000) */
  batch?: number | string;
  /** write objects in parts; objects above 4.9 GiB always are */
  multipart?: boolean;
  /** part size, 5MiB or more (default: 8MiB) */
  partSize?: number | string;
  /** parts of an object to send at a time, each over its own connection (default: 4) */
  partThreads?: number | string;
  /** checksum that the store verifies on each write: crc64nvme, crc32c, none (default: none) */
  checksum?: 'crc64nvme' | 'crc32c' | 'none';
  /** keep the objects that the run wrote */
  keep?: boolean;
  /** name of the run (default: date, time, random) */
  runId?: string;
  /** prefix of every key (default: benchmark) */
  prefix?: string;
  /** accept buckets that keep versions; clean-up removes those of the run */
  allowVersioned?: boolean;
  /** open loop: start this many operations per second */
  rate?: number | string;
  /** when the operations of an open loop start: constant or poisson (default: constant) */
  arrival?: 'constant' | 'poisson';
  /** length of each stage; writes stop after objects */
  duration?: number | string;
  /** start of each stage to exclude from rates and percentiles (default: 0s) */
  warmup?: number | string;
  /** stop a stage early once its mean rate is known to within this share: 2% */
  untilStable?: number | string;
  /** pause between stages of a fixed length (hosts that start together: 5s) */
  gap?: number | string;
  /** add threads, up to threads, and find the capacity */
  findPeak?: boolean;
  /** what findPeak varies: threads, buckets or rate (default: threads) */
  peakOf?: 'threads' | 'buckets' | 'rate';
  /** report how many buckets this rate would take */
  target?: number | string;
  /** p99 limit (default: 50ms) */
  slo?: number | string;
  /** steps with more and more threads, in slots that hosts share: 8,16,32,64 */
  ramp?: string | readonly number[];
  /** steps with more and more hosts: shard i joins in slot i */
  rampHosts?: boolean;
  /** length of a step of a ramp (default: 10s) */
  stepTime?: number | string;
  /** cost limit of the run, at R2's list prices */
  maxCost?: number | string;
  /** direct or sdk (the AWS SDK) or edge (a Worker) or public (default: direct) */
  client?: 'direct' | 'sdk' | 'edge' | 'public';
  /** with client public: address to read from, instead of PUBLIC_URL */
  publicUrl?: string;
  /** with client edge: each operation is a request to the Worker */
  through?: boolean;
  /** cores of this host to use, or auto (default: auto) */
  cores?: number | string;
  /** time limit of each attempt (default: 10s) */
  timeout?: number | string;
  /** retries of an operation after transient errors (default: 19) */
  retries?: number | string;
  /** false: open a connection for each request */
  keepAlive?: boolean;
  /** false: skip the check that the store allows what the run does */
  preflight?: boolean;
  /** with local: faults to inject */
  faults?: string;
  /** file with the S3_… variables (default: .env) */
  envFile?: string;
  /** buckets, comma-separated, instead of S3_BUCKET */
  bucket?: string | readonly string[];
  /** address of the store, instead of S3_HOSTNAME */
  endpointUrl?: string;
  /** region that requests are signed for, instead of S3_REGION */
  region?: string;
  /** credentials and settings of this profile of the AWS CLI, instead of .env's keys */
  profile?: string;
  /** where requests name the bucket: path or virtual */
  addressing?: 'path' | 'virtual';
  /** connect through a proxy: its URL, env or none */
  proxy?: string;
  /** start by the store's clock: ISO time, epoch seconds, next:60s, +30s */
  startAt?: string | Date;
  /** this host's share: i of N from 0, or auto */
  shard?: string;
}
