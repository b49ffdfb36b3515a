import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '../../text/figures.js';
import { sumOf } from '../../measure/statistics/moments.js';
import { globalIndex, isInShard, localIndex } from '../../load/workload/keyspace.js';
import { inParallel } from './bucket-access.js';

/**
 * @import { BucketAccess } from './bucket-access.js'
 * @import { Shard } from '../../result/config.js'
 * @import { Keyspace, OwnKey } from '../../load/workload/keyspace.js'
 * @import { Ledger } from '../../load/workload/ledger.js'
 */

/** Maximum number of keys that are asked for one by one. */
export const MAX_ASKED = 1000;

/** Lists may lag this far behind before they count as incomplete. */
const LIST_LAG_MS = 2000;

/**
 * What the store confirmed to a run, and its lists do not show. It is settled by key, since lists may lag or be
 * incomplete.
 *
 * @typedef {{ bucket: string, key: string }} Place
 *
 * @typedef {Place & { local: number }} LocalPlace
 *
 * @typedef {object} Account
 * @property {string} noun of what was made
 * @property {string} made what made it
 * @property {Ledger} ledger
 * @property {(index: number) => string} keyOf
 * @property {number} lost confirmed as made, but not there; an estimate if only a sample was asked for
 * @property {number} undone confirmed as removed, but still there
 * @property {number} unlisted there, but in no list
 * @property {number} ghosts in a list, but not there
 * @property {number} resized with another size than written, in the walk that listed most of them
 * @property {number} resizedNow in this walk
 * @property {string} example of these
 */

/** @typedef {(ledger: Ledger, local: number) => boolean} Matches */

/** Compares the ledgers of a run with the store's lists. */
export class Reconciliation {
  #options;
  /** The objects come first, then any copies. @type {Account[]} */
  #accounts;

  /**
   * @param {object} options
   * @param {Keyspace} options.keyspace
   * @param {Shard} options.shard
   * @param {((index: number) => number) | null} options.sizeOf bytes of an object; null if it is not compared
   * @param {Ledger} options.ledger
   * @param {Ledger | null} options.copies
   * @param {string} [options.copy] what a copy is called
   * @param {() => number} options.random uniform in [0, 1)
   * @param {(milliseconds: number) => Promise<unknown>} [options.wait]
   */
  constructor(options) {
    const { keyspace, ledger, copies, copy = 'copy' } = options;
    this.#options = options;
    const none = { lost: 0, undone: 0, unlisted: 0, ghosts: 0, resized: 0, resizedNow: 0, example: '' };
    const keyOf = keyspace.keyOf.bind(keyspace);
    this.#accounts = [{ noun: 'object', made: 'write', ledger, keyOf, ...none }];
    if (copies !== null) {
      const copyKeyOf = keyspace.copyKeyOf.bind(keyspace);
      this.#accounts.push({ noun: copy, made: copy, ledger: copies, keyOf: copyKeyOf, ...none });
    }
  }

  /** Whether there is an object that must exist, although no response has shown it. */
  get hasUnproven() {
    return hasAny(this.#accounts[0].ledger, isUnproven);
  }

  /** Number of keys that must exist. */
  get expected() {
    return sumOf(this.#accounts.map(({ ledger }) => ledger.count));
  }

  /** Whether the run may have left anything under its keys. */
  get mayHaveLeft() {
    return this.expected > 0 || this.hasDoubts;
  }

  /** Whether any key may still come into being, by a request whose answer was lost. */
  get hasDoubts() {
    return this.#accounts.some(({ ledger }) => hasAny(ledger, (_, local) => ledger.isUnknown(local)));
  }

  /**
   * @param {OwnKey} own listed in its own bucket
   * @param {number} size bytes, as listed
   * @returns {boolean} false if the store confirmed that it had removed the key, which must be settled before it is
   *   removed again
   */
  list({ isProbe, isCopy, index }, size) {
    const { shard, sizeOf } = this.#options;
    const account = this.#accounts[Number(isCopy)];
    if (isProbe || account === undefined || !isInShard(shard, index, account.ledger.size)) {
      return true;
    }
    const { ledger } = account;
    const local = localIndex(shard, index);
    const isFirst = ledger.list(local);
    const expected = sizeOf?.(index) ?? size;
    if (isFirst && ledger.has(local) && size !== expected) {
      account.resizedNow += 1;
      account.resized = Math.max(account.resized, account.resizedNow);
      account.example ||= `${account.keyOf(index)} has ${size} bytes, expected ${expected}`;
    }
    return !ledger.isRemoved(local);
  }

  /** Starts another walk through the lists. */
  startWalk() {
    this.#accounts.forEach((account) => {
      account.ledger.forgetLists();
      account.resizedNow = 0;
    });
  }

