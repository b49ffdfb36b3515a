import { FIRST_ACTION, explainError, isTransient } from '../s3/explain-error.js';
import { OPERATIONS } from '../operations/registry.js';

/**
 * @import { AttemptError } from '../s3/s3-error.js'
 * @import { StoreConfig } from '../model/config.js'
 */

/** Everything that preflight tries: the first request, then the operations by name. */
const ACTIONS = Object.freeze([FIRST_ACTION, ...OPERATIONS.map(({ name }) => name)]);

/**
 * @typedef {object} Finding
 * @property {AttemptError} error
 * @property {Map<string, Set<string>>} buckets by action
 */

/** Errors of the store. Each error is reported once, with all operations and buckets in which it occurred. */
export class Findings {
  /** @type {Finding[]} */
  #findings = [];

  /**
   * @param {string} action
   * @param {string} bucket
   * @param {AttemptError} error
   */
  add(action, bucket, error) {
    let finding = this.#findings.find((other) => isSameAnswer(other.error, error));
    if (finding === undefined) {
      finding = { error, buckets: new Map() };
      this.#findings.push(finding);
    }
    const buckets = finding.buckets.get(action) ?? new Set();
    finding.buckets.set(action, buckets.add(bucket));
  }

  get isTransient() {
    return this.#findings.length > 0 && this.#findings.every(({ error }) => isTransient(error));
  }

  /**
   * @param {StoreConfig} store
   * @param {number} now epoch ms
   * @returns {string[]} one line each
   */
  lines(store, now) {
    return this.#findings.flatMap((finding) =>
      placesOf(finding, store.buckets).map((place) => explainError(finding.error, { store, ...place, now })),
    );
  }
}

/**
 * @param {AttemptError} one
 * @param {AttemptError} other
 */
function isSameAnswer(one, other) {
  // A HEAD response has no body, so it carries a status but no error code.
  const saysLess = one.status === other.status && (one.code === '' || other.code === '');
  return one.kind === other.kind && (one.message === other.message || saysLess);
}

/**
 * @param {Finding} finding
 * @param {readonly string[]} order in which to report the buckets
 * @returns {{ action: string, buckets: string[] }[]} groups of operations that failed in the same buckets
 */
function placesOf({ buckets }, order) {
  /** @type {Map<string, { actions: string[], buckets: string[] }>} */
  const places = new Map();
  for (const action of ACTIONS) {
    const met = order.filter((bucket) => buckets.get(action)?.has(bucket));
    const place = places.get(met.join()) ?? { actions: [], buckets: met };
    if (met.length > 0) {
      place.actions.push(action);
      places.set(met.join(), place);
    }
  }
  return [...places.values()].map((place) => ({ action: enumerate(place.actions), buckets: place.buckets }));
}

/** @param {readonly string[]} words at least one */
function enumerate(words) {
  const last = words[words.length - 1];
  return words.length === 1 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}
