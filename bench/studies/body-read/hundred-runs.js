import { runStudy } from '../run-study.js';
import { TIMESTAMPS, compareInterfaces } from './compare-interfaces.js';

// Makes a hundred round-trip runs in a row, fifty for each interface. None must stall or lose a timestamp.
//
//     npm run study:body-read:100

const RUNS_OF_EACH = 50;

await runStudy(async () => {
  const startedAt = performance.now();
  const runs = await compareInterfaces(RUNS_OF_EACH, (run, readInterface) => {
    process.stderr.write(
      run > 0 ? `pair ${run} of ${RUNS_OF_EACH}: ${readInterface}\n` : `warm-up: ${readInterface}\n`,
    );
  });
  const all = [...runs.synchronous, ...runs.asynchronous];
  const heldUp = all.map((run) => run.heldUp);
  const longest = Math.max(...all.map(({ rate }) => TIMESTAMPS / rate));
  const took = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(
    `${all.length} runs of ${TIMESTAMPS} timestamps in a row finished in ${took} s, every timestamp in ` +
      `order;\nthe longest took ${longest.toFixed(2)} s. The server was held up by the client's reading for ` +
      `${share(Math.min(...heldUp))} to ${share(Math.max(...heldUp))} of a run.\n`,
  );
});

/** @param {number} value */
function share(value) {
  return `${(100 * value).toFixed(0)}%`;
}
