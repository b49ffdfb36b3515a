import { runPool } from '../engine/run-pool.js';

/** Enough to hide the latency of a distant store, and too few to be throttled. */
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
