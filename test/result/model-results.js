import fc from 'fast-check';
import { jsonOf, resultFrom } from '../helpers/result-schema.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';
import { newResult } from '../../lib/run/cleanup/cleanup.js';
import { runFacts } from '../../lib/run/benchmark-run.js';

/** @import { Result } from '../../lib/result/result.js' */

const STARTED = 1_700_000_000_250;

const operation = fc.record({
  after: fc.integer({ min: 1, max: 900 }),
  latency: fc.integer({ min: 1, max: 4000 }),
  failures: fc.array(fc.constantFrom('timeout', 'throttled', 'connection'), { maxLength: 2 }),
});

const stage = fc.record({
  delay: fc.nat(3000),
  operations: fc.array(operation, { maxLength: 12 }),
  rest: fc.nat(1500),
  counts: fc.record({ throttled: fc.nat(50), unknownOutcomes: fc.nat(5), timeLost: fc.nat(10_000) }),
});

/** Results of runs, as written and read. */
export const anyResult = fc
  .record({
    host: fc.constantFrom('fra-1', 'fra-2'),
    seed: fc.nat(9),
    problems: fc.array(fc.string({ maxLength: 9 }), { maxLength: 2 }),
    cleanup: fc.option(
      fc
        .record({ removed: fc.nat(9), left: fc.integer({ min: -1, max: 3 }) })
        .map((counts) => ({ ...newResult(), ...counts })),
    ),
    stages: fc.array(stage, { maxLength: 3 }),
  })
  .map(({ host, seed, problems, cleanup, stages }) => {
    const facts = runFacts({
      config: runConfig(NO_TARGET, { runId: `run-${seed}` }),
      host,
      startedAt: STARTED,
      clock: seed % 2 === 0 ? null : { offset: seed, uncertainty: 1 },
      versions: { 'r2-benchmark': `1.0.${seed % 3}` },
    });
    const names = /** @type {const} */ (['Write', 'Read', 'Stat']);
    const finished = stages.map(({ delay, operations, rest, counts }, index) =>
      finishedStage({ name: names[index], startedAt: STARTED + delay, operations, rest }, counts),
    );
    const requests = { preflight: seed, clock: 20, probe: 3, cleanup: 0 };
    return resultFrom(jsonOf({ facts, problems, stages: finished, cleanup, requests }));
  });

/**
 * @param {{ host?: string, operations?: number }} [of]
 * @returns {Result} with a Write of that many operations
 */
export function resultOf({ host = 'fra-1', operations = 5 } = {}) {
  const facts = runFacts({ config: runConfig(NO_TARGET), host, startedAt: STARTED, clock: null, versions: {} });
  const stages = [
    finishedStage({ operations: Array.from({ length: operations }, () => ({ after: 300, latency: 7 })) }),
  ];
  const requests = { preflight: 1, clock: 20, probe: 0, cleanup: 0 };
  return resultFrom(jsonOf({ facts, stages, requests }));
}
