import { nanodollars } from '../cost/purse.js';
import { DOLLARS_PER_MILLION, priceOf } from '../cost/prices.js';
import { isInParts, requestsToWrite } from '../operations/multipart.js';

/**
 * @import { Purse } from '../cost/purse.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { UploadStep } from '../operations/multipart.js'
 * @import { StageKind } from '../operations/stage.js'
 * @import { StageClaims } from './claims-for.js'
 * @import { Engine, Load } from './run-stage.js'
 */

/** Objects per list page. Clean-up may need one page per 1000 written objects. */
const OBJECTS_PER_PAGE = 1000;

/**
 * Pays for a stage's operations before they begin, and for each of their retries.
 *
 * @typedef {object} Bill
 * @property {(claims: StageClaims) => StageClaims} paid limits the claims to operations that the purse can pay for
 * @property {(request: OperationRecord | UploadStep) => boolean} mayRetry
 */

/** @type {Readonly<Bill>} */
const NO_LIMIT = Object.freeze({ paid: (claims) => claims, mayRetry: () => true });

/**
 * @param {readonly StageKind[]} kinds
 * @param {object} options
 * @param {Pick<Engine, 'purse' | 'multipart'>} options.engine
 * @param {Pick<Load, 'size'>} options.load
 * @param {() => void} options.onEmpty called if too little money is left for another operation
 * @returns {Bill}
 */
export function billOf(kinds, { engine: { purse = null, multipart }, load, onEmpty }) {
  if (purse === null) {
    return NO_LIMIT;
  }
  const prices = kinds.map(({ operation }) => nanodollars(priceOf(operation.name)));
  const priceOfOne = (/** @type {number} */ kind, /** @type {number} */ size) => {
    const { operation } = kinds[kind];
    const cleaning = operation.writes ? CLEANUP_PRICE : 0n;
    return operation.canTakeParts && isInParts(size, multipart)
      ? BigInt(requestsToWrite(size, multipart)) * prices[kind] + SETTLING_PRICE + cleaning
      : prices[kind] + cleaning;
  };
  const most = kinds.map((_, kind) => priceOfOne(kind, load.size)).reduce((one, other) => (other > one ? other : one));
  return {
    paid: (claims) =>
      new PaidClaims(claims, { purse, most, priceOf: ({ kind, size }) => priceOfOne(kind, size), onEmpty }),
    // Aborting an upload is free.
    mayRetry: (request) => ('isAbort' in request && request.isAbort) || purse.take(prices[request.kind]),
  };
}

/** A lookup may be needed to find out whether an upload was completed. */
const SETTLING_PRICE = nanodollars(DOLLARS_PER_MILLION.B / 1e6);

/** The share of a list page for one written object. Rounded up, like every price. */
const CLEANUP_PRICE = nanodollars(DOLLARS_PER_MILLION.A / 1e6 / OBJECTS_PER_PAGE);

/** @implements {StageClaims} */
class PaidClaims {
  #claims;
  #purse;
  #most;
  #priceOf;
  #onEmpty;

  /**
   * @param {StageClaims} claims
   * @param {{ purse: Purse, most: bigint, priceOf: (record: OperationRecord) => bigint, onEmpty: () => void }} options
   *   prices in nanodollars; `most` is the highest price of an operation
   */
  constructor(claims, { purse, most, priceOf: priceOfRecord, onEmpty }) {
    this.#claims = claims;
    this.#purse = purse;
    this.#most = most;
    this.#priceOf = priceOfRecord;
    this.#onEmpty = onEmpty;
  }

  /** @param {OperationRecord} record */
  next(record) {
    // A claimed operation must be performed, but its price is known only once it has its object. So the highest price
    // is taken first, and place() gives the difference back.
    if (!this.#purse.take(this.#most)) {
      this.#onEmpty();
      return -1;
    }
    const claim = this.#claims.next(record);
    if (claim < 0) {
      this.#purse.give(this.#most);
    }
    return claim;
  }

  /**
   * @param {OperationRecord} record
   * @param {number} round
   */
  place(record, round) {
    const wait = this.#claims.place(record, round);
    if (wait <= 0) {
      this.#purse.give(wait < 0 ? this.#most : this.#most - this.#priceOf(record));
    }
    return wait;
  }

  /** @param {OperationRecord} record */
  done(record) {
    this.#claims.done(record);
  }
}
