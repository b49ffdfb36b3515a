import { counted, decimal, percent, rounded } from '../log/figures.js';
import { adviceFor } from './lack.js';
import { latencies, milliseconds, plateau, room, sizes } from './verdict-phrases.js';

/**
 * @import { Evidence } from './verdict.js'
 * @import { Bottleneck, BottleneckCause } from '../model/result.js'
 */

/**
 * @typedef {Exclude<BottleneckCause, 'not shown'>} ShownCause
 * @typedef {keyof typeof NOT_SHOWN} Doubt why no cause can be named
 */

/** What shows a cause, in figures. @type {Record<ShownCause, (evidence: Evidence) => string>} */
const SHOWN = {
  'client CPU': ({ eventLoopUtilization, loops, cpuCores }) =>
    `busiest of ${counted(loops, 'event loop')} busy ${percent(eventLoopUtilization)} of the time, ` +
    `${cpuCores.toFixed(2)} CPU cores used`,
  'store throttling': ({ attempts, throttled, backoffShare, threads, search }) =>
    `${(100 * (throttled / attempts)).toFixed(1)}% of ${rounded(attempts)} attempts refused` +
    `${search === null ? '' : ` with ${counted(threads, 'thread')}`}, threads waited ${percent(backoffShare)} of their time`,
  concurrency: (evidence) => `${latencies(evidence)}: more <threads> would do more`,
  store: (evidence) => `${plateau(evidence)}${sizes(evidence)}, ${room(evidence)}`,
  bandwidth: (evidence) => `${plateau(evidence)}${sizes(evidence)}, ${room(evidence)}`,
};

/** What would tell more than a plain run; a search cannot advise itself. @param {Evidence} evidence */
const searchFor = ({ search }) => (search === null ? '--find-peak' : null);

