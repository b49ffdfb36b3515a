// Generated from lib/options/table.js by `npm run generate`. Change the table, not this file.

import type { GivenStore } from '../result/config.js';

/** What a run does. A size is in bytes or a text such as '16KiB', a time in ms or a text such as '30s'. */
export interface RunOptions {
  /** 'local': an endpoint in memory; 'env': what the S3_… variables and .env say, as on the command line */
  store: 'local' | 'env' | GivenStore;
  /** required, except with `replay` */
  objects?: number | string;
  threads: number | string;
  /** read existing objects under this prefix ('*': all); write nothing */
  existing?: string;
  /** object size, e.g. 64kB, or several sizes, e.g. 4KiB..1MiB (default: 16KiB) */
  size?: number | string;
  /** order of reads: sequential, uniform, or e.g. zipf:0.99 (default: sequential) */
  access?: string;
  /** stages to run, comma-separated (default: write,read,stat,remove) */
  stages?: string | readonly string[];
  /** one stage of mixed operations, e.g. read=70,write=20,stat=5,remove=5 */
  mix?: string | Readonly<Record<string, number>>;
  /** bytes that Range reads from each object (default: 4KiB) */
  rangeSize?: number | string;
  /** keys per list page (default: 1000) */
  pageSize?: number | string;
  /** list all pages one after the other, each with the token of the one before */
  listWalk?: boolean;
  /** list with this delimiter: / */
  delimiter?: '/';
  /** objects per batch-remove request (default: 1000) */
  batch?: number | string;
  /** concurrent writes per race of create and swap (default: 8) */
  contenders?: number | string;
  /** write objects in parts; objects above 4.9 GiB always are */
  multipart?: boolean;
  /** part size, 5MiB or more (default: 8MiB) */
  partSize?: number | string;
  /** parts of each object sent at once, each on its own connection (default: 4) */
  partThreads?: number | string;
  /** keep the objects that the run wrote */
  keep?: boolean;
  /** name of the run (default: date, time, random) */
  runId?: string;
  /** prefix of every key (default: benchmark) */
  prefix?: string;
  /** accept versioned buckets; clean-up also removes the versions that the run created */
  allowVersioned?: boolean;
  /** open loop: start this many operations per second */
  rate?: number | string;
  /** spacing of operations in an open loop: constant or poisson (default: constant) */
  arrival?: 'constant' | 'poisson';
  /** length of each stage; writes stop after objects */
  duration?: number | string;
  /** with duration: end a stage early after this many operations */
  maxOperations?: number | string;
  /** initial time of each stage to exclude from rates and percentiles (default: 0s) */
  warmup?: number | string;
  /** pause between timed stages (5s if hosts start together) */
  gap?: number | string;
  /** find the capacity: add threads, up to threads */
  findPeak?: boolean;
  /** what findPeak varies: threads, rate, or speed (of a replay) (default: threads) */
  peakOf?: 'threads' | 'rate' | 'speed';
  /** p99 limit (default: 50ms) */
  slo?: number | string;
  /** add threads in steps, at the same time on all hosts, e.g. 8,16,32,64 */
  ramp?: string | readonly number[];
  /** length of each ramp step (default: 10s) */
  stepTime?: number | string;
  /** cost limit, at R2's list prices; of all runs of ab and sweep together */
  maxCost?: number | string;
  /** direct, sdk (AWS SDK), edge (Worker) or public (URL) (default: direct) */
  client?: 'direct' | 'sdk' | 'edge' | 'public';
  /** with client sdk: the SDK's own sockets, retries and checksums, as applications have them */
  sdkDefaults?: boolean;
  /** read with presigned URLs; each is signed when it is used, as part of its latency */
  presigned?: boolean;
  /** with client public: address to read from, instead of PUBLIC_URL */
  publicUrl?: string;
  /** cores of this host to use, or auto (default: auto) */
  cores?: number | string;
  /** time limit of each attempt (default: 10s) */
  timeout?: number | string;
  /** retries of an operation after transient errors (default: 19) */
  retries?: number | string;
  /** false: open a connection for each request */
  keepAlive?: boolean;
  /** show one request of each operation in full, without secrets */
  verboseRequest?: boolean;
  /** false: skip the check that the store allows what the run does */
  preflight?: boolean;
  /** with local: faults to inject */
  faults?: string;
  /** with local: write a log of all requests, like R2 (.ndjson) or S3 (any other name) */
  accessLog?: string;
  /** file with the S3_… variables (default: .env) */
  envFile?: string;
  /** buckets, comma-separated, instead of S3_BUCKET */
  bucket?: string | readonly string[];
  /** address of the store, instead of S3_HOSTNAME */
  endpointUrl?: string;
  /** region to sign requests for, instead of S3_REGION */
  region?: string;
  /** AWS CLI profile with credentials and settings, instead of .env's keys */
  profile?: string;
  /** whether the bucket is in the path or in the host name: path or virtual */
  addressing?: 'path' | 'virtual';
  /** use only the store's IPv4 addresses */
  ipv4?: boolean;
  /** use only the store's IPv6 addresses */
  ipv6?: boolean;
  /** connect through a proxy: its URL, env or none */
  proxy?: string;
  /** start at this time, by the store's clock: ISO time, epoch seconds, next:60s or +30s */
  startAt?: string | Date;
  /** this host's share: shard i of N, counted from 0, or auto */
  shard?: string;
  /** replay this many times as fast as recorded, e.g. 2x or 0.5x (default: 1x) */
  speed?: number | string;
  /** skip the requests of this time after the first one (default: 0s) */
  from?: number | string;
  /** replay only the requests of this time */
  for?: number | string;
  /** replay only this many requests */
  limit?: number | string;
  /** write and keep only the objects that the logs read and never change */
  prepareOnly?: boolean;
  /** use the objects of prepareOnly with this runId, and keep all */
  prepared?: boolean;
  /** format of the logs: r2, s3 or csv (default: recognised) */
  format?: 'r2' | 's3' | 'csv';
  /** request logs to replay, instead of objects */
  replay?: string | readonly string[];
}