  /**
   * Asks by key for objects that must exist, but were neither read nor listed. What does not exist is lost, and no longer
   * expected.
   *
   * @param {BucketAccess} access
   */
  settleUnproven(access) {
    const { ledger: objects } = this.#accounts[0];
    return this.#settleMissing((ledger, local) => ledger === objects && isUnproven(ledger, local), access);
  }

  /**
   * Asks by key for what must exist, but is not listed.
   *
   * @param {BucketAccess} access
   * @returns {Promise<Place[]>} those that exist, at most 1,000 of the objects and of the copies
   */
  settleUnlisted(access) {
    return this.#settleMissing((ledger, local) => ledger.has(local) && !ledger.isListed(local), access);
  }

  /**
   * Asks by key for what the store confirmed to have removed, but lists. Must precede a further removal.
   *
   * @param {BucketAccess} access
   */
  async settleRemoved(access) {
    /** @type {Matches} */
    const isUndone = (ledger, local) => ledger.isRemoved(local) && ledger.isListed(local);
    await this.#settle(isUndone, 0, access, (account, { missing, count }) => {
      account.undone += count - missing;
      account.ghosts += missing;
      // The lists show these keys, and no longer prove that they are gone.
      for (const local of localsWhere(account.ledger, isUndone)) {
        account.ledger.doubt(local);
      }
    });
  }

  /** Keys that may exist although no list has shown them. @returns {Generator<Place>} */
  *unlistedKeys() {
    for (const { ledger, keyOf } of this.#accounts) {
      for (let local = 0; local < ledger.size; local++) {
        if ((ledger.has(local) || ledger.isUnknown(local)) && !ledger.isListed(local)) {
          yield this.#placeOf(keyOf, local);
        }
      }
    }
  }

  /** Whether lists do not show what is there, so that it has to be removed by key. */
  get isListIncomplete() {
    return this.#accounts.some(({ unlisted }) => unlisted > 0);
  }

  /** @param {number} most @returns {number[]} localIndices of some of the copies, or of all if they are few */
  someCopies(most) {
    const { ledger } = this.#accounts[1];
    return sampleOf(ledger, (_ledger, local) => ledger.has(local), this.#options.random, most).sample;
  }

  /**
   * @param {string} fate of objects that no list shows
   * @returns {string[]} a sentence for each kind of contradiction
   */
  sentences(fate) {
    return this.#accounts.flatMap(({ noun, made, lost, undone, unlisted, ghosts, resized, example }) => {
      const findings = /** @type {const} */ ([
        [lost, `confirmed ${counted(lost, made)} that it does not have`],
        [undone, `confirmed ${counted(undone, 'delete')} that it did not carry out`],
        [unlisted, `made ${counted(unlisted, noun)} that it does not list${fate}`],
        [ghosts, `lists ${counted(ghosts, noun)} that it no longer has`],
        [resized, `lists ${counted(resized, noun)} with another size than written: ${example}`],
      ]);
      return findings.filter(([count]) => count > 0).map(([, what]) => `the store ${what}`);
    });
  }

  /**
   * @param {Matches} isMissing
   * @param {BucketAccess} access
   */
  async #settleMissing(isMissing, access) {
    /** @type {Place[]} */
    const existing = [];
    await this.#settle(isMissing, LIST_LAG_MS, access, (account, { missing, sample, found, count }) => {
      const { ledger } = account;
      account.lost += missing;
      // At the end of a run, these are some of those before its first removal.
      account.unlisted = Math.max(account.unlisted, count - missing);
      const exists = new Set(found.map(({ local }) => local));
      sample.forEach((local) => exists.has(local) || ledger.lose(local));
      for (const local of found.length === 0 ? localsWhere(ledger, isMissing) : []) {
        ledger.lose(local);
      }
      existing.push(...found);
    });
    return existing;
  }

  /**
   * @param {Account['keyOf']} keyOf
   * @param {number} local
   * @returns {LocalPlace}
   */
  #placeOf(keyOf, local) {
    const { keyspace, shard } = this.#options;
    const index = globalIndex(shard, local);
    return { bucket: keyspace.bucketOf(index), key: keyOf(index), local };
  }

  /**
   * @param {Matches} isOpen
   * @param {number} pause ms before the first request
   * @param {BucketAccess} access
   * @param {(account: Account, answer: { count: number, missing: number, sample: number[], found: LocalPlace[] }) => void
   *   } book `count`: open keys; `missing`: how many of them do not exist, an estimate if only a sample was asked for;
   *   `sample`: localIndices; `found`: those of the sample that exist
   */
  async #settle(isOpen, pause, access, book) {
    const { random, wait = sleep } = this.#options;
    const open = this.#accounts.map((account) => ({ account, ...sampleOf(account.ledger, isOpen, random) }));
    if (pause > 0 && open.some(({ count }) => count > 0)) {
      await wait(pause);
    }
    for (const { account, count, sample } of open) {
      if (count > 0) {
        const places = sample.map((local) => this.#placeOf(account.keyOf, local));
        const found = await existingOf(access, places);
        const missing = Math.round((count * (sample.length - found.length)) / sample.length);
        book(account, { count, missing, sample, found });
      }
    }
  }
}

