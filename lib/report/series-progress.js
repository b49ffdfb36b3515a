import { rounded } from '../text/figures.js';
import { formatDuration } from '../text/units.js';
import { rateOf } from '../result/figures/stage-table.js';
import { formatCleanupProgress, shareDone, StagePace } from './progress.js';

/**
 * @import { SweepTurn } from '../series/sweep-plan.js'
 * @import { Listener, Screen } from './reporter.js'
 */

const REFRESH_MS = 500;

/**
 * Shows what the run in progress does and how many are left.
 *
 * @param {Pick<Screen, 'err' | 'live' | 'isLive'>} terminal
 * @param {{ now: () => number, before: number, total: number, quiet: boolean }} options `now` in monotonic ms;
 *   `before`: runs of `total` that were made earlier
 */
export function seriesProgress(terminal, { now, before, total, quiet }) {
  const screen = quiet ? { err() {}, live() {}, isLive: false } : terminal;
  const startedAt = now();
  let endedAt = startedAt;
  let ended = before;
  let label = '';
  let work = () => 'starting';
  /** @type {StagePace | null} */
  let pace = null;
  /** @type {string | null} */
  let firstError = null;
  /** @type {Set<string>} */
  const warnings = new Set();
  const left = () => {
    const mean = (endedAt - startedAt) / (ended - before);
    const time = formatDuration((total - ended) * mean - (now() - endedAt));
    return `${rounded(total - ended)} left${ended === before || ended === total ? '' : `, about ${time}`}`;
  };
  const show = () => screen.live(`${label}: ${work()} (${left()})`);
  const timer = setInterval(show, REFRESH_MS);
  /** @type {Listener} */
  const listener = {
    phaseStarts: ({ text }) => (work = () => text),
    stageStarts({ objects, operations = objects, ...plan }) {
      const paceOfStage = new StagePace({ ...plan, objects: operations }, now());
      pace = paceOfStage;
      work = () => {
        const state = paceOfStage.state(now());
        return `${plan.stage} ${Math.floor(100 * shareDone(state))}%, ${rounded(state.rate)} ops/s`;
      };
    },
    progress: (done, flow) => pace?.record(now(), done, flow),
    failed: (_stage, _operation, message) => (firstError ??= message),
    integrityError: (_stage, message) => (firstError ??= message),
    cleanupProgress: (progress) => (work = () => formatCleanupProgress(progress)),
    warning(message) {
      if (!warnings.has(message)) {
        warnings.add(message);
        terminal.err(`warning: ${label}: ${message}`);
      }
    },
  };
  return {
    listener,
    /** @param {string} cell its label */
    starts(cell) {
      label = cell;
      work = () => 'starting';
      firstError = null;
      show();
    },
    /**
     * @param {Omit<SweepTurn, 'cell'>} turn
     * @returns {string | null} why the run failed, with the first error of an operation
     */
    ends({ problem, result }) {
      ended += 1;
      endedAt = now();
      const reason = problem === null || firstError === null ? problem : `${problem}: ${firstError}`;
      const rates = (result?.stages ?? []).map((stage) => `${stage.stage} ${rounded(rateOf(stage) ?? 0)}`);
      const outcome = reason === null ? `${rates.join(', ')} ops/s` : `failed: ${reason}`;
      screen.err(`${rounded(ended)} of ${rounded(total)}, ${label}: ${outcome}${screen.isLive ? '' : ` (${left()})`}`);
      return reason;
    },
    close() {
      clearInterval(timer);
      screen.live('');
    },
  };
}
