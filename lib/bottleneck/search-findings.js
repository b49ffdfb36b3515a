import { counted, decimal, percent, rounded } from '../text/figures.js';
import { adviceFor } from './message.js';

/**
 * @import { Bottleneck, BucketSearchResult, RateInterval, RateSearchResult, StageResult } from '../model/result.js'
 * @import { BucketConclusion, UnknownLimitReason, RateConclusion } from '../model/search.js'
 */

/**
 * @param {BucketConclusion} conclusion
 * @param {{ buckets: number, target: number | null }} options `buckets`: how many are configured; `target`: ops/s
 * @returns {BucketSearchResult}
 */
export function bucketFinding(conclusion, { buckets, target }) {
  const { limit, steps, threadsPerBucket, threadsNeeded, perBucket } = conclusion;
  const bucketsNeeded = bucketsFor(target, conclusion);
  const parts = [
    bucketEvidence(conclusion),
    ...(target === null ? [] : [targetEvidence(target, bucketsNeeded, conclusion)]),
    ...(threadsNeeded === null ? [] : [`${counted(buckets, 'bucket')} would take ${rounded(threadsNeeded)} <threads>`]),
  ];
  const evidence = parts.filter((part) => part !== '').join('; ');
  return { limit, evidence, steps, threadsPerBucket, threadsNeeded, perBucket, target, bucketsNeeded };
}

/**
 * @param {number | null} target ops/s
 * @param {BucketConclusion} conclusion
 * @returns {number | null} buckets needed; null if unknown, or if no number of buckets is enough
 */
function bucketsFor(target, { limit, perBucket, steps }) {
  if (target === null || limit === 'inconclusive') {
    return null;
  }
  if (perBucket !== null) {
    return Math.ceil(target / perBucket.operationsPerSecond);
  }
  return target <= steps[0].rate.operationsPerSecond ? 1 : null;
}

/** @type {Record<UnknownLimitReason, (conclusion: BucketConclusion) => string>} */
const REASONS = {
  'no plateau': () => 'the first bucket alone showed no plateau',
  'too few threads': ({ threadsPerBucket }) =>
    `two buckets would take ${rounded(2 * Number(threadsPerBucket))} <threads>`,
  'too few operations': ({ needed }) => `${rounded(needed?.operations ?? 0)} operations or more are needed`,
  'client busy': (conclusion) => `${growth(conclusion)}, but this host had too little CPU`,
  'in between': (conclusion) => `${growth(conclusion)}: some growth, but less than proportional`,
  'ended early': () => 'the search ended early',
};

/** @type {Record<UnknownLimitReason, string | null>} */
const ADVICE = {
  'no plateau': 'more <threads> and <objects>',
  'too few threads': 'more <threads>',
  'too few operations': 'more <objects>, or a higher --max-cost',
  'client busy': 'a host with more CPU',
  'in between': 'another run, or more buckets',
  'ended early': 'another run',
};

/** @param {BucketConclusion} conclusion */
function bucketEvidence(conclusion) {
  const { reason, perBucket, threadsPerBucket } = conclusion;
  if (reason !== null) {
    return REASONS[reason](conclusion);
  }
  const threads = `with ${counted(Number(threadsPerBucket), 'thread')} for each`;
  return perBucket === null
    ? `${growth(conclusion)}, ${threads}`
    : `${growth(conclusion)}: ${interval(perBucket)} for each, ${threads}`;
}

/** @param {BucketConclusion} conclusion */
function growth({ steps }) {
  const [first, last] = [steps[0], steps[steps.length - 1]];
  const times = last.rate.operationsPerSecond / first.rate.operationsPerSecond;
  return `${counted(last.buckets, 'bucket')} did ${times.toFixed(2)} times as much as one, ${decimal(last.rate.operationsPerSecond)} ops/s`;
}

/**
 * @param {number} target ops/s
 * @param {number | null} needed
 * @param {BucketConclusion} conclusion
 */
function targetEvidence(target, needed, { limit, steps }) {
  const rate = `${rounded(target)} ops/s`;
  if (limit === 'inconclusive') {
    return '';
  }
  if (needed === null) {
    return `more buckets will not reach ${rate}`;
  }
  const tried = steps[steps.length - 1].buckets;
  return `buckets needed for ${rate}: ${rounded(needed)}${needed > tried ? ', if the growth continues' : ''}`;
}

/**
 * @param {BucketConclusion} conclusion
 * @param {Bottleneck} whole bottleneck of the step with the most buckets; of the first bucket if no step had more
 * @param {boolean} isBusy whether the host had too little CPU in that step
 * @returns {Bottleneck}
 */
export function bucketBottleneck(conclusion, whole, isBusy) {
  const { limit } = conclusion;
  const reason = limit !== 'inconclusive' && isBusy ? 'client busy' : conclusion.reason;
  if (reason !== null) {
    if (reason === 'client busy') {
      return whole.cause.endsWith('CPU') ? whole : starved(REASONS[reason](conclusion));
    }
    return unknown(REASONS[reason](conclusion), ADVICE[reason]);
  }
  if (limit === 'per bucket') {
    const evidence = `each bucket has its own limit, ${growth(conclusion)}`;
    return { cause: 'store', certainty: 'proven', evidence, advice: 'more buckets' };
  }
  const evidence = `a limit of the whole store, the account or the path to it, ${growth(conclusion)}`;
  return { cause: 'beyond this host', certainty: 'proven', evidence, advice: 'two hosts' };
}

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
  return { cause: 'host CPU', certainty: 'likely', evidence, advice: ADVICE['client busy'] };
}

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
        advice: ADVICE['client busy'],
        evidence: `${late}, but this host had too little CPU`,
      }
    : {
        cause: 'beyond this host',
        certainty: 'proven',
        advice: 'two hosts',
        evidence: `${late}, event loop ${percent(clientLoad.eventLoopUtilization)} busy`,
      };
}

/** @param {RateInterval} rate */
function interval({ operationsPerSecond, low, high, confidence }) {
  return `${decimal(operationsPerSecond)} ops/s (${percent(confidence)} CI ${decimal(low)} to ${decimal(high)})`;
}
