import { PartMeter } from '../measure/part-meter.js';
import { SeenObjects } from './workload/seen-objects.js';
import { classFinder, sizeClasses } from './workload/size-distribution.js';

/**
 * @import { KindRecord } from '../result/records.js'
 * @import { OperationRecord } from './operations/operation-record.js'
 * @import { Operation } from './operations/operation.js'
 * @import { Stage } from './operations/stage.js'
 * @import { Budget } from './budget.js'
 * @import { Load } from './run-stage.js'
 */

/** @typedef {{ sizes: readonly PartMeter[] | null, reads: readonly PartMeter[] | null }} KindParts null without a split */

const FIRST = 0;
const REPEATED = 1;

/** Separates operations on small and large objects, and first and repeated reads of an object. */
export class OperationParts {
  #classes;
  #classOf;
  #seen;
  #budget;
  /** @type {KindParts[]} */
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
    this.#classes = sizes === undefined ? [] : sizeClasses(sizes);
    const meters = (/** @type {number} */ count) => Array.from({ length: count }, () => new PartMeter(measured));
    this.#classOf = classFinder(this.#classes);
    this.#seen = seen === undefined ? null : new SeenObjects(seen);
    this.#budget = budget;
    this.#kinds = kinds.map(({ operation }) => ({
      sizes: sizes !== undefined && isSized(operation) ? meters(this.#classes.length) : null,
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

  /** @param {number} kind @returns {Pick<KindRecord, 'sizeClasses' | 'reads'>} */
  recordOf(kind) {
    const { sizes, reads } = this.#kinds[kind];
    const [first, repeated] = reads?.map((meter) => meter.toRecord()) ?? [];
    return {
      ...(sizes && { sizeClasses: sizes.map((meter, index) => ({ ...this.#classes[index], ...meter.toRecord() })) }),
      ...(reads && { reads: { first, repeated } }),
    };
  }
}

/** Whether the operation works on one whole object. Ranges all have the same size. @param {Operation} operation */
function isSized({ grouping, part }) {
  return grouping === undefined && part === undefined;
}
