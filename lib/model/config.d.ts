import type { RampKind, SearchDimension } from './result.js';

/** What a run does, checked and complete. */
export interface Config {
  store: StoreConfig;
  objects: ObjectsConfig;
  load: LoadConfig;
  schedule: ScheduleConfig;
  /** null where the stages are not searched for their capacity */
  search: SearchConfig | null;
  output: OutputConfig;
}

/** The objects of a run. */
export interface ObjectsConfig {
  /** of this host; with a duration, the most that it writes */
  count: number;
  runId: string;
  prefix: string;
  /** bytes of an object; of the largest, where they are not all of one size */
  size: number;
  /** absent where all objects are of one size */
  sizes?: SizeDistribution;
  /** this host's share of the run's objects */
  shard: Shard;
  /**
   * what the keys of objects begin with that the run only reads, and that were there before; '' for all. Count and sizes are
   * then the most that are listed, until the list has shown what there is
   */
  existing?: string;
  /** leave the objects where they are */
  keep: boolean;
  /** write to buckets that keep versions, and remove those of the run's own objects */
  allowVersioned?: boolean;
}

/** What is done with the objects, and by how much at a time. */
export interface LoadConfig {
  /** lower-case names */
  stages: readonly string[];
  /** what the stage Mixed does, in shares of a hundred; absent where there is no such stage */
  mix?: readonly MixedShare[];
  /** of the stages that read single objects; absent where they go through them one after the other */
  access?: AccessPattern;
  amounts: OperationAmounts;
  /** how objects are written in parts; absent where none is */
  multipart?: MultipartConfig;
  /** that each object is written with, for the store to compare; absent where there is none */
  checksum?: ChecksumName;
  client: ClientName;
  /** of the edge client: each operation is a request to the Worker, its body included; without it, the Worker runs slices of stages */
  through?: boolean;
  /** concurrent requests, each on a connection of its own */
  threads: number;
  /** event loops */
  cores: number;
  /** CPUs that the process may use, parts of one included */
  availableCores: number;
  keepAlive: boolean;
  /** ms for a whole attempt */
  timeout: number;
  /** of an operation, after its first attempt */
  retries: number;
  /** ops/s of an open loop; without it, the loop is closed */
  rate?: number;
  /** of an open loop's operations */
  arrival: 'constant' | 'poisson';
}

export type ClientName = 'direct' | 'sdk' | 'edge' | 'public';

/** When stages run, and what comes before them. */
export interface ScheduleConfig {
  /** whether the store is asked before the run for what the run is going to do */
  preflight: boolean;
  startAt?: StartTime;
  /** ms of each stage; without it, a stage has done when all objects are done */
  duration?: number;
  /**
   * ends a stage of a duration once its mean rate is known so well: the half-width of its 95% interval as a share of the mean;
   * without it, it lasts for its whole duration
   */
  untilStable?: number;
  /** ms at the beginning of each stage whose operations are in no rate and no percentile */
  warmup: number;
  /** ms between two stages of a fixed duration; absent without --gap: see stage-schedule.js */
  gap?: number;
  /** whether other hosts, or the other side of a comparison, keep to the same moments; a stage begins as soon as it can if not */
  sharesSlots: boolean;
  /** go through steps in slots that all hosts share */
  ramp?: RampPlan;
  /** dollars that the run may cost, by R2's list prices */
  maxCost?: number;
  /**
   * how often the stages are run, where that is more than once: each time over so many further objects, because R2 takes
   * one write a second of a key
   */
  passes?: number;
}

/** A search for what each stage can do at most. */
export interface SearchConfig {
  peakOf: SearchDimension;
  /** ops/s for which a search over buckets says how many it takes */
  target?: number;
  /** ms that the 99th percentile may reach in a search for the highest rate */
  slo?: number;
}

/** Who watches the run. */
export interface OutputConfig {
  /** whether somebody takes snapshots of stages while they run */
  takesSnapshots: boolean;
}

/** How large objects are that are not all of one size. All sizes are in bytes. */
export type SizeDistribution =
  /** each doubling is as frequent as any other */
  | { kind: 'log-uniform'; min: number; max: number }
  /** the natural logarithms are normally distributed, with this standard deviation; see sizeQuantile for its ends */
  | { kind: 'lognormal'; median: number; sigma: number }
  /** in ascending order, as frequent as the weights are to each other */
  | { kind: 'weighted'; sizes: readonly { bytes: number; weight: number }[] }
  /** those of existing objects: what each hundredth of them falls short of, from the smallest to the largest */
  | { kind: 'listed'; quantiles: readonly number[] };

/** In which order a stage takes its objects. */
export type AccessPattern =
  | { kind: 'sequential' }
  /** each as likely as any other, every time */
  | { kind: 'uniform' }
  /** the nth most popular is as likely as 1 ÷ n^exponent is to the others */
  | { kind: 'zipf'; exponent: number };

