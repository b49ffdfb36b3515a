import { isHostBusy } from '../bottleneck/host-evidence.js';
import { bucketBottleneck, bucketFinding } from '../bottleneck/search-findings.js';
import { searchResult, stepResult, withAllSteps } from './search-result.js';
import { evidenceOf, stageResult } from './stage-result.js';

/**
 * @import { BucketConclusion } from '../model/search.js'
 * @import { SearchResult, StageResult } from '../model/result.js'
 * @import { FinishedStep } from '../search/search-step.js'
 * @import { ResultParts } from './search-result.js'
 */

/**
 * The result of a search over buckets. Its rates and latencies come from the step with the most buckets or, if no such
 * step ran, from the search on the first bucket.
 *
 * @param {ResultParts & { finished: readonly FinishedStep[], conclusion: BucketConclusion, buckets: number,
 *   target: number | null }} parts
 * @returns {StageResult}
 */
export function bucketResult({ finished, conclusion, buckets, target, ...parts }) {
  const ofOne = finished.filter(({ step }) => step.buckets === undefined);
  const one = searchResult({ ...parts, finished: ofOne, conclusion: conclusion.one });
  const shown = finished.findLast(({ step }) => step.buckets !== undefined);
  const { outcome, load, stopsAt } = shown ?? ofOne[ofOne.length - 1];
  const whole = shown === undefined ? one : stageResult({ ...parts, outcome, load, stopsAt });
  const steps = finished.map((each) => stepResult(each, parts.clock));
  const { needed } = conclusion;
  const evidence = evidenceOf(whole, load, parts.stage.movesBytes, parts.availableCores);
  const search = /** @type {SearchResult} */ ({
    ...one.search,
    steps,
    operationsNeeded: needed?.operations ?? null,
    dollarsNeeded: parts.dollarsNeeded,
    dimension: 'buckets',
    buckets: bucketFinding(conclusion, { buckets, target }),
  });
  return {
    ...withAllSteps(whole, finished),
    bottleneck: bucketBottleneck(conclusion, whole.bottleneck, isHostBusy(evidence)),
    search,
  };
}
