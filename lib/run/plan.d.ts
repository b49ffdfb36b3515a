import type { Clock } from '../clock/clock.js';
import type { Budget } from '../engine/budget.js';
import type { FinishedSlot, Slot } from '../engine/run-slot.js';
import type { MeasuredSecond } from '../engine/second-merger.js';
import type { Config } from '../model/config.js';
import type { ClockFacts, SecondCount, StageResult, UnloadedLatency } from '../model/result.js';
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
}

/** Decides what a run does next from the results of the slots before. It runs nothing itself. */
export interface Plan {
  /** called in the stages' order, when those before have ended */
  stage: (stage: Stage, place: number) => StagePlan;
}

/** What a stage does: its slots, how they are reported, and what they come to. */
export interface StagePlan {
  /** monotonic ms before which it does not begin */
  startsAt: number;
  /** shown if the stage has to wait; null if there is nothing to show */
  notice: string | null;
  starts: StageStart;
  /** null if the stage is over */
  next: () => PlannedSlot | null;
  /** takes the result of the slot that was planned last */
  take: (finished: FinishedSlot) => void;
  second: (second: MeasuredSecond, observer: Pick<RunObserver, 'second'>) => void;
  result: () => StageResult;
}

export interface PlannedSlot {
  slot: Slot;
  /** may end the slot before its time; null if nothing does */
  ending: SlotEnding | null;
}

export interface SlotEnding {
  second: (second: SecondCount, budget: Pick<Budget, 'stopAt'>) => void;
}
