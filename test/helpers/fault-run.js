import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { dotEnvOf, startCommand } from './command.js';
import { ofKind, recordsOf } from './outcome.js';
import { resultFrom } from './result-schema.js';
import { machineRecords } from './log-records.js';

/**
 * @import { Report } from '../../lib/local-s3/tally.js'
 * @import { LogRecord } from './log-records.js'
 * @import { Command } from './command.js'
 * @import { TestEndpoint } from './local-s3.js'
 * @import { Outcome } from './outcome.js'
 * @import { TestContext } from 'node:test'
 */

/**
 * @typedef {object} FaultOptions
 * @property {number} [port] of what stands between the program and the store
 * @property {Record<string, string | number>} [variables] of the `.env`, beside those of the store
 * @property {Record<string, string>} [env]
 *
 * @typedef {object} Told what a run told of itself
 * @property {LogRecord[]} records of its log
 * @property {any[]} stages the machine lines of its stages
 * @property {any} report the whole result
 */

export const OBJECTS = 200;
export const STAGES = ['Write', 'Read', 'Stat', 'Remove'];

const RUN = [`${OBJECTS}`, '10', '--size', '2KiB', '--json', 'result.json'];
const FAST_TIME = fileURLToPath(new URL('./fast-time.js', import.meta.url));

/** Kinds of attempts over a connection that came to no answer: whether they reached the store, a client cannot know. */
const WITHOUT_ANSWER = ['connection', 'stale-connection', 'timeout', 'abandoned', 'tls', 'other'];

/**
 * Starts a run of 200 objects that meets faults.
 *
 * @param {TestContext} t
 * @param {TestEndpoint} endpoint
 * @param {readonly string[]} [parameters] further ones
 * @param {FaultOptions} [options]
 * @returns {Promise<Command>}
 */
export function startFaultRun(t, endpoint, parameters = [], { port = endpoint.port, variables, env } = {}) {
  const dotEnv = dotEnvOf(endpoint, { S3_PORT: port, ...variables });
  return startCommand(t, [...RUN, ...parameters], { dotEnv, env });
}

/**
 * Runs as startFaultRun() does, to the run's end, and looks at what holds whatever the faults are.
 *
 * @param {TestContext} t
 * @param {TestEndpoint} endpoint
 * @param {readonly string[]} [parameters]
 * @param {FaultOptions} [options]
 * @returns {Promise<Outcome & Told>}
 */
export async function faultRun(t, endpoint, parameters, options) {
  const command = await startFaultRun(t, endpoint, parameters, options);
  const run = await endOf(command);
  assert.deepEqual(
    run.stages.map(({ stage }) => stage),
    STAGES,
    run.stderr,
  );
  for (const [place, stage] of run.stages.entries()) {
    assertAddsUp(stage, recordsOfStage(run.records, place));
  }
  return run;
}

/**
 * @param {Command} command that startFaultRun() started
 * @returns {Promise<Outcome & Told>}
 */
export async function endOf(command) {
  const outcome = await command.outcome;
  assert.doesNotMatch(outcome.stderr, /^ {4}at |unexpected/m);
  const records = recordsOf(outcome.stdout);
  const report = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
  return { ...outcome, records, stages: machineRecords(records, 'stage'), report };
}

/**
 * @param {readonly LogRecord[]} records
 * @param {number} place of a stage among the stages
 * @returns {LogRecord[]} from the stage's beginning to its summary
 */
function recordsOfStage(records, place) {
  const begin = records.findIndex((record) => record.kind === 'schedule' && record.stage === STAGES[place]);
  const end = records.findIndex((record) => record.kind === 'summary' && record.stage === STAGES[place]);
  return records.slice(begin, end + 1);
}

/**
 * No operation, no attempt and no retry of a stage is lost or invented, in the totals or in the log.
 *
 * @param {any} stage the totals
 * @param {readonly LogRecord[]} records of the stage
 */
function assertAddsUp(stage, records) {
  const failedAttempts = sum(Object.values(stage.errors));
  assert.equal(stage.attempts, stage.operations + failedAttempts);
  assert.equal(stage.operations + stage.failed + stage.integrityErrors + stage.skipped, OBJECTS);
  assert.equal(failedAttempts, stage.retries + stage.failed + stage.integrityErrors);
  assert.equal(sum(ofKind(records, 'second').map((second) => second.operationsPerSecond)), stage.operations);
  assert.equal(sum(ofKind(records, 'retrying').map(({ more }) => 1 + more)), stage.retries, 'the retries of the log');
  assert.equal(ofKind(records, 'summary')[0].recoverableErrors, stage.retries);
}

/**
 * What a run says it asked of the store is what the store was asked: the attempts of its stages, less those that came to
 * no connection, and its requests beside the stages. Of attempts without an answer nobody knows but the store.
 *
 * @param {Told} run
 * @param {Report} seen by the store
 * @param {number} [lost] requests beside the stages that may have come to no connection, or to one that was closed: the
 *   last question about the clock, at least, which the end of the run may cut off
 */
export function assertSeenByStore({ report }, seen, lost = 1) {
  const received = sum(Object.values(seen.requests).map(({ total }) => total));
  const beside = sum(Object.values(report.requests));
  const attempts = sum(report.stages.map((/** @type {any} */ stage) => stage.attempts));
  const unsent = sum(report.stages.map((/** @type {any} */ stage) => stage.unsent));
  const most = attempts - unsent + beside;
  const least = most - countOf(report.stages, WITHOUT_ANSWER) - lost;
  const kinds = JSON.stringify(report.stages.map((/** @type {any} */ stage) => stage.errors));
  const difference = `the store saw ${received} requests, the run made ${least} to ${most}: ${kinds}, ${JSON.stringify(report.requests)}`;
  assert.ok(received >= least && received <= most, difference);
}

/**
 * Every attempt goes over a connection that was either opened for it or kept.
 *
 * @param {Told} run
 */
export function assertConnectionsAddUp({ stages, records }) {
  assert.deepEqual(
    ofKind(records, 'connections').map(({ opened, reused }) => opened + reused),
    stages.map(({ attempts }) => attempts),
  );
}

/**
 * @param {readonly any[]} stages
 * @param {readonly string[]} kinds of errors
 * @returns {number} failed attempts of these kinds, in all stages
 */
function countOf(stages, kinds) {
  return sum(stages.flatMap(({ errors }) => kinds.map((kind) => errors[kind] ?? 0)));
}

/** @param {readonly any[]} values */
export function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * An environment in which the program's time passes faster than it should. It holds for one thread: the run has to be on
 * one core.
 *
 * @param {number} speed
 * @returns {Record<string, string>}
 */
export function fastTime(speed) {
  return { TIME_SPEED: String(speed), NODE_OPTIONS: `--import=${FAST_TIME}` };
}
