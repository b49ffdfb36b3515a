import { OPERATIONS } from './operations/registry.js';
import { accessOrder } from './workload/access.js';
import { Deck, mixIndex, seedOf } from './workload/mix.js';
import { MIN_WRITE_PAUSE_MS, MixedObjects } from './workload/mixed-objects.js';
import { MEMBER_VALUES } from './workload/trace.js';

/**
 * @import { StageMeters } from '../measure/stage-meter.js'
 * @import { AccessPattern, Trace } from '../result/config.js'
 * @import { OperationRecord } from './operations/operation-record.js'
 * @import { Operation, Workload } from './operations/operation.js'
 * @import { Stage, StageKind } from './operations/stage.js'
 * @import { MixedMemory, WritePauses } from './workload/mixed-objects.js'
 * @import { ObjectGroups } from './workload/object-groups.js'
 * @import { Budget } from './budget.js'
 * @import { Load } from './run-stage.js'
 */

/**
 * @typedef {(claim: number) => number} AccessOrder the index of a claim's object in the stage, from 0
 */

/** Bounds of the wait before an object is looked at again. */
const MIN_WAIT_MS = 1;
export const MAX_WAIT_MS = 100;

/**
 * @param {number} freeFrom ms, when an object is expected to be available
 * @param {number} now ms
 */
function waitUntil(freeFrom, now) {
  return Math.min(Math.max(freeFrom - now, MIN_WAIT_MS), MAX_WAIT_MS);
}

/**
 * Decides what a worker's threads do next: see StageClaims. Each claim has a kind and an object. Both depend only on
 * the claim's number, so all workers agree on them.
 */
export class Claims {
  #kinds;
  #kindOf;
  #workload;
  #knowsObjects;
  #allNeedObjects;
  #budget;
  #groups;
  /** By kind. @type {(AccessOrder | null)[]} */
  #orders;
  /** How an operation gets its objects, by kind. */
  #takes;
  #meters;
  #now;
  /** Spaces out the replacements of an object; null if the stage replaces none. */
  #replaced;

  /**
   * @param {Pick<Stage, 'kinds'>} stage
   * @param {object} options
   * @param {Workload} options.workload
   * @param {Budget} options.budget
   * @param {StageMeters} options.meters that count skipped operations
   * @param {AccessOrder | null} [options.order] for operations that follow the access pattern; null to go in order
   * @param {ObjectGroups | null} [options.groups] of a stage whose operations each work on several objects; its budget
   *   is of groups
   * @param {readonly (ObjectGroups | null)[]} [options.kindGroups] of a stage of several kinds, by kind
   * @param {string} options.seed for the order of kinds
   * @param {MixedMemory} [options.replaced] of a stage that replaces objects
   * @param {() => number} options.now ms, by a clock that all workers share
   */
  constructor(
    { kinds },
    { workload, budget, meters, order = null, groups = null, kindGroups = [], replaced, seed, now },
  ) {
    this.#kinds = kinds;
    this.#kindOf = kindOrder(kinds, seed);
    this.#workload = workload;
    this.#knowsObjects = workload.wroteObjects;
    this.#allNeedObjects = kinds.every(({ operation }) => operation.needsObject);
    this.#budget = budget;
    this.#orders = kinds.map(({ operation }) => (operation.followsAccess ? order : null));
    this.#groups = groups;
    this.#takes = kinds.map(({ operation }, kind) =>
      takeFor(operation, kind, groups ?? kindGroups[kind] ?? null, workload),
    );
    this.#meters = meters;
    this.#now = now;
    this.#replaced = replaced ? new MixedObjects(replaced) : null;
  }

  /**
   * Passes over claims whose object, or all of whose objects, were not written. If the stage cycles through its objects,
   * this recurs in every cycle, so it does not count as skipped work. If no object is left, the stage ends instead of
   * cycling forever.
   *
   * @param {OperationRecord} record
   */
  next(record) {
    const { objects } = this.#budget;
    let missed = 0;
    for (let claim = this.#budget.claim(); claim >= 0; claim = this.#budget.claim()) {
      const kind = this.#kindOf(claim);
      const { operation } = this.#kinds[kind];
      const order = this.#orders[kind];
      const index = order === null ? claim % objects : order(claim);
      if (!this.#knowsObjects || !operation.needsObject || this.#exists(index)) {
        this.#takes[kind](record, this.#budget.localIndexAt(index), claim);
        return claim;
      }
      if (!this.#budget.cycles) {
        // Objects removed by a mixed load do not count as skipped work.
        this.#meters.kinds[kind].skipped += Number(!this.#workload.mixed);
        continue;
      }
      missed += 1;
      if (this.#allNeedObjects && missed % objects === 0 && !this.#hasObjects()) {
        this.#budget.close();
      }
    }
    return -1;
  }

  /** Waits until the object, which {@link next} has chosen, may be replaced. @param {OperationRecord} record */
  place({ localIndex }) {
    if (this.#replaced === null) {
      return 0;
    }
    const { pauses } = this.#replaced;
    const now = this.#now();
    return pauses.take(localIndex, now) ? 0 : waitUntil(pauses.freeFrom(localIndex), now);
  }

  /** @param {OperationRecord} record */
  done(record) {
    (this.#replaced ?? this.#workload.mixed)?.ended(record, this.#now);
  }

  /** @param {number} index of an object, or of a group, in the stage */
  #exists(index) {
    const { ledger } = this.#workload;
    return this.#groups === null
      ? ledger.has(this.#budget.localIndexAt(index))
      : this.#groups.at(index).locals.some((local) => ledger.has(local));
  }

  /** Whether any object of the stage exists. Checks all: other workers may have claimed the only one that exists. */
  #hasObjects() {
    let index = 0;
    while (index < this.#budget.objects && !this.#exists(index)) {
      index += 1;
    }
    return index < this.#budget.objects;
  }
}

