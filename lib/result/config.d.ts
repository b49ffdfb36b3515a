import type { SearchDimension } from './result.js';

/** What a run does, validated and complete. */
export interface Config {
  store: StoreConfig;
  objects: ObjectsConfig;
  load: LoadConfig;
  schedule: ScheduleConfig;
  /** null if no capacity search was requested */
  search: SearchConfig | null;
  output: OutputConfig;
}

export interface ObjectsConfig {
  /** on this host; with a duration, the maximum */
  count: number;
  runId: string;
  prefix: string;
  /** bytes of an object; of the largest object if sizes differ */
  size: number;
  /** absent if all objects have one size */
  sizes?: SizeDistribution;
  shard: Shard;
  /** prefix of existing objects to read; '' for all. Until they are listed, count and sizes are the maximum to list */
  existing?: string;
  /** do not remove the objects */
  keep: boolean;
  /** allow versioned buckets, and remove all versions of the run's own objects */
  allowVersioned?: boolean;
}

export interface LoadConfig {
  /** lower-case names */
  stages: readonly string[];
  /** percentages of the operations of stage Mixed; absent without that stage */
  mix?: readonly MixedShare[];
  /** present if stage Replay repeats recorded requests; `mix` then has their shares, which need not be whole */
  replay?: ReplayConfig;
  /** for stages that read single objects; absent for sequential access */
  access?: AccessPattern;
  amounts: OperationAmounts & ListConfig;
  /** absent if no objects are written in parts */
  multipart?: MultipartConfig;
  client: ClientName;
  /** whether the SDK client has its own sockets, retries and checksums */
  sdkDefaults?: boolean;
  /** whether objects are read with presigned URLs */
  presigned?: boolean;
  /** concurrent requests, each on its own connection */
  threads: number;
  /** event loops */
  cores: number;
  /** CPUs that the process may use; may be fractional */
  availableCores: number;
  keepAlive: boolean;
  /** ms for a complete attempt */
  timeout: number;
  /** maximum per operation, after its first attempt */
  retries: number;
  /** ops/s of an open loop; absent for a closed loop */
  rate?: number;
  /** spacing of the operations of an open loop */
  arrival: 'constant' | 'poisson';
}

export interface ReplayConfig {
  /** its logs */
  files: readonly string[];
  /** of the logs: times in ms */
  part: { from: number; for?: number; limit?: number };
  trace: Trace;
  /** 2 repeats the requests in half their time */
  speed: number;
  /** objects to write before the first request; the objects before `first` exist already */
  prepare: { first: number; count: number };
}

/** Recorded requests to be repeated, and their objects: plain values, and arrays in memory that all workers share. */
export interface Trace {
  requests: number;
  /** of this host; those to prepare come first, and of these, those that no request changes */
  objects: number;
  /** objects that exist before the first request */
  prepared: number;
  unchanged: number;
  /** ms from the first to the last request */
  length: number;
  /** ms from the start of the part that is replayed, in ascending order */
  times: Float64Array;
  /** index of each operation among OPERATIONS */
  codes: Uint8Array;
  /** local index of each object */
  targets: Uint32Array;
  /**
   * bytes of a range; keys of a list page; for a change, the number of earlier changes of the object; for a batch, the
   * index of its first member
   */
  amounts: Uint32Array;
  /** three values for each object of a batch: its local index, earlier changes, and the next member (0 for none) */
  members: Uint32Array;
  /** bytes of each object, by local index */
  sizes: Float64Array;
}

export type ClientName = 'direct' | 'sdk' | 'edge' | 'public';

export interface ScheduleConfig {
  /** whether to check before the run that the store supports what it needs */
  preflight: boolean;
  startAt?: StartTime;
  /** ms of each stage; without it, a stage ends after all objects */
  duration?: number;
  /** operations after which a timed stage ends early; Remove always removes all objects */
  maxOperations?: number;
  /** ms at the start of each stage that are excluded from rates and percentiles */
  warmup: number;
  /** ms between two stages of a fixed duration; absent without --gap (see stage-schedule.js) */
  gap?: number;
  /** whether other hosts use the same slots; if not, stages start without delay */
  sharesSlots: boolean;
  /** present if each stage steps through slots that all hosts share */
  ramp?: RampPlan;
  /** cost limit in dollars, at R2's list prices */
  maxCost?: number;
  /** objects that all stages use once before they are measured; 0 unless the run is a turn of a comparison */
  warmupObjects: number;
  /** ms for which a stage without `duration` repeats its requests, if its objects take less; 0 to use each object once */
  minDuration: number;
}

export interface SearchConfig {
  peakOf: SearchDimension;
  /** p99 limit in ms for a search for the highest rate */
  slo?: number;
}

export interface OutputConfig {
  /** whether an observer takes snapshots of running stages */
  takesSnapshots: boolean;
  /** whether preflight shows one request of each operation */
  verboseRequest?: boolean;
}

/** Distribution of object sizes in bytes. */
export type SizeDistribution =
  /** every doubling is equally frequent */
  | { kind: 'log-uniform'; min: number; max: number }
  /** in ascending order, with frequencies proportional to the weights */
  | { kind: 'weighted'; sizes: readonly { bytes: number; weight: number }[] }
  /** sizes of existing objects: percentiles in ascending order */
  | { kind: 'listed'; quantiles: readonly number[] };

