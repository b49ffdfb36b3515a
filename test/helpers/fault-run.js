import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { dotEnvOf, startCommand } from './command.js';
import { ofKind, recordsOf } from './outcome.js';
import { resultFrom } from './result-schema.js';
import { machineRecords } from './log-records.js';

/**
 * @import { Report } from '../../lib/local-s3/answer.js'
 * @import { LogRecord } from './log-records.js'
 * @import { Command } from './command.js'
 * @import { TestEndpoint } from './local-s3.js'
 * @import { Outcome } from './outcome.js'
 * @import { TestContext } from 'node:test'
 */

/**
 * @typedef {object} FaultOptions
 * @property {number} [port] of a proxy between the program and the store
 * @property {Record<string, string | number>} [variables] of the `.env`, in addition to those of the store
 * @property {Record<string, string>} [env]
 * @property {number} [objects]
 *
 * @typedef {object} Reported what a run reported
 * @property {LogRecord[]} records of its log
 * @property {any[]} stages machine lines of its stages
 * @property {any} report the whole result
 */

export const OBJECTS = 100;
export const STAGES = ['Write', 'Read', 'Stat', 'Remove'];

const RUN = ['10', '--size', '2KiB', '--json', 'result.json'];
const FAST_TIME = fileURLToPath(new URL('./fast-time.js', import.meta.url));

/** Kinds of attempts without a response. A client cannot know whether they reached the store. */
const WITHOUT_ANSWER = ['connection', 'stale-connection', 'timeout', 'abandoned', 'tls', 'other'];

/**
 * Starts a run under faults.
 *
 * @param {TestContext} t
 * @param {TestEndpoint} endpoint
 * @param {readonly string[]} [parameters] additional ones
 * @param {FaultOptions} [options]
 * @returns {Promise<Command>}
 */
export function startFaultRun(t, endpoint, parameters = [], options = {}) {
  const { port = endpoint.port, variables, env, objects = OBJECTS } = options;
  const dotEnv = dotEnvOf(endpoint, { S3_PORT: port, ...variables });
  return startCommand(t, [`${objects}`, ...RUN, ...parameters], { dotEnv, env });
}

/**
 * Runs like startFaultRun(), to completion, and checks what must hold whatever the faults.
 *
 * @param {TestContext} t
 * @param {TestEndpoint} endpoint
 * @param {readonly string[]} [parameters]
 * @param {FaultOptions} [options]
 * @returns {Promise<Outcome & Reported>}
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
 * @returns {Promise<Outcome & Reported>}
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
 * @param {number} place index of the stage
 * @returns {LogRecord[]} from the stage's start to its summary
 */
function recordsOfStage(records, place) {
  const begin = records.findIndex((record) => record.kind === 'schedule' && record.stage === STAGES[place]);
  const end = records.findIndex((record) => record.kind === 'summary' && record.stage === STAGES[place]);
  return records.slice(begin, end + 1);
}

/**
 * Asserts that totals and log agree on the number of operations, attempts and retries of a stage.
 *
 * @param {any} stage totals
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
 * Asserts that the requests reported by a run are those that the store saw: the attempts of its stages, except those without a
 * connection, and its requests outside the stages. For attempts without a response, only the store knows.
 *
 * @param {Reported} run
 * @param {Report} seen by the store
 * @param {number} [lost] maximum number of requests outside the stages that may not have reached the store: at least the last
 *   clock request, which the end of the run may cut off
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
 * Asserts that every attempt used a connection that was either opened for it or kept.
 *
 * @param {Reported} run
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
 * An environment that makes the program's time run faster. It affects one thread only, so the run must use one core.
 *
 *
 * @param {number} speed
 * @returns {Record<string, string>}
 */
export function fastTime(speed) {
  return { TIME_SPEED: String(speed), NODE_OPTIONS: `--import=${FAST_TIME}` };
}