/**
 * @param {readonly StageKind[]} kinds
 * @param {string} seed
 * @returns {(claim: number) => number} the index of the claim's kind; kinds occur in proportion to their weights
 */
export function kindOrder(kinds, seed) {
  if (kinds.length === 1) {
    return () => 0;
  }
  const deck = new Deck(
    kinds.map(({ weight }) => weight),
    seed,
  );
  return (claim) => deck.kindOf(claim);
}

/**
 * An operation that removes a group of objects gets only those that were written.
 *
 * @param {Operation} operation
 * @param {number} kind
 * @param {ObjectGroups | null} groups null if the operation works on one object
 * @param {Pick<Workload, 'mixed' | 'ledger' | 'wroteObjects'>} workload
 * @returns {(record: OperationRecord, object: number, claim: number) => void}
 */
function takeFor(operation, kind, groups, { mixed, ledger, wroteObjects }) {
  if (groups !== null) {
    return (record, _object, claim) => {
      const group = groups.at(claim % groups.count);
      const locals =
        operation.removes && wroteObjects ? group.locals.filter((local) => ledger.has(local)) : group.locals;
      record.takeGroup(kind, operation, { ...group, locals }, claim);
    };
  }
  if (mixed && operation.creates) {
    return (record, object, claim) => {
      record.take(kind, operation, object, claim);
      record.state = mixed.begin(object, false);
    };
  }
  return (record, object, claim) => record.take(kind, operation, object, claim);
}

const LIST_KEYS = 1000;

/**
 * Decides what a worker's threads do next in a replay: see StageClaims. Each claim is a recorded request. A change of an
 * object waits until the recorded change before it has ended, and copies of an object wait for each other. Reads never
 * wait: like those of a mixed stage, they accept every version that was valid while they ran.
 */
export class ReplayClaims {
  #kinds;
  /** The kind of each operation, by its index among OPERATIONS. */
  #kindOf;
  #workload;
  #budget;
  #now;

  /**
   * @param {readonly StageKind[]} kinds
   * @param {{ workload: Workload & { mixed: MixedObjects, trace: Trace }, budget: Budget, now: () => number }} options
   */
  constructor(kinds, { workload, budget, now }) {
    this.#kinds = kinds;
    this.#kindOf = OPERATIONS.map((operation) => kinds.findIndex((kind) => kind.operation === operation));
    this.#workload = workload;
    this.#budget = budget;
    this.#now = now;
  }

