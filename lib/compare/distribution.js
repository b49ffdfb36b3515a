/** Values and how often each of them occurred. */
export class Distribution {
  #values;
  /** How many values are as small as the one at the same place, or smaller. @type {number[]} */
  #upTo = [];

  /**
   * @param {readonly number[]} values in ascending order
   * @param {readonly number[]} counts of each of them
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

  /**
   * @param {number} value
   * @returns {number} how many are larger
   */
  countAbove(value) {
    const place = firstPlace(this.#values, (each) => each > value);
    return this.count - (this.#upTo[place - 1] ?? 0);
  }

  /**
   * @param {number} share 0 to 1
   * @returns {number} the value that so large a share does not exceed
   */
  quantile(share) {
    const place = firstPlace(this.#upTo, (upTo) => upTo >= share * this.count);
    return this.#values[Math.min(place, this.#values.length - 1)];
  }
}

/**
 * @param {readonly number[]} values
 * @param {(value: number) => boolean} isFound false up to some value, and true from there on
 * @returns {number} the place of the first one for which it is true; after the last where it is true of none
 */
function firstPlace(values, isFound) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    [low, high] = isFound(values[middle]) ? [low, middle] : [middle + 1, high];
  }
  return low;
}
