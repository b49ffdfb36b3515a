import { addStages } from './add-results.js';
import { failedAttemptsOf } from './failed-attempts.js';

/**
 * @import { SomeStage } from './failed-attempts.js'
 * @import { CommonOptions, KindSum, RunFacts, StageSum, Way, WayFigures, WayResult } from './result.js'
 * @import { WritableResult, WritableStage } from './write-result.js'
 */

/** @param {CommonOptions | null | undefined} options of a run */
export function wayOf(options) {
  const { client = null, through = null, keepAlive = null, clockResolution = null } = options ?? {};
  const way = { client, through: through === true, keepAlive, clockResolution };
  // keepAlive does not apply: only the request for a slice uses a connection, not its operations on the binding.
  return isAtBinding(way) ? { ...way, keepAlive: null } : way;
}

/** Returns equal strings for runs that reach the objects in the same way. @param {Way} way */
export function wayId({ client, through, keepAlive, clockResolution }) {
  return JSON.stringify([client, through, keepAlive, clockResolution]);
}

/** Whether a Worker performs the operations on its own bucket binding. @param {Pick<Way, 'client' | 'through'>} way */
export function isAtBinding({ client, through }) {
  return client === 'edge' && !through;
}

/** @param {WritableStage} stage of runs that used the same way */
export function stageOfWay(stage) {
  const { merge, connections, kinds } = stage;
  const together = merge !== undefined && merge.hosts > 1 ? merge.together : null;
  return {
    stage: stage.stage,
    startedAt: stage.startedAt ?? null,
    endedAt: stage.endedAt ?? null,
    ...figuresOf(stage, together?.operationsPerSecond ?? stage.average ?? null),
    connections: connections ? { opened: connections.opened, reused: connections.reused } : null,
    ...(kinds === undefined ? {} : { kinds: kinds.flatMap(kindOfWay) }),
  };
}

/** Returns an empty list if the kind was not counted. @param {KindSum} kind */
function kindOfWay(kind) {
  const { operation, operations, attempts, average, errors, latency, failedAttempts } = kind;
  return typeof operations === 'number' && typeof attempts === 'number'
    ? [{ operation, ...figuresOf({ operations, attempts, errors, latency, failedAttempts }, average ?? null) }]
    : [];
}

/**
 * @param {SomeStage & Pick<WritableStage, 'latency'>} counted
 * @param {number | null} operationsPerSecond
 * @returns {WayFigures}
 */
function figuresOf({ latency, ...counts }, operationsPerSecond) {
  return {
    operations: counts.operations,
    attempts: counts.attempts,
    failedAttempts: failedAttemptsOf(counts),
    operationsPerSecond,
    latency: latency.operations,
    histogram: latency.histogram.operations,
  };
}

/**
 * @param {WritableResult} result
 * @returns {readonly WayResult[]} one per way
 */
export function waysOf({ merge, options, hosts, stages }) {
  const names = [...new Set(hosts.map((host) => host.merge?.name ?? host.host ?? 'unknown'))];
  return merge?.ways ?? [{ ...wayOf(options), hosts: names, stages: stages.map(stageOfWay) }];
}

/**
 * Combines a host's turns. Rates exclude the waits between turns.
 *
 * @param {Pick<RunFacts, 'options' | 'host'>} facts
 * @param {readonly StageSum[]} stages of all turns in order
 * @returns {WayResult}
 */
export function wayOfTurns({ options, host }, stages) {
  const names = [...new Set(stages.map(({ stage }) => stage))];
  return {
    ...wayOf(options),
    hosts: [host],
    stages: names.map((name) => {
      const turns = stages.filter(({ stage }) => stage === name);
      const measured = turns.map(({ duration, warmup, drain }) => (duration ?? 0) - (warmup ?? 0) - (drain ?? 0));
      const time = measured.reduce((sum, each) => sum + each, 0);
      const operations = turns.reduce((sum, { average }, index) => sum + (average ?? 0) * measured[index], 0);
      return {
        ...stageOfWay(addStages(turns)),
        startedAt: null,
        endedAt: null,
        operationsPerSecond: time > 0 ? operations / time : null,
      };
    }),
  };
}
