import type { Clock } from '../clock/clock.js';
import type { Budget } from '../engine/budget.js';
import type { FinishedSlot, Slot } from '../engine/run-slot.js';
import type { MeasuredSecond } from '../engine/second-merger.js';
import type { Config } from '../model/config.js';
import type { ClockFacts, RequestCounts, SecondCount, StageResult, UnloadedLatency } from '../model/result.js';
import type { RunObserver, StageStart } from '../model/run-events.js';
import type { Stage } from '../operations/stage.js';

/** What a plan decides by. The store is not among it. */
export interface PlanContext {
  config: Config;
  clock: Clock;
  /** monotonic ms */
  firstStageAt: number;
  /** by the stage's name in lower case */
  unloaded: ReadonlyMap<string, UnloadedLatency>;
  storeClock: () => ClockFacts | null;
  /** whether an object was written */
  has: (localIndex: number) => boolean;
  /** that were made before the first stage */
  requests: RequestCounts;
}

/** Decides what a run does next from the results of the slots before. It runs nothing itself. */
export interface Plan {
  /** called in the stages' order, when those before have ended */
  stage: (stage: Stage, place: number) => StagePlan;
  /** objects, from the first, that have their whole size at most; absent if all have */
  readonly wholeObjects?: number;
}

/** What a stage does: its slots, how they are reported, and what they come to. */
export interface StagePlan {
  /** monotonic ms before which it does not begin */
  startsAt?: number;
  /** shown before it begins */
  notices?: readonly string[];
  /** null if nothing can be done in this stage */
  starts: StageStart | null;
  /** null if the stage is over */
  next: () => PlannedSlot | null;
  /** takes the result of the slot that was planned last: null if nothing was run in it */
  take: (finished: FinishedSlot | null, observer: Pick<RunObserver, 'slotEnds' | 'stepEnds' | 'notice'>) => void;
  second?: (second: MeasuredSecond, observer: Pick<RunObserver, 'second'>) => void;
  conclude: (observer: Pick<RunObserver, 'notice'>) => Conclusion;
}

export interface PlannedSlot {
  /** monotonic ms before which it does not begin */
  startsAt?: number;
  /** monotonic ms after which it does not begin any more */
  startsBy?: number;
  /** shown before it begins */
  notice?: string;
  /** null if only the time until `startsAt` is to pass */
  slot: Slot | null;
  /** may end the slot before its time */
  ending?: SlotEnding;
}

export interface SlotEnding {
  second?: (second: SecondCount, budget: Pick<Budget, 'stopAt'>) => void;
  /** an operation is tried again */
  retrying?: () => void;
  /** `done` operations of the slot; `startedAt` of the slot in monotonic ms */
  progress?: (done: number, startedAt: number, budget: Pick<Budget, 'close'>) => void;
}

export type Conclusion = { result: StageResult } | Idleness;

/** Why a stage has no result. */
export interface Idleness {
  result: null;
  problem: string;
  /** whether the same command may succeed another time */
  mayPass: boolean;
  /** whether the next stage can run */
  goesOn: boolean;
}
