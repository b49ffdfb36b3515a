import { counted, decimal, percent, rounded } from '../text/figures.js';
import { adviceFor } from './message.js';

/**
 * @import { Bottleneck, RateSearchResult, StageResult } from '../model/result.js'
 * @import { RateConclusion } from '../model/search.js'
 */

/**
 * @param {string} evidence
 * @param {string | null} advice
 * @returns {Bottleneck}
 */
function unknown(evidence, advice) {
  return { cause: 'inconclusive', certainty: 'unknown', evidence, advice };
}

/**
 * @param {string} evidence of too little CPU
 * @returns {Bottleneck}
 */
function starved(evidence) {
  return { cause: 'host CPU', certainty: 'likely', evidence, advice: HOST_ADVICE };
}

const HOST_ADVICE = 'a host with more CPU';

/** An event loop that is busy for less than this share of its time has room for more operations. */
const IDLE_LOOP = 0.7;

/** If the ends of an interval differ by more than this factor, more time would narrow it. */
const WIDE = 1.1;

/**
 * @param {RateConclusion} conclusion
 * @param {{ slo: number, errorShare: number, threads: number }} limits `slo` in ms; `errorShare` 0 to 1
 * @returns {RateSearchResult}
 */
export function rateFinding(conclusion, { slo, errorShare, threads }) {
  const { bound, rate, interval: found, held, isClientLimited, needed, limitingResource } = conclusion;
  const parts = [
    ...(held === null
      ? ['no rate was held']
      : [`held at ${decimal(held.rate)}/s with a p99 of ${held.p99.toFixed(2)}ms`]),
    ...(isClientLimited
      ? [`at higher rates, this host (${counted(threads, 'thread')}) started operations too late or was too busy`]
      : []),
    ...(needed === null ? [] : [`try again with ${rounded(needed.operations)} <objects> or more`]),
    ...(limitingResource === 'time' && !(found && found.high <= WIDE * found.low)
      ? ['there was no time for more steps']
      : []),
  ];
  return { slo, errorShare, bound, operationsPerSecond: rate, interval: found, evidence: parts.join('; ') };
}

/**
 * @param {RateConclusion} conclusion
 * @param {Pick<StageResult, 'bottleneck' | 'clientLoad'>} whole the step that represents the stage
 * @param {{ slo: number, isByErrors: boolean, isBusy: boolean }} broken the exceeded limit: `slo` in ms;
 *   `isByErrors`: whether it was the limit on errors; `isBusy`: whether the host had too little CPU in that step
 * @returns {Bottleneck}
 */
export function rateBottleneck(
  { bound, rate, interval: found, isClientLimited, limitingResource },
  { bottleneck, clientLoad },
  broken,
) {
  const { slo, isByErrors, isBusy } = broken;
  if (isClientLimited) {
    const evidence = 'this host started operations too late, or had too little CPU, before the store became too slow';
    if (isBusy) {
      return starved(evidence);
    }
    const advice = 'more <threads>, or another host';
    return clientLoad.eventLoopUtilization < IDLE_LOOP
      ? {
          cause: 'concurrency',
          certainty: 'likely',
          advice,
          evidence: `all threads were waiting for responses before the store became too slow, event loop ${percent(clientLoad.eventLoopUtilization)} busy`,
        }
      : unknown(evidence, advice);
  }
  if (rate === null) {
    return unknown('no rate was tried for long enough', adviceFor(limitingResource));
  }
  if ((bound !== 'exact' && bound !== 'at most') || isByErrors) {
    // The search itself chose the requested rate, so this rate is not a limit.
    return bottleneck.cause === 'requested rate'
      ? unknown('the store kept up with every rate that was tried', adviceFor(limitingResource))
      : bottleneck;
  }
  const where = found?.confidence === null ? `at ${decimal(found.high)}/s` : `at rates above about ${decimal(rate)}/s`;
  const late = `responses took longer than ${slo.toFixed(2)}ms ${where}`;
  if (isBusy && bottleneck.cause.endsWith('CPU')) {
    return bottleneck;
  }
  return isBusy
    ? {
        cause: 'beyond this host',
        certainty: 'likely',
        advice: HOST_ADVICE,
        evidence: `${late}, but this host had too little CPU`,
      }
    : {
        cause: 'beyond this host',
        certainty: 'proven',
        advice: 'two hosts',
        evidence: `${late}, event loop ${percent(clientLoad.eventLoopUtilization)} busy`,
      };
}
