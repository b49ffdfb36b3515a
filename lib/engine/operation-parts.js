import { PartMeter } from '../meter/part-meter.js';
import { SeenObjects } from '../workload/seen-objects.js';
import { classFinder, sizeClasses } from '../workload/size-distribution.js';

/**
 * @import { PartMeterState } from '../meter/part-meter.js'
 * @import { OperationRecord } from '../operations/operation-record.js'
 * @import { Operation } from '../operations/operation.js'
 * @import { Stage } from '../operations/stage.js'
 * @import { Budget } from './budget.js'
 * @import { Load } from './run-stage.js'
 */

/**
 * Operations of one kind, split by object size, and into first and repeated reads. A list is null if its split is off.
 *
 * @template Part
 * @typedef {object} KindParts
 * @property {readonly Part[] | null} sizes one per size class
 * @property {readonly Part[] | null} reads the first read of each object in the stage, and repeated reads
 */

/** @typedef {readonly KindParts<PartMeterState>[]} OperationPartsState by kind */

const FIRST = 0;
const REPEATED = 1;

/** Separates operations on small and large objects, and first and repeated reads of an object. */
export class OperationParts {
  #classOf;
  #seen;
  #budget;
  /** @type {KindParts<PartMeter>[]} */
  #kinds;

  /**
   * @param {Stage} stage
   * @param {{ load: Load, budget: Budget, measured: ConstructorParameters<typeof PartMeter>[0] }} options
   * @returns {OperationParts | null} null if no operations need to be separated, which saves CPU time
   */
  static of(stage, { load, budget, measured }) {
    const { sizes, seen } = load;
    const hasSizes = sizes !== undefined && stage.kinds.some(({ operation }) => isSized(operation));
    return hasSizes || seen !== undefined ? new OperationParts(stage, { load, budget, measured }) : null;
  }

  /**
   * @param {Stage} stage
   * @param {Parameters<typeof OperationParts.of>[1]} options
   */
  constructor({ kinds }, { load: { sizes, seen }, budget, measured }) {
    const classes = sizes === undefined ? [] : sizeClasses(sizes);
    const meters = (/** @type {number} */ count) => Array.from({ length: count }, () => new PartMeter(measured));
    this.#classOf = classFinder(classes);
    this.#seen = seen === undefined ? null : new SeenObjects(seen);
    this.#budget = budget;
    this.#kinds = kinds.map(({ operation }) => ({
      sizes: sizes !== undefined && isSized(operation) ? meters(classes.length) : null,
      reads: seen !== undefined && operation.followsAccess ? meters(REPEATED + 1) : null,
    }));
  }

  /** @param {OperationRecord} record */
  begins(record) {
    const { kind, localIndex } = record;
    if (this.#seen !== null && this.#kinds[kind].reads !== null) {
      record.isRepeated = this.#seen.see(kind * this.#budget.objects + this.#budget.indexOf(localIndex));
    }
  }

  /** @param {OperationRecord} record */
  succeeded(record) {
    const { sizes, reads } = this.#kinds[record.kind];
    // An object that was expected to be missing has no size class.
    sizes?.[this.#classOf(record.size)]?.succeeded(record, record.movedBytes);
    reads?.[record.isRepeated ? REPEATED : FIRST].succeeded(record, record.movedBytes);
  }

  /** @param {number} moment see PartMeter */
  measureUntil(moment) {
    for (const { sizes, reads } of this.#kinds) {
      [...(sizes ?? []), ...(reads ?? [])].forEach((meter) => meter.measureUntil(moment));
    }
  }

  /** @returns {OperationPartsState} */
  toState() {
    const states = (/** @type {readonly PartMeter[] | null} */ meters) =>
      meters && meters.map((meter) => meter.toState());
    return this.#kinds.map(({ sizes, reads }) => ({ sizes: states(sizes), reads: states(reads) }));
  }
}

/** Whether the operation works on one whole object. Ranges all have the same size. @param {Operation} operation */
function isSized({ grouping, part }) {
  return grouping === undefined && part === undefined;
}

/**
 * @param {readonly (OperationPartsState | undefined)[]} states of the workers, all of one stage
 * @returns {readonly KindParts<PartMeter>[] | undefined} undefined if operations are not split
 */
export function sumOfParts(states) {
  const known = states.filter((state) => state !== undefined);
  if (known.length === 0) {
    return undefined;
  }
  const sum = (/** @type {readonly (readonly PartMeterState[] | null)[]} */ parts) => {
    const [first] = parts;
    return (
      first &&
      first.map((_, index) => {
        const meter = new PartMeter();
        parts.forEach((part) => part && meter.addState(part[index]));
        return meter;
      })
    );
  };
  return known[0].map((_, kind) => ({
    sizes: sum(known.map((state) => state[kind].sizes)),
    reads: sum(known.map((state) => state[kind].reads)),
  }));
}
