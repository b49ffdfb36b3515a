import { MAX_MACHINE_DATA_LENGTH } from '../log/log-line.js';
import { countsInLog } from '../model/counters.js';
import { shorten } from './names.js';

/**
 * @import { MachineRecord } from '../log/log-line.js'
 * @import { CountName, KindResult, RampKind, RampStep, RunFacts, StageResult } from '../model/result.js'
 */

/** Version of the machine lines' shapes; it goes up when a reader of the old ones would misread the new ones. */
export const FORMAT_VERSION = 1;

/** Characters of an encoded histogram on one line, so that the whole line stays under 1,000. */
const PART_LENGTH = 800;

/** Characters of a name, such as the host's, on the line of a run, where there is room for so many. */
const MAX_NAME_LENGTH = 100;

/** Kinds of errors that the line of a stage names; further, rarer ones stand together as `others`. */
const MAX_KINDS = 10;

/**
 * What the user set has to stand there in full, so that runs can be told apart by it. The names give up the room that it
 * takes, all of them alike.
 *
 * @param {RunFacts} facts
 * @returns {MachineRecord}
 */
export function runLine(facts) {
  let longest = MAX_NAME_LENGTH;
  let data = withNames(facts, longest);
  while (JSON.stringify(data).length > MAX_MACHINE_DATA_LENGTH && longest > 1) {
    longest -= 1;
    data = withNames(facts, longest);
  }
  return { kind: 'machine', data };
}

/**
 * @param {RunFacts} facts
 * @param {number} longest characters of a name
 */
function withNames(facts, longest) {
  const { options } = facts;
  const { endpoint, prefix, existing, faults } = options;
  return {
    kind: 'run',
    format: FORMAT_VERSION,
    ...facts,
    host: shorten(facts.host, longest),
    options: {
      ...options,
      endpoint: shorten(endpoint, longest),
      prefix: shorten(prefix, longest),
      ...(faults === undefined ? {} : { faults: shorten(faults, longest) }),
      ...(existing === undefined ? {} : { existing: shorten(existing, longest) }),
    },
  };
}

/**
 * @param {StageResult} result
 * @returns {MachineRecord[]} the stage's totals, and its latency histogram in as many parts as it takes; the same of each of
 *   its kinds, where it mixes several
 */
export function stageMachineLines(result) {
  const { stage, end, startedAt, endedAt, objects, threads, errors, storeClock, warmup, drain, bottleneck } = result;
  const { paused = 0 } = result;
  /** @type {Record<string, unknown>} */
  const totals = { kind: 'stage', stage, end, start: round(startedAt), stop: round(endedAt), objects, threads };
  Object.assign(totals, {
    ...pick(result, countsInLog('always')),
    ...(result.keys === 0 ? {} : pick(result, countsInLog('several'))),
    ...pick(
      result,
      countsInLog('existing').filter((name) => result[name] > 0),
    ),
    ...(result.steps === 0 ? {} : pick(result, countsInLog('parts'))),
    ...(result.kinds === undefined ? {} : pick(result, countsInLog('versions'))),
    limitedBy: bottleneck.cause,
    ...(paused === 0 ? {} : { paused: round(paused) }),
    ...(warmup === 0 ? {} : { warmup: round(warmup) }),
    ...(warmup === 0 && paused === 0 ? {} : pick(result, countsInLog('warm-up'))),
    ...(drain === 0 ? {} : { drain: round(drain), ...pick(result, countsInLog('drain')) }),
  });
  return [
    { kind: 'machine', data: { ...totals, clock: storeClock, errors: mostFrequent(errors) } },
    ...histogramLines({ kind: 'histogram', stage }, result.latency.histogram.operations ?? ''),
    ...(result.kinds ?? []).flatMap((kind) => kindMachineLines(result, kind)),
  ];
}

/**
 * What one kind of operation did in a stage that mixes several. The line of the stage has it, too: a reader that does not
 * know this one adds nothing up twice, and loses nothing but the difference between the kinds.
 *
 * @param {StageResult} result
 * @param {KindResult} kindResult
 * @returns {MachineRecord[]}
 */
function kindMachineLines({ stage, warmup, drain, paused = 0 }, kindResult) {
  const { operation, threads, errors, bottleneck } = kindResult;
  const data = {
    ...{ kind: 'stage-kind', stage, operation, threads, ...pick(kindResult, countsInLog('always')) },
    ...pick(kindResult, countsInLog('versions')),
    limitedBy: bottleneck.cause,
    ...(warmup === 0 && paused === 0 ? {} : pick(kindResult, countsInLog('warm-up'))),
    ...(drain === 0 ? {} : pick(kindResult, countsInLog('drain'))),
    errors: mostFrequent(errors),
  };
  return [
    { kind: 'machine', data },
    ...histogramLines({ kind: 'kind-histogram', stage, operation }, kindResult.latency.histogram.operations ?? ''),
  ];
}

/**
 * @param {string} stage
 * @param {RampKind} of
 * @param {RampStep} step
 * @returns {MachineRecord[]} the step, and its latency histogram in as many parts as it takes
 */
export function rampMachineLines(stage, of, { histogram, ...step }) {
  // The percentiles follow from the histogram, and a line has little room.
  const data = { kind: 'ramp-step', stage, of, ...step, latency: undefined };
  return [
    { kind: 'machine', data },
    ...histogramLines({ kind: 'ramp-histogram', stage, slotStart: step.slotStart }, histogram ?? ''),
  ];
}

/**
 * @param {StageResult | KindResult} result
 * @param {readonly CountName[]} names
 */
function pick(result, names) {
  return Object.fromEntries(names.map((name) => [name, result[name]]));
}

/**
 * @param {Record<string, unknown>} of what it is the histogram
 * @param {string} encoded
 * @returns {MachineRecord[]}
 */
function histogramLines(of, encoded) {
  const parts = Math.ceil(encoded.length / PART_LENGTH);
  return Array.from({ length: parts }, (_, place) => ({
    kind: 'machine',
    data: {
      ...of,
      unit: 'us',
      part: place + 1,
      of: parts,
      data: encoded.slice(place * PART_LENGTH, (place + 1) * PART_LENGTH),
    },
  }));
}

/** @param {Record<string, number>} errors by kind */
function mostFrequent(errors) {
  const kinds = Object.entries(errors);
  if (kinds.length <= MAX_KINDS) {
    return errors;
  }
  kinds.sort(([, one], [, other]) => other - one);
  const others = kinds.slice(MAX_KINDS).reduce((sum, [, count]) => sum + count, 0);
  return { ...Object.fromEntries(kinds.slice(0, MAX_KINDS)), others };
}

/** @param {number} milliseconds to µs */
function round(milliseconds) {
  return Math.round(milliseconds * 1000) / 1000;
}
