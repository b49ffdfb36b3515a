/**
 * Runs concurrent threads, each of which takes pieces of work until none are left.
 *
 * @template Thread
 * @param {object} options
 * @param {readonly Thread[]} options.threads what each thread works with
 * @param {(thread: Thread) => number} options.claim the next piece of work, or a negative number
 * @param {(thread: Thread, work: number) => Promise<void>} options.work
 * @returns {Promise<void>} once every thread has ended. An error ends the thread in which it occurred; the first error
 *   is thrown once the other threads have ended
 */
export async function runPool({ threads, claim, work }) {
  await settleAll(threads.map((thread) => runThread(thread, claim, work)));
}

/**
 * @template Value
 * @param {readonly Promise<Value>[]} promises
 * @param {() => void} [onFailure] called immediately for each rejection
 * @returns {Promise<Value[]>} once all are settled
 * @throws the first error
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
