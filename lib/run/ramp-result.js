import { NO_STEP_LATENCY, sumOfHistograms } from '../model/ramp.js';
import { sumOfStages } from '../model/records.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { StageOutcome } from '../engine/workers.js'
 * @import { RampShortfall, RampStep, StageResult } from '../model/result.js'
 * @import { FinishedSlot } from '../engine/run-slot.js'
 * @import { TakenOfRamp } from './ramp-steps.js'
 * @import { StageResults } from './stage-result.js'
 * @import { RampSlot } from './stage-schedule.js'
 */

/**
 * A step in which nothing ran reports 0 threads, so it adds nothing to the sum over all hosts.
 *
 * @param {RampSlot} slot
 * @param {{ threads: number, outcome: StageOutcome | null, shortfall: RampShortfall | null }} ran
 * @returns {RampStep}
 */
export function stepOf(slot, { threads, outcome, shortfall }) {
  const { startsAt, countsFrom, endsAt } = slot;
  const histograms = countedSeconds(slot).flatMap((second) => outcome?.secondLatencies.get(second)?.histogram ?? []);
  return {
    slotStart: startsAt,
    slotSeconds: endsAt - startsAt,
    hosts: Number(outcome !== null),
    threads: outcome === null ? 0 : threads,
    secondStart: countsFrom,
    operations: countedOperations(slot, outcome),
    ...(histograms.length === 0 ? NO_STEP_LATENCY : sumOfHistograms(histograms)),
    errors: outcome?.whole.failedAttempts ?? 0,
    throttled: outcome?.whole.throttled ?? 0,
    shortfall,
  };
}

/** @param {RampSlot} slot */
function countedSeconds({ countsFrom, stopsAt }) {
  return Array.from({ length: stopsAt - countsFrom }, (_, index) => countsFrom + index);
}

/**
 * @param {RampSlot} slot
 * @param {StageOutcome | null} outcome
 */
function countedOperations(slot, outcome) {
  const operations = new Map(outcome?.whole.seconds.map((each) => [each.secondStart, each.operations]));
  return countedSeconds(slot).map((second) => operations.get(second) ?? 0);
}

/**
 * A step with attempts but no success has no meaningful rate: the store may be unreachable.
 *
 * @param {RampSlot} slot
 * @param {FinishedSlot} ran
 * @param {boolean} wasSuspended
 * @returns {RampShortfall | null} null if the step is complete
 */
export function shortfallOf(slot, { outcome, hasRunOut }, wasSuspended) {
  if (outcome.end !== 'complete') {
    // Ramps have no cost limit, so this is never `unpaid`.
    return /** @type {RampShortfall} */ (outcome.end);
  }
  if (wasSuspended) {
    return 'suspended';
  }
  if (hasRunOut) {
    return 'objects';
  }
  const isFutile = outcome.whole.attempts > 0 && !countedOperations(slot, outcome).some((count) => count > 0);
  return isFutile ? 'stalled' : null;
}

/**
 * The result of a stage that ran as a ramp: the sum of its steps. Bottleneck, client load and host load come from the
 * complete step with the most threads.
 *
 * @param {readonly TakenOfRamp[]} finished at least one has run
 * @param {StageResults} results
 * @param {Clock} clock
 * @returns {StageResult}
 */
export function rampResult(finished, results, clock) {
  const ran = finished.flatMap(({ outcome, load, ...rest }) =>
    outcome === null || load === null ? [] : [{ outcome, load, ...rest }],
  );
  const whole = ran.filter(({ shown }) => shown.shortfall === null);
  const most = (whole.length > 0 ? whole : ran).reduce((one, other) =>
    other.load.threads >= one.load.threads ? other : one,
  );
  const { bottleneck, clientLoad, hostLoad } = results.of({ outcome: most.outcome, load: most.load });
  const outcome = sumOfOutcomes(
    ran.map((each) => each.outcome),
    clock,
  );
  const last = finished[finished.length - 1];
  // Only the stage's last slot has a drain: operations that completed late in earlier slots count like all others.
  const stopsAt = last.outcome !== null && outcome.whole.drainOperations > 0 ? last.stopsAt : undefined;
  const sum = results.of({ outcome, load: most.load, stopsAt });
  return { ...sum, bottleneck, clientLoad, hostLoad, ramp: { steps: finished.map(({ shown }) => shown) } };
}

/**
 * @param {readonly StageOutcome[]} outcomes consecutive outcomes of one stage, at least one
 * @param {Clock} clock
 * @returns {StageOutcome} with the client and host load of the last outcome
 */
function sumOfOutcomes(outcomes, clock) {
  return {
    ...outcomes[outcomes.length - 1],
    ...sumOfStages(outcomes, clock),
    secondLatencies: new Map(outcomes.flatMap(({ secondLatencies }) => [...secondLatencies])),
  };
}
