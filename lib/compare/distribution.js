export class Distribution {
  #values;
  /** Cumulative counts: the number of values up to and including each. @type {number[]} */
  #upTo = [];

  /**
   * @param {readonly number[]} values in ascending order
   * @param {readonly number[]} counts one per value
   */
  constructor(values, counts) {
    this.#values = values;
    let sum = 0;
    for (const count of counts) {
      sum += count;
      this.#upTo.push(sum);
    }
  }

  get count() {
    return this.#upTo.at(-1) ?? 0;
  }

  /** @param {number} value */
  countAbove(value) {
    const index = firstIndex(this.#values, (each) => each > value);
    return this.count - (this.#upTo[index - 1] ?? 0);
  }

  /** The smallest value that reaches or exceeds this share of all values. @param {number} share 0 to 1 */
  quantile(share) {
    const index = firstIndex(this.#upTo, (upTo) => upTo >= share * this.count);
    return this.#values[Math.min(index, this.#values.length - 1)];
  }
}

/**
 * @param {readonly number[]} values
 * @param {(value: number) => boolean} isFound false up to some value, then true
 * @returns {number} index of the first value for which `isFound` is true; the length if there is none
 */
function firstIndex(values, isFound) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    [low, high] = isFound(values[middle]) ? [low, middle] : [middle + 1, high];
  }
  return low;
}
