import type { Clock } from '../../measure/clock/clock.js';
import type { RequestCounts } from '../../result/result.js';
import type { OperationAmounts } from '../../result/config.js';
import type { ObjectConnection, StoreOptions } from '../../store/object-store.js';
import type { Keyspace } from '../../load/workload/keyspace.js';
import type { Payload } from '../../load/workload/payload.js';
import type { RequestTrace } from './request-trace.js';
import type { ListedObjects } from '../../load/workload/listed-objects.js';
import type { Ledger } from '../../load/workload/ledger.js';

/** What a run needs before its stages. */
export interface RunContext {
  clock: Clock;
  /** uniform in [0, 1) */
  random: () => number;
  notice: (message: string) => void;
  keyspace: Keyspace;
  payload: Payload;
  ledger: Ledger;
  /** existing objects that the run reads; null until they are listed, and for other runs */
  listed: ListedObjects | null;
  wroteObjects: boolean;
  amounts: OperationAmounts;
  /** for requests that are not measured, to keep them off the stages' connections */
  controlConnections: readonly ObjectConnection[];
  /** for measuring the store's clock; afterwards, only the last connection carries further requests */
  clockConnections: readonly ObjectConnection[];
  controlOptions: StoreOptions;
  requests: RequestCounts;
  /** indices of probes that may be in the store: add one before writing its probe, delete it once the probe is gone */
  probes: Set<number>;
  /** buckets that keep versions, as far as is known */
  versioned: Set<string>;
  /** shows one request of each operation; null unless requested */
  trace: RequestTrace | null;
}