  /** @param {OperationRecord} record */
  next(record) {
    const claim = this.#budget.claim();
    if (claim >= 0) {
      record.turn = this.#budget.localIndexAt(claim);
      record.kind = this.#kindOf[this.#workload.trace.codes[record.turn]];
    }
    return claim;
  }

  /** @param {OperationRecord} record @returns {number} 0, or ms to wait */
  place(record) {
    const { kind, turn } = record;
    const { operation } = this.#kinds[kind];
    const { mixed, trace } = this.#workload;
    const { targets, amounts, members } = trace;
    const pauses = mixed.pausesOf(operation);
    const object = targets[turn];
    const now = this.#now();
    const changes = operation.creates || operation.removes;
    let wait = 0;
    if (isBatch(operation)) {
      for (let at = MEMBER_VALUES * amounts[turn]; at !== 0; at = MEMBER_VALUES * members[at + 2]) {
        wait = Math.max(wait, this.#waitOf(members[at], members[at + 1], pauses, now));
      }
    } else if (pauses !== null) {
      wait = this.#waitOf(object, changes ? amounts[turn] : null, pauses, now);
    }
    if (wait > 0 || (operation.copies && !pauses?.take(object, now))) {
      return Math.max(wait, MIN_WAIT_MS);
    }
    record.take(kind, operation, object, turn);
    if (changes) {
      this.#begin(record, now);
    } else if (operation.part !== undefined) {
      record.size = Math.min(amounts[turn], this.#workload.sizeOf(record.index));
    } else if (operation.grouping !== undefined) {
      record.size = Math.min(amounts[turn] || LIST_KEYS, LIST_KEYS);
    }
    return 0;
  }

  /**
   * Call this for a change that stays undone because its stage ends: the changes after it need not wait for it.
   *
   * @param {OperationRecord} record
   */
  missed(record) {
    const { operation } = this.#kinds[record.kind];
    if (operation.creates || operation.removes) {
      this.#objectsOf(record.turn, operation).forEach((object) => this.#workload.mixed.begin(object, true));
    }
  }

  /** @param {OperationRecord} record */
  done(record) {
    const { mixed } = this.#workload;
    if (isBatch(record.operation)) {
      record.locals.forEach((object) => mixed.ended(record, this.#now, object));
    } else {
      mixed.ended(record, this.#now);
    }
  }

  /**
   * @param {number} object
   * @param {number | null} earlier changes of the object; null if the operation is no change
   * @param {WritePauses | null} pauses
   * @param {number} now
   * @returns {number} ms until the operation may begin; 0 if it may now
   */
  #waitOf(object, earlier, pauses, now) {
    const freeFrom = pauses?.freeFrom(object) ?? 0;
    if (freeFrom === Infinity || (earlier !== null && this.#workload.mixed.lastBegun(object) >>> 1 !== earlier)) {
      return MIN_WAIT_MS;
    }
    return freeFrom <= now ? 0 : waitUntil(freeFrom, now);
  }

  /**
   * Begins a change that is the next one of all its objects, so that all of them are free.
   *
   * @param {OperationRecord} record
   * @param {number} now
   */
  #begin(record, now) {
    const { operation, localIndex, turn } = record;
    const { mixed } = this.#workload;
    record.isWrite = true;
    if (!isBatch(operation)) {
      mixed.pauses.take(localIndex, now);
      record.state = mixed.begin(localIndex, operation.removes);
      return;
    }
    record.locals = this.#objectsOf(turn, operation);
    for (const object of record.locals) {
      mixed.pauses.take(object, now);
      record.state = mixed.begin(object, true);
    }
  }

  /**
   * @param {number} request
   * @param {Operation} operation
   */
  #objectsOf(request, operation) {
    const { targets, amounts, members } = this.#workload.trace;
    if (!isBatch(operation)) {
      return Uint32Array.of(targets[request]);
    }
    const objects = [];
    for (let at = MEMBER_VALUES * amounts[request]; at !== 0; at = MEMBER_VALUES * members[at + 2]) {
      objects.push(members[at]);
    }
    return Uint32Array.from(objects);
  }
}

/** Whether an operation removes several objects. @param {Operation} operation */
function isBatch({ removes, grouping }) {
  return removes && grouping !== undefined;
}

/**
 * Decides what a worker's threads do next.
 *
 * @typedef {object} StageClaims
 * @property {(record: OperationRecord) => number} next claims the next operation for a thread and fills in its record;
 *   returns the number of the claim, from 0, or -1 if there is no more work
 * @property {(record: OperationRecord, round: number) => number} place chooses the operation's object, after `round`
 *   rounds that found none; returns 0 if it found one, the ms to wait before the next round, or -1 to skip it
 * @property {(record: OperationRecord) => void} [missed] called when an operation of a replay is left out
 * @property {(record: OperationRecord) => void} done called when the operation has ended, successfully or not
 */

/**
 * @param {Stage} stage
 * @param {object} options
 * @param {Workload} options.workload
 * @param {Budget} options.budget
 * @param {StageMeters} options.meters that count skipped operations
 * @param {ObjectGroups | null} options.groups of a stage whose operations each work on several objects
 * @param {readonly (ObjectGroups | null)[]} [options.kindGroups] of a stage of several kinds, by kind
 * @param {Load} options.load
 * @param {() => number} options.now monotonic ms
 * @param {string} options.runId
 * @returns {StageClaims}
 */
export function claimsFor(stage, { workload, budget, meters, groups, kindGroups, load, now, runId }) {
  const { access, mixedObjects: objects } = load;
  if (!stage.rewrites) {
    const order = orderOf(load, budget, `shard ${workload.shard.index} of ${runId}`);
    const { replaced } = load;
    const seed = `kinds of ${runId}`;
    return new Claims(stage, { workload, budget, meters, order, groups, kindGroups, replaced, seed, now });
  }
  const { mixed, trace } = workload;
  if (mixed && trace) {
    return new ReplayClaims(stage.kinds, { workload: { ...workload, mixed, trace }, budget, now });
  }
  if (!mixed || objects === undefined) {
    throw new RangeError('a stage that rewrites objects requires their number');
  }
  return new MixedClaims(stage.kinds, {
    workload: { ...workload, mixed },
    budget,
    objects,
    access,
    now,
    seed: runId,
  });
}

/**
 * The order in which operations access the objects of this host's shard.
 *
 * @param {Load} load
 * @param {Budget} budget
 * @param {string} seed
 * @returns {ReturnType<typeof accessOrder> | null} null if objects are used in order
 */
function orderOf({ access }, { objects }, seed) {
  return access === undefined || access.kind === 'sequential' ? null : accessOrder({ access, objects, seed });
}

const TWO_TO_THE_32 = 2 ** 32;

/** Number of objects tried for an operation before it waits. A power of two. */
const TRIES = 32;

/**
 * An operation is skipped if none of the objects tried exists after this many rounds. Otherwise, all threads might
 * wait.
 */
const MAX_ROUNDS = 10;

/** Returned instead of an object if those tried that exist are all changing or have just changed. */
const NONE_FREE = -1;

/** Returned instead of an object if none of those tried exists. */
const NONE_THERE = -2;

/** Returned instead of a wait if the operation is skipped. */
const SKIPPED = -1;

/**
 * Decides what a worker's threads do next in a mixed stage: see StageClaims. An operation's kind depends only on its
 * claim's number, so all workers agree and the shares are exact. Its object is chosen just before it starts: the claim
 * selects several candidates (by the access pattern for reads, uniformly for other operations), and the operation takes
 * the first one available.
 *
 * A write recreates a removed object if there is one; otherwise it overwrites an object. An object is written or
 * removed at most once per second, and never while another write or removal of it is in flight; the same applies to
 * copies of it. After an unknown outcome, it is set aside for longer: see MixedObjects. An object that is known to be
 * missing is neither read nor removed.
 */
export class MixedClaims {
  #kinds;
  #kindOf;
  #workload;
  #mixed;
  #budget;
  #objects;
  #now;
  #seed;
  /** The object that a read tries, by the index of the try. @type {(index: number) => number} */
  #readObject;
  /** When the first of the objects that were tried last will be available. */
  #freeFrom = 0;
  /** Missing objects that this worker removed or failed to write, oldest first. @type {number[]} */
  #gaps = [];

  /**
   * @param {readonly StageKind[]} kinds
   * @param {object} options
   * @param {Workload & { mixed: MixedObjects }} options.workload
   * @param {Budget} options.budget of operations
   * @param {number} options.objects written before the stage
   * @param {AccessPattern} [options.access] of reads
   * @param {() => number} options.now ms, by a clock that all workers share
   * @param {string} options.seed
   */
  constructor(kinds, { workload, budget, objects, access = { kind: 'uniform' }, now, seed }) {
    this.#kinds = kinds;
    this.#kindOf = kindOrder(kinds, `kinds of ${seed}`);
    this.#workload = workload;
    this.#mixed = workload.mixed;
    this.#budget = budget;
    this.#objects = objects;
    this.#now = now;
    this.#seed = seedOf(`objects of ${seed}`);
    const order = accessOrder({ access, objects, seed: `shard ${workload.shard.index} of ${seed}` });
    this.#readObject =
      access.kind === 'sequential' ? (index) => order(Math.floor(index / TRIES) + (index % TRIES)) : order;
  }

  /** Claims an operation without an object, which {@link place} chooses later. @param {OperationRecord} record */
  next(record) {
    const claim = this.#budget.claim();
    if (claim >= 0) {
      record.turn = claim;
      record.kind = this.#kindOf(claim);
    }
    return claim;
  }

  /**
   * @param {OperationRecord} record
   * @param {number} round
   */
  place(record, round) {
    const { kind, turn } = record;
    const { operation } = this.#kinds[kind];
    const object = this.#objectFor(operation, (turn + round) * TRIES);
    if (object === NONE_THERE) {
      return round < MAX_ROUNDS ? MAX_WAIT_MS : SKIPPED;
    }
    if (object === NONE_FREE) {
      return waitUntil(this.#freeFrom, this.#now());
    }
    record.take(kind, operation, object, turn);
    if (operation.creates || operation.removes) {
      record.isWrite = true;
      record.state = this.#mixed.begin(object, operation.removes);
    }
    return 0;
  }

  /** @param {OperationRecord} record */
  done(record) {
    const { operation, localIndex } = record;
    if ((operation.creates || operation.removes) && !this.#workload.ledger.has(localIndex)) {
      this.#gaps.push(localIndex);
    }
    this.#mixed.ended(record, this.#now);
  }

  /**
   * @param {Operation} operation
   * @param {number} firstTry
   * @returns {number} the localIndex of its object; NONE_FREE or NONE_THERE if it gets no object
   */
  #objectFor(operation, firstTry) {
    const gap = operation.creates ? this.#takeGap() : -1;
    if (gap >= 0) {
      return gap;
    }
    let found = NONE_THERE;
    const { ledger } = this.#workload;
    const pauses = this.#mixed.pausesOf(operation);
    const now = pauses === null ? 0 : this.#now();
    for (let each = firstTry; each < firstTry + TRIES; each++) {
      const object = operation.followsAccess ? this.#readObject(each) : this.#triedObject(each);
      if (operation.needsObject && !ledger.has(object)) {
        continue;
      }
      if (pauses === null || pauses.take(object, now)) {
        return object;
      }
      this.#freeFrom = Math.min(found === NONE_FREE ? this.#freeFrom : Infinity, pauses.freeFrom(object));
      found = NONE_FREE;
    }
    return found;
  }

  /** @returns {number} a removed object that can be written now, or -1 */
  #takeGap() {
    const { pauses } = this.#mixed;
    const now = this.#now();
    for (let tries = Math.min(this.#gaps.length, TRIES); tries > 0; tries--) {
      const [object] = this.#gaps;
      const isFilled = this.#workload.ledger.has(object);
      const isTaken = !isFilled && pauses.take(object, now);
      if (!isFilled && !isTaken && pauses.freeFrom(object) <= now + MIN_WRITE_PAUSE_MS) {
        return -1;
      }
      this.#gaps.shift();
      if (isTaken) {
        return object;
      }
      if (!isFilled) {
        // It is set aside, so the gaps after it can be filled earlier.
        this.#gaps.push(object);
      }
    }
    return -1;
  }

  /** A uniformly distributed localIndex. @param {number} index of the try in the stage */
  #triedObject(index) {
    return Math.floor((mixIndex(index, this.#seed) / TWO_TO_THE_32) * this.#objects);
  }
}
