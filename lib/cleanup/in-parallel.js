import { runPool } from '../engine/run-pool.js';

/**
 * @template Piece
 * @param {readonly Piece[]} pieces
 * @param {number} atOnce maximum number of concurrent pieces
 * @param {(piece: Piece) => Promise<void>} work
 * @returns {Promise<void>} see runPool()
 */
export function inParallel(pieces, atOnce, work) {
  let next = 0;
  return runPool({
    threads: Array.from({ length: Math.min(atOnce, pieces.length) }),
    claim: () => (next < pieces.length ? next++ : -1),
    work: (_thread, index) => work(pieces[index]),
  });
}
