import { runPool } from '../engine/run-pool.js';

/** Shortens the wait for a distant store, without a burst of requests. */
const CONCURRENCY = 8;

/**
 * @template Piece
 * @param {readonly Piece[]} pieces
 * @param {(piece: Piece) => Promise<void>} work
 * @returns {Promise<void>} see runPool()
 */
export function inParallel(pieces, work) {
  let next = 0;
  return runPool({
    threads: Array.from({ length: Math.min(CONCURRENCY, pieces.length) }),
    claim: () => (next < pieces.length ? next++ : -1),
    work: (_thread, index) => work(pieces[index]),
  });
}
