/** How much work a stage has: here a number of objects, each given out once. */
export class CountBudget {
  #next = 0;
  #end;

  /** @param {number} count */
  constructor(count) {
    this.#end = count;
  }

  /** @returns {number} the next object's index, or -1 where there is no more work */
  claim() {
    return this.#next < this.#end ? this.#next++ : -1;
  }

  /** Nothing more is given out. */
  close() {
    this.#end = 0;
  }
}
