/** Values and their counts. */
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

  /**
   * @param {number} share 0 to 1
   * @returns {number} the smallest value that at least this share of all values does not exceed
   */
  quantile(share) {
    const index = firstIndex(this.#upTo, (upTo) => upTo >= share * this.count);
    return this.#values[Math.min(index, this.#values.length - 1)];
  }
}

/**
 * @param {readonly number[]} values
 * @param {(value: number) => boolean} isFound false up to some value, then true
 * @returns {number} index of the first value for which it is true; the length if there is no such value
 */
function firstIndex(values, isFound) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    [low, high] = isFound(values[middle]) ? [low, middle] : [middle + 1, high];
  }
  return low;
}
