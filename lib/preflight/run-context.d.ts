import type { Clock } from '../clock/clock.js';
import type { RequestCounts } from '../model/result.js';
import type { OperationAmounts } from '../model/config.js';
import type { ObjectConnection, StoreOptions } from '../s3/object-store.js';
import type { Keyspace } from '../workload/keyspace.js';
import type { Payload } from '../workload/payload.js';
import type { ListedObjects } from '../workload/listed-objects.js';
import type { PayloadChecksums } from '../workload/payload-checksums.js';
import type { WrittenObjects } from '../workload/written-objects.js';
import type { WaitBudget } from './wait-budget.js';

/** What a run works with before its stages. */
export interface RunContext {
  clock: Clock;
  /** uniform in [0, 1) */
  random: () => number;
  /** for requests that belong to no stage */
  waitBudget: WaitBudget;
  keyspace: Keyspace;
  /** of its objects */
  payload: Payload;
  /** that they are written with */
  checksums?: PayloadChecksums;
  written: WrittenObjects;
  /** objects that were there before, where the run works on them, once they are listed */
  listed: ListedObjects | null;
  /** whether it is this run that writes the objects */
  wroteObjects: boolean;
  amounts: OperationAmounts;
  /** for what is not measured, so that the stages' own connections carry nothing else */
  controlConnections: readonly ObjectConnection[];
  /** likewise, for the store's clock; once it is measured, only the last of them carries further requests */
  clockConnections: readonly ObjectConnection[];
  controlOptions: StoreOptions;
  requests: RequestCounts;
  /** indices of probes that may be in the store: whoever writes one adds it before, and takes it out once it is gone */
  probes: Set<number>;
  /** buckets that keep versions, as far as is known */
  versioned: Set<string>;
  /** whether probes can be removed again, as far as preflight has learned */
  mayRemove: boolean;
}
