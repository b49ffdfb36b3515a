/**
 * Runs a number of concurrent threads, each of which takes one piece of work after the other until there is none.
 *
 * @template Thread
 * @param {object} options
 * @param {readonly Thread[]} options.threads what each thread works with
 * @param {(thread: Thread) => number} options.claim the next piece of work, or a negative number
 * @param {(thread: Thread, work: number) => Promise<void>} options.work
 * @returns {Promise<void>} once every thread has come to its end; the first error of a piece of work ends its thread
 *   and is thrown when the others are done
 */
export async function runPool({ threads, claim, work }) {
  await settleAll(threads.map((thread) => runThread(thread, claim, work)));
}

/**
 * @template Value
 * @param {readonly Promise<Value>[]} promises
 * @param {() => void} [onFailure] called for each that fails, at once
 * @returns {Promise<Value[]>} once all have come to an end
 * @throws the first one's error
 */
export async function settleAll(promises, onFailure = () => {}) {
  promises.forEach((promise) => promise.catch(onFailure));
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/**
 * @template Thread
 * @param {Thread} thread
 * @param {(thread: Thread) => number} claim
 * @param {(thread: Thread, work: number) => Promise<void>} work
 */
async function runThread(thread, claim, work) {
  for (let piece = claim(thread); piece >= 0; piece = claim(thread)) {
    await work(thread, piece);
  }
}