/** How much an operation takes at a time, of those that do not take one object as a whole. */
export interface OperationAmounts {
  /** bytes of an object that Range reads */
  rangeSize: number;
  /** keys of a page of List */
  pageSize: number;
  /** objects of a request that removes several */
  batch: number;
}

export type ChecksumName = 'crc64nvme' | 'crc32c';

/** How objects are written in parts. */
export interface MultipartConfig {
  /** bytes of a part, but for the last one of an object; more where an object would have too many of them */
  partSize: number;
  /** parts that a thread sends at a time, each over a connection of its own */
  partThreads: number;
  /** bytes that an object has at least to be written so; 0 where all are */
  minSize: number;
}

/** Of a hundred operations of a mixed stage, so many are of that kind. */
export interface MixedShare {
  /** its name, as in --stages */
  operation: string;
  /** from 1 to 99 */
  share: number;
}

/** How each stage goes through its steps. */
export interface RampPlan {
  of: RampKind;
  /** of this host in each step; 0 before it joins */
  threads: readonly number[];
  /** ms of a step, whole seconds */
  stepTime: number;
}

/** A host's share of a run: of the objects of all hosts, every Nth one. Within a host objects are counted from 0. */
export interface Shard {
  /** from 0 */
  index: number;
  /** of shards */
  count: number;
}

/**
 * When a run is to start. It is reckoned from the moment at which its process was started, not from the one at which the
 * store's clock is known: how far away the store is must not decide which moment a host waits for.
 */
export interface StartTime {
  /** epoch ms by the store's clock, of the process's start and of the run's */
  after: (launchedAt: number) => number;
  /** whether hosts can share it, so that it needs the store's clock */
  isCommon: boolean;
}

/** The store that a run goes to. */
export interface StoreConfig {
  buckets: readonly string[];
  /** of the endpoint, without a bucket */
  hostname: string;
  port: number;
  useTls: boolean;
  /** what stands in front of the bucket, percent-encoded: '' or such as `/storage/v1/s3` */
  basePath?: string;
  /** where requests name the bucket: in the path, or, where it is the only one, in front of the host's name */
  addressing?: 'path' | 'virtual';
  /** through which every connection goes */
  proxy?: ProxyConfig;
  /** from which the public client reads objects */
  publicUrl?: PublicUrl;
  /** as PEM, of an endpoint that signs its own, or of the authorities that were given: the only ones to trust */
  certificate?: string;
  region: string;
  credentials: Credentials;
  /** whether it is our own endpoint on this host: it has the same clock, and ends with the run */
  isEmbedded?: boolean;
  /** what that endpoint does wrong, as --faults has it */
  faults?: string;
  /** the id of its process, where it is our own endpoint */
  processId?: number;
  /** what messages call its settings, where they do not come from S3_… variables */
  settings?: Partial<SettingNames>;
}

/** Where anybody may read the objects of a bucket, without credentials: a custom domain, or another address of a CDN. */
export interface PublicUrl {
  /** `{bucket}` in it stands for the name of the bucket */
  hostname: string;
  port: number;
  useTls: boolean;
  /** what precedes the bucket or the key, percent-encoded: '' or such as `/files` */
  basePath: string;
  /** whether the bucket precedes the key */
  bucketInPath: boolean;
  /** through which every connection to it goes */
  proxy?: ProxyConfig;
}

/** A proxy that opens tunnels (CONNECT). */
export interface ProxyConfig {
  hostname: string;
  port: number;
  /** the value of the Proxy-Authorization header, a secret */
  authorization?: string;
}

/** What the user calls the settings of a store: the name of a variable, an option or a profile. */
export interface SettingNames {
  buckets: string;
  hostname: string;
  port: string;
  /** that which turns TLS on or off */
  tls: string;
  /** how plain HTTP is written */
  plainHttp: string;
  region: string;
  /** the access key and its secret */
  keys: string;
  sessionToken: string;
  /** a phrase: how certificate authorities are trusted */
  authorities: string;
}

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** of temporary credentials */
  sessionToken?: string;
  /** epoch ms at which temporary credentials end; absent where they do not, or where that is not known */
  expiresAt?: number;
}

/** The store as a program names it. */
export interface GivenStore {
  /** its URL, such as `https://ACCOUNT.r2.cloudflarestorage.com`; there is no TLS with `http:` */
  endpoint: string;
  bucket: string | readonly string[];
  /** or what provides them, as the packages `@aws-sdk/credential-provider-…` do: it is asked again before they expire */
  credentials: GivenCredentials | (() => Promise<GivenCredentials>);
  /** `auto` without */
  region?: string;
  /** where requests name the bucket; `path` without */
  addressing?: 'path' | 'virtual';
  /** URL of a proxy that opens tunnels */
  proxy?: string;
  /** the certificate authorities to trust in place of Node's, as PEM */
  certificate?: string;
}

export interface GivenCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
}