/**
 * @template {Place} Asked
 * @param {BucketAccess} access
 * @param {readonly Asked[]} places
 * @returns {Promise<Asked[]>} those that exist
 */
export async function existingOf({ admin, retry }, places) {
  /** @type {Asked[]} */
  const found = [];
  await inParallel(places, async (place) => {
    if (await retry(() => admin.has(place.bucket, place.key))) {
      found.push(place);
    }
  });
  return found;
}

/**
 * @param {Ledger} ledger
 * @param {number} local
 */
function isUnproven(ledger, local) {
  return ledger.has(local) && !ledger.isProven(local);
}

/**
 * @param {Ledger} ledger
 * @param {Matches} matches
 * @returns {Generator<number>} localIndices
 */
function* localsWhere(ledger, matches) {
  for (let local = 0; local < ledger.size; local++) {
    if (matches(ledger, local)) {
      yield local;
    }
  }
}

/**
 * @param {Ledger} ledger
 * @param {Matches} matches
 */
function hasAny(ledger, matches) {
  return localsWhere(ledger, matches).next().done === false;
}

/**
 * Uses Vitter's algorithm R (Random sampling with a reservoir, 1985).
 *
 * @param {Ledger} ledger
 * @param {Matches} matches
 * @param {() => number} random uniform in [0, 1)
 * @param {number} [most]
 * @returns {{ count: number, sample: number[] }} a random sample of the localIndices that match, or all if they are few
 */
function sampleOf(ledger, matches, random, most = MAX_ASKED) {
  /** @type {number[]} */
  const sample = [];
  let count = 0;
  for (const local of localsWhere(ledger, matches)) {
    const slot = count < most ? count : Math.floor(random() * (count + 1));
    if (slot < most) {
      sample[slot] = local;
    }
    count += 1;
  }
  return { count, sample };
}