/** The order in which a stage uses its objects. */
export type AccessPattern =
  | { kind: 'sequential' }
  /** every object is equally likely, every time */
  | { kind: 'uniform' }
  /** the nth most popular object has a probability proportional to 1 ÷ n^exponent */
  | { kind: 'zipf'; exponent: number };

/** Sizes of operations that do not process a single whole object. */
export interface ListConfig {
  /** whether List is one walk through all pages, each with the token of the page before it */
  listWalk?: boolean;
  delimiter?: string;
}

export interface OperationAmounts {
  /** bytes of an object that Range reads */
  rangeSize: number;
  /** keys per page of List */
  pageSize: number;
  /** objects per batch removal */
  batch: number;
  /** writes per race */
  contenders: number;
}

export interface MultipartConfig {
  /** bytes of each part except the last; larger if an object would have too many parts */
  partSize: number;
  /** parts that a thread sends concurrently, each over its own connection */
  partThreads: number;
  /** minimum bytes of an object that is written in parts; 0 for all */
  minSize: number;
}

export interface MixedShare {
  /** as in --stages */
  operation: string;
  /** percentage, from 1 to 99 */
  share: number;
}

export interface RampPlan {
  /** threads of this host in each step */
  threads: readonly number[];
  /** ms of a step, whole seconds */
  stepTime: number;
}

/** A host's share of a run: every Nth object, where N is the count. Objects within a shard are numbered from 0. */
export interface Shard {
  /** zero-based */
  index: number;
  count: number;
}

/**
 * When a run starts. It is derived from the start of the process, not from the moment at which the store's clock is
 * known, because the distance to the store must not affect which time a host waits for.
 */
export interface StartTime {
  /** maps the start of the process to the start of the run, both in epoch ms by the store's clock */
  after: (launchedAt: number) => number;
  /** whether several hosts can share this start, which requires the store's clock */
  isCommon: boolean;
}

export interface StoreConfig {
  buckets: readonly string[];
  /** endpoint, without the bucket */
  hostname: string;
  port: number;
  useTls: boolean;
  /** path before the bucket, percent-encoded: '' or, for example, `/storage/v1/s3` */
  basePath?: string;
  /** whether requests name the bucket in the path or, if it is the only one, in the host name */
  addressing?: 'path' | 'virtual';
  /** for every connection */
  proxy?: ProxyConfig;
  publicUrl?: PublicUrl;
  /** the only trusted authorities, as PEM: the self-signed endpoint itself, or those that the user specified */
  certificate?: string;
  /** the only IP version to connect with; absent for both */
  family?: 4 | 6;
  region: string;
  credentials: Credentials;
  /** whether this is our own endpoint on this host, which shares the host's clock and ends with the run */
  isEmbedded?: boolean;
  /** fault script of that endpoint (--faults) */
  faults?: string;
  /** process ID of that endpoint */
  processId?: number;
  /** names of the settings in messages, if they do not come from S3_… variables */
  settings?: Partial<SettingNames>;
}

/** Public address of a bucket's objects, readable without credentials: a custom domain, or another address of a CDN. */
export interface PublicUrl {
  /** `{bucket}` in it is replaced with the name of the bucket */
  hostname: string;
  port: number;
  useTls: boolean;
  /** path before the bucket or the key, percent-encoded: '' or, for example, `/files` */
  basePath: string;
  /** whether the bucket precedes the key */
  bucketInPath: boolean;
  proxy?: ProxyConfig;
}

/** A proxy that opens tunnels (CONNECT). */
export interface ProxyConfig {
  hostname: string;
  port: number;
  /** value of the Proxy-Authorization header, a secret */
  authorization?: string;
}

/** Names of a store's settings in messages: variables, options or profiles. */
export interface SettingNames {
  buckets: string;
  hostname: string;
  port: string;
  /** the setting that turns TLS on or off */
  tls: string;
  /** how to request plain HTTP */
  plainHttp: string;
  region: string;
  /** the access key and its secret */
  keys: string;
  sessionToken: string;
  /** a phrase that explains which certificate authorities are trusted */
  authorities: string;
}

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** epoch ms at which temporary credentials expire; absent if they do not, or if that is unknown */
  expiresAt?: number;
}

/** The store as a library user names it. */
export interface GivenStore {
  /** its URL, such as `https://ACCOUNT.r2.cloudflarestorage.com`; `http:` disables TLS */
  endpoint: string;
  bucket: string | readonly string[];
  /** credentials, or a provider such as `@aws-sdk/credential-provider-…`, which is called again before they expire */
  credentials: GivenCredentials | (() => Promise<GivenCredentials>);
  /** `auto` by default */
  region?: string;
  /** whether requests name the bucket in the path or in the host name; `path` by default */
  addressing?: 'path' | 'virtual';
  /** URL of a proxy that opens tunnels */
  proxy?: string;
  /** trusted certificate authorities as PEM, instead of Node's */
  certificate?: string;
}

export interface GivenCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
}
