import { Budget } from '../../lib/load/budget.js';
import { NO_FLOW } from '../../lib/load/run-stage.js';
import { StageMeter } from '../../lib/measure/stage-meter.js';
import { simulateLoop } from './simulated-store.js';
import { stageOutcome } from './stage-outcome.js';

/**
 * @import { StageTask } from '../../lib/load/worker.js'
 * @import { StageOutcome } from '../../lib/load/workers.js'
 * @import { StageHooks } from '../../lib/load/run-stage.js'
 * @import { Ledger } from '../../lib/load/workload/ledger.js'
 * @import { ManualClock } from './manual-clock.js'
 * @import { SimulatedOperation, StoreModel } from './simulated-store.js'
 */

/** Interval of the workers' progress reports. ms */
const PROGRESS_MS = 250;

/** Workers on a simulated store, with a clock that they advance themselves. */
export class SimulatedWorkers {
  #clock;
  #modelOf;
  #written;
  /** @type {StageTask[]} */
  tasks = [];
  /** Overrides of a task's outcome. @type {(task: StageTask, meter: StageMeter) => Partial<StageOutcome>} */
  override = () => ({});
  /** Whether the first attempt of each operation fails. */
  failsOnce = false;

  /**
   * @param {ManualClock} clock
   * @param {(task: StageTask) => StoreModel} modelOf
   * @param {Ledger} [written]
   */
  constructor(clock, modelOf, written) {
    this.#clock = clock;
    this.#modelOf = modelOf;
    this.#written = written;
  }

  /**
   * @param {StageTask} task
   * @param {AbortSignal} _signal
   * @param {Pick<StageHooks, 'progress' | 'retrying' | 'second'>} hooks
   * @returns {Promise<StageOutcome>}
   */
  async runStage(task, _signal, hooks) {
    this.tasks.push(task);
    const { load, limit, budget } = task;
    const { stopsAt, endsAt } = limit ?? { stopsAt: Infinity, endsAt: Infinity };
    const startedAt = this.#clock.now();
    const shared = new Budget(budget);
    const most = budget.cycles ? Infinity : budget.objects;
    const all = simulateLoop(this.#modelOf(task), load.threads, stopsAt - startedAt, most);
    let begun = 0;
    let passed = 0;
    let finished = 0;
    while (passed < stopsAt - startedAt && !shared.isClosed && !isDone(all, begun, most, passed)) {
      passed = Math.min(passed + PROGRESS_MS, stopsAt - startedAt);
      this.#clock.advance(startedAt + passed - this.#clock.now());
      for (; begun < all.length && all[begun].startedAt < passed; begun++) {
        this.#carryOut(task, shared.localIndexAt(shared.claim() % shared.objects));
      }
      const before = finished;
      finished = all.filter(({ finishedAt }) => finishedAt <= passed).length;
      Array.from({ length: this.failsOnce ? finished - before : 0 }).forEach(() =>
        hooks.retrying('server-error', '', false),
      );
      hooks.progress(finished, NO_FLOW);
    }
    const lasting = all.slice(0, begun).reduce((last, { finishedAt }) => Math.max(last, finishedAt), passed);
    const endedAt = Math.min(startedAt + lasting, endsAt);
    this.#clock.advance(endedAt - this.#clock.now());
    const meter = new StageMeter(this.#clock, startedAt, {
      measuredFrom: startedAt + load.warmup,
      measuredUntil: stopsAt,
      windows: load.windows,
    });
    const done = all.slice(0, begun).filter(({ finishedAt }) => startedAt + finishedAt <= endedAt);
    for (const operation of done.sort((one, other) => one.finishedAt - other.finishedAt)) {
      const at = startedAt + operation.startedAt;
      const times = { startedAt: at, attemptStartedAt: at, finishedAt: startedAt + operation.finishedAt };
      meter.succeeded(times, load.size);
      if (this.failsOnce) {
        meter.attemptFailed('server-error', 1, times.startedAt);
      }
    }
    const second = { secondStart: 0, operations: 0, bytes: 0, latencies: { latency: null, histogram: null } };
    hooks.second({ ...second, billed: [meter.billed] });
    const clientLoad = { cpuUser: 100, cpuSystem: 0, loops: 1, eventLoopUtilization: 0.1, busyLoops: 0.1 };
    return stageOutcome([meter], this.#clock, { startedAt, endedAt, clientLoad, ...this.override(task, meter) });
  }

  /**
   * @param {StageTask} task
   * @param {number} place
   */
  #carryOut({ stage }, place) {
    if (stage.creates) {
      this.#written?.add(place, 1);
    } else if (stage.removes) {
      this.#written?.delete(place);
    }
  }
}

/**
 * @param {readonly SimulatedOperation[]} all
 * @param {number} begun
 * @param {number} most
 * @param {number} passed ms
 */
function isDone(all, begun, most, passed) {
  return begun === most && all.every(({ finishedAt }) => finishedAt <= passed);
}