/** Why no cause is shown, and what would tell more. */
const NOT_SHOWN = /** @type {const} */ ({
  'few operations': {
    why: (/** @type {Evidence} */ { operations }) => `${counted(operations, 'operation')} are too few to tell`,
    advice: (/** @type {Evidence} */ { search }) => (search === null ? 'more <objects>' : adviceFor(search.lack)),
  },
  'throttled and busy': {
    why: (/** @type {Evidence} */ evidence) =>
      `${SHOWN['store throttling'](evidence)}, and ${SHOWN['client CPU'](evidence)}`,
    advice: '--calibrate',
  },
  'loops unevenly busy': {
    why: (/** @type {Evidence} */ evidence) =>
      `${SHOWN['client CPU'](evidence)}, but all of them ${percent(evidence.busyLoops / evidence.loops)} on average`,
    advice: 'fewer --cores',
  },
  'host busy with others': {
    why: (/** @type {Evidence} */ evidence) => `${SHOWN['client CPU'](evidence)}: others on this host had its CPU`,
    advice: 'an idle host',
  },
  overloaded: {
    why: (/** @type {Evidence} */ evidence) => `the rate asked for is too high, ${room(evidence)}`,
    advice: searchFor,
  },
  'rate not kept': {
    why: (/** @type {Evidence} */ evidence) =>
      `the rate asked for was not kept, half of the operations started ${milliseconds(evidence.startDelayP50)} late or more, ${room(evidence)}`,
    advice: searchFor,
  },
  'some refused': {
    why: (/** @type {Evidence} */ evidence) => `${SHOWN['store throttling'](evidence)}, ${room(evidence)}`,
    advice: searchFor,
  },
  'rate kept': {
    why: (/** @type {Evidence} */ evidence) => `the rate asked for was kept, ${room(evidence)}`,
    advice: searchFor,
  },
  'no unloaded latency': {
    why: (/** @type {Evidence} */ evidence) => `the latency with one thread is not known, ${room(evidence)}`,
    advice: searchFor,
  },
  'time lost to errors': {
    why: (/** @type {Evidence} */ { backoffShare }) =>
      `threads lost ${percent(backoffShare)} of their time to failed attempts that were no throttling`,
    advice: null,
  },
  'warm-up alone': {
    why: () => 'no operation completed behind the time of --warmup',
    advice: 'a shorter --warmup',
  },
  'drain alone': {
    why: () => 'no operation completed within the measured time of --duration',
    advice: 'a longer --duration',
  },
  'many failed': {
    why: (/** @type {Evidence} */ { operations, failed }) =>
      `${rounded(failed)} of ${counted(operations + failed, 'operation')} failed`,
    advice: null,
  },
  'long tail': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}, but on average ${milliseconds(evidence.mean)}: the store stood still or became slower`,
    advice: searchFor,
  },
  'quick on a plateau': {
    why: (/** @type {Evidence} */ evidence) => `${plateau(evidence)}, but ${latencies(evidence)}`,
    advice: 'another try',
  },
  'quicker under load': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}, which was slow for a reason of its own, ${room(evidence)}`,
    advice: searchFor,
  },
  'slower under load': {
    why: (/** @type {Evidence} */ evidence) => `${latencies(evidence)}, ${room(evidence)}`,
    advice: searchFor,
  },
  'smaller objects alone': {
    why: (/** @type {Evidence} */ evidence) =>
      `${latencies(evidence)}, and larger ones take longer under any load, ${room(evidence)}`,
    advice: searchFor,
  },
  'no plateau': {
    why: (/** @type {Evidence} */ evidence) =>
      `no plateau was reached${evidence.search?.lack === 'time' ? ' in its time' : ''}, ${latencies(evidence)}, ${room(evidence)}`,
    advice: (/** @type {Evidence} */ { search }) => adviceFor(search?.lack ?? null),
  },
  'client nearly busy': {
    why: (/** @type {Evidence} */ evidence) => `${plateau(evidence)}, but ${room(evidence)}`,
    advice: '--calibrate',
  },
  'no second size': {
    why: (/** @type {Evidence} */ evidence) =>
      `${plateau(evidence)}, ${room(evidence)}, but no objects of half the size were tried`,
    advice: (/** @type {Evidence} */ { search }) =>
      search?.lack === 'dollars' ? adviceFor('dollars') : 'Write with enough <objects>',
  },
  'held apart': {
    why: (/** @type {Evidence} */ evidence) =>
      `${decimal(evidence.search?.held ?? 0)}/s when it was held, but ${decimal(evidence.search?.best ?? 0)}/s in the best step before, ${room(evidence)}`,
    advice: 'another try',
  },
  'not held': {
    why: (/** @type {Evidence} */ evidence) => `${plateau(evidence)}${sizes(evidence)}, but the peak was not held`,
    advice: (/** @type {Evidence} */ { search }) => adviceFor(search?.lack ?? null),
  },
  unsteady: {
    why: (/** @type {Evidence} */ evidence) =>
      `${plateau(evidence)}${sizes(evidence)}, but the rate was another when it was held`,
    advice: 'another try',
  },
  'between sizes': {
    why: (/** @type {Evidence} */ evidence) =>
      `${plateau(evidence)}${sizes(evidence)}, which neither store nor bandwidth explains`,
    advice: 'another --size',
  },
});

/**
 * What is said first of a stage that ended before its work was done: no other option would have told more.
 *
 * @type {Record<Evidence['end'], string>}
 */
const EARLY_END = {
  complete: '',
  overloaded: '',
  stopped: 'stopped before its end: ',
  stalled: 'nothing succeeded any more: ',
  fatal: 'ended by an error: ',
};

/**
 * @param {ShownCause | Doubt} finding
 * @param {Evidence} evidence
 * @returns {Bottleneck}
 */
export function describe(finding, evidence) {
  if (isShown(finding)) {
    return { cause: finding, evidence: SHOWN[finding](evidence), advice: null };
  }
  const { why, advice } = NOT_SHOWN[finding];
  const early = EARLY_END[evidence.end];
  const next = typeof advice === 'function' ? advice(evidence) : advice;
  return { cause: 'not shown', evidence: `${early}${why(evidence)}`, advice: early === '' ? next : null };
}

/**
 * @param {ShownCause | Doubt} finding
 * @returns {finding is ShownCause}
 */
function isShown(finding) {
  return Object.hasOwn(SHOWN, finding);
}
