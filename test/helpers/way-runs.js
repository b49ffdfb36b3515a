import { runFacts } from '../../lib/run/run-facts.js';
import { finishedStage } from './finished-stage.js';
import { NO_TARGET, runConfig } from './run-config.js';
import { writtenRun } from './written-run.js';

/**
 * @import { Overrides } from './run-config.js'
 * @import { FinishedOperation } from './finished-stage.js'
 */

const NOON = Date.parse('2026-01-31T12:00:00.250Z');
const STAGES = /** @type {const} */ (['Write', 'Read']);

/** The ways to reach objects, by the options that select them. @satisfies {Record<string, Overrides>} */
export const WAYS = /** @type {const} */ ({
  direct: { client: 'direct' },
  sdk: { client: 'sdk' },
  binding: { client: 'edge' },
  through: { client: 'edge', through: true },
  throughNew: { client: 'edge', through: true, keepAlive: false },
});

/**
 * A run with a Write and a Read that used one way.
 *
 * @param {object} run
 * @param {keyof typeof WAYS} run.way
 * @param {readonly FinishedOperation[]} run.operations of each stage
 * @param {string} [run.host]
 * @param {number} [run.delay] ms after noon
 * @param {{ index: number, count: number }} [run.shard]
 * @returns {{ json: string, log: string }} its --json and --log
 */
export function runOfWay({ way, operations, host = 'fra-1', delay = 0, shard = { index: 0, count: 1 } }) {
  const startedAt = NOON + delay;
  const config = runConfig(NO_TARGET, { runId: `run-${way}`, stages: ['write', 'read'], shard, ...WAYS[way] });
  const facts = runFacts({ config, host, startedAt, clock: { offset: 0, uncertainty: 1 }, versions: {} });
  const stages = STAGES.map((name, place) =>
    finishedStage(
      { name, operations, startedAt: startedAt + place * 60_000, rest: 400 },
      { storeClock: { offset: 0, uncertainty: 1 } },
    ),
  );
  return writtenRun(facts, stages);
}
