import type { Clock } from '../measure/clock/clock.js';
import type { CostBudget } from './prices.js';
import type { Budget } from '../load/budget.js';
import type { FinishedSlot, Slot } from '../load/run-slot.js';
import type { Config } from '../result/config.js';
import type { RampStep, SearchStep, StageResult, UnloadedLatency } from '../result/result.js';
import type { StageStart } from '../result/run-events.js';
import type { Stage } from '../load/operations/stage.js';

/** What a plan bases its decisions on. A plan has no access to the store. */
export interface PlanContext {
  config: Config;
  clock: Clock;
  /** monotonic ms */
  firstStageAt: number;
  /** by the stage's name in lower case */
  unloaded: ReadonlyMap<string, UnloadedLatency>;
  /** whether an object was written */
  has: (localIndex: number) => boolean;
  costs: CostBudget;
}

/** Decides what a run does next from the results of earlier slots. It runs nothing itself. */
export interface Plan {
  /** called in order, after all earlier stages have ended */
  stage: (stage: Stage, index: number) => StagePlan;
  /** only the first N objects are whole-size; absent if all are */
  readonly wholeObjects?: number;
}

/** What a stage does: its slots, how they are reported, and their result. */
export interface StagePlan {
  /** earliest start in monotonic ms */
  startsAt?: number;
  /** shown before it begins */
  notices?: readonly string[];
  /** null if the stage has nothing to do */
  starts: StageStart | null;
  /** null if the stage is over */
  next: () => PlannedSlot | null;
  /** takes the result of the slot planned last, which is null if nothing ran in it; returns the step, if it was one */
  take: (finished: FinishedSlot | null) => RampStep | SearchStep | null;
  conclude: () => Conclusion;
}

export interface PlannedSlot {
  /** earliest start in monotonic ms */
  startsAt?: number;
  /** latest start in monotonic ms */
  startsBy?: number;
  /** shown before it begins */
  notice?: string;
  /** null to wait until `startsAt` and run nothing */
  slot: Slot | null;
  /** may end the slot early: `done` operations of the slot, which started at `startedAt` in monotonic ms */
  progress?: (done: number, startedAt: number, budget: Pick<Budget, 'close'>) => void;
}

/** The result of a stage, or why it has none. */
export type Conclusion =
  | { result: StageResult }
  | {
      result: null;
      problem: string;
      /** whether the same command might succeed later */
      isTransient: boolean;
      /** whether the next stage can run */
      continues: boolean;
    };
