import { counted, rounded } from '../text/figures.js';
import { formatMegabytes } from '../text/units.js';
import { lineOf, progressBar, sparkline } from '../figures/drawing.js';
import { quantityText } from '../figures/quantities.js';
import { StagePace, amountDone, progressLine, shareDone, timeLeft } from './progress.js';
import { formatStageSummary } from './stage-summary.js';

/**
 * @import { RampStep, RunResult, SearchStep } from '../model/result.js'
 * @import { DataFlow, KindSecond, ReportedSecond, SecondLatencies, StageStart } from '../model/run-events.js'
 * @import { Look, Part } from '../figures/drawing.js'
 * @import { StageState } from './progress.js'
 * @import { Listener, ListeningReporter, ReporterContext } from './reporter.js'
 */

const REFRESH_MS = 250;

/** Seconds that the latencies and the rates of a mix cover. */
const SHOWN_SECONDS = 5;

/** Maximum length of the sparkline. */
const MAX_RATES = 60;

const LABEL_WIDTH = 'Remove 4/4'.length + 2;
const MIN_BAR = 8;
const MAX_BAR = 40;

/** Fixed widths, so that figures do not jump when they change length. */
const TIME_WIDTH = '12m 30s left'.length;
const SEARCH_TIME_WIDTH = 'up to 12m 30s left'.length;
const RATE_WIDTH = 9;
const BYTES_WIDTH = '1234.5 MiB/s'.length;

/** Rows for the cursor below the view and a log line above it. If they do not fit, one line replaces the view. */
const EXTRA_ROWS = 2;
const MIN_COLUMNS = 50;

/**
 * @typedef {object} ViewState the current stage
 * @property {number} position of the stage in the run, from 1
 * @property {number} stages number of stages in the run
 * @property {StageState} progress
 * @property {readonly number[]} rates ops/s of the last seconds or search steps, latest last
 * @property {readonly KindRate[]} kinds operations of a mix, in order; empty without a mix or before the first second
 * @property {{ p50: number, p99: number, of: string } | null} latency in ms, and what it covers; null if unknown
 * @property {ErrorCounts} errors
 *
 * @typedef {{ operation: string, rate: number }} KindRate ops/s over the last seconds
 * @typedef {{ failed: number, throttled: number, givenUp: number }} ErrorCounts `failed` excludes throttled attempts
 */

/**
 * @param {ViewState} state
 * @param {Look} look
 * @returns {string[]} lines that fit the terminal
 */
export function renderView(state, look) {
  const kinds = state.kinds.length === 0 ? [] : [kindParts(state)];
  const lines = [progressParts(state, look), rateParts(state, look), ...kinds, latencyParts(state), errorParts(state)];
  return lines.map((parts) => lineOf(parts, look));
}

/**
 * @param {Look} look
 * @param {readonly string[]} lines of the view
 */
function hasRoomFor({ columns, rows }, lines) {
  return columns >= MIN_COLUMNS && rows >= lines.length + EXTRA_ROWS;
}

/**
 * @param {ViewState} state
 * @param {Look} look
 */
function progressParts({ position, stages, progress }, look) {
  const head = label(`${progress.stage} ${position}/${stages}`);
  const share = shareDone(progress);
  const timeWidth = progress.search ? SEARCH_TIME_WIDTH : TIME_WIDTH;
  const widest = amountDone({ ...progress, done: Math.max(progress.objects, progress.done) }, rounded).length;
  const amount = amountDone(progress, rounded).padStart(widest);
  const [done, left] = [`${Math.floor(share * 100)}%`.padStart(4), (timeLeft(progress) ?? '').padStart(timeWidth)];
  const [long, short] = [`  ${done}  ${amount}  ${left}`, `  ${done}  ${left}`];
  const roomFor = (/** @type {string} */ text) => look.columns - 1 - head.length - text.length;
  const tail = roomFor(long) >= MIN_BAR ? long : short;
  return [
    { text: head },
    { text: progressBar(share, Math.min(Math.max(roomFor(tail), 0), MAX_BAR), look) },
    { text: tail },
  ];
}

/**
 * @param {ViewState} state
 * @param {Look} look
 */
function rateParts({ progress: { rate, byteRate, bytesPerOperation }, rates }, look) {
  const bytes = bytesPerOperation === 0 ? '' : `  ${`${formatMegabytes(byteRate)} MiB/s`.padStart(BYTES_WIDTH)}`;
  const figures = `${label('ops/s')}${rounded(rate).padStart(RATE_WIDTH)}${bytes}  `;
  const width = Math.min(look.columns - 1 - figures.length, MAX_RATES);
  return [{ text: figures }, { text: sparkline(rates, width, look) }];
}

/** @param {ViewState} state */
function kindParts({ kinds }) {
  const rates = kinds.map(({ operation, rate }) => `${operation} ${rounded(rate)}`);
  return [{ text: label('by kind') }, { text: rates.join('  ') }];
}

/** @param {ViewState} state */
function latencyParts({ latency }) {
  const text =
    latency === null
      ? '-'
      : `p50 ${quantityText('time', latency.p50)}  p99 ${quantityText('time', latency.p99)}  ${latency.of}`;
  return [{ text: label('latency') }, { text }];
}

/**
 * @param {ViewState} state
 * @returns {Part[]}
 */
function errorParts({ errors: { failed, throttled, givenUp } }) {
  /** @type {Part[]} */
  const counts = [
    ...(failed === 0 ? [] : [/** @type {Part} */ ({ text: `${rounded(failed)} failed`, meaning: 'error' })]),
    ...(throttled === 0
      ? []
      : [/** @type {Part} */ ({ text: `${rounded(throttled)} throttled`, meaning: 'throttling' })]),
    ...(givenUp === 0 ? [] : [/** @type {Part} */ ({ text: `${rounded(givenUp)} given up`, meaning: 'error' })]),
  ];
  const shown = counts.flatMap((part, index) => (index === 0 ? [part] : [{ text: ', ' }, part]));
  return [{ text: label('errors') }, ...(counts.length === 0 ? [{ text: 'none' }] : shown)];
}

/** @param {string} text */
function label(text) {
  return `${text.padEnd(LABEL_WIDTH - 2)}  `;
}

/** Collects the state of the current stage from the events of the run. */
class StageView {
  #order;
  #pace;
  #duration;
  /** @type {number | null} */
  #firstSecond = null;
  /** @type {number[]} */
  #rates = [];
  /** The last seconds, latest first. @type {SecondLatencies[]} */
  #latencies = [];
  /** @type {ViewState['latency']} */
  #latency = null;
  /** The last seconds, latest first. @type {(readonly KindSecond[])[]} */
  #kinds = [];
  #errors = { failed: 0, throttled: 0, givenUp: 0 };

  /**
   * @param {StageStart} plan
   * @param {Pick<ViewState, 'position' | 'stages'>} order
   * @param {number} startedAt monotonic ms
   */
  constructor(plan, order, startedAt) {
    this.#order = order;
    this.#pace = new StagePace(plan, startedAt);
    this.#duration = plan.duration ?? Infinity;
  }

  /** @param {ReportedSecond} second */
  second({ secondStart, operations, latencies, kinds }) {
    if (this.#isWhole(secondStart)) {
      this.#addRate(operations);
      if (kinds !== undefined) {
        this.#kinds = [kinds, ...this.#kinds].slice(0, SHOWN_SECONDS);
      }
    }
    if (latencies === undefined) {
      return;
    }
    this.#latencies = [latencies, ...this.#latencies].slice(0, SHOWN_SECONDS);
    const [latest, ...earlier] = this.#latencies;
    const summary = latest.plus(earlier).summary();
    this.#latency = summary && { p50: summary.p50, p99: summary.p99, of: `last ${this.#latencies.length} s` };
  }

  /** The first second, and the one in which --duration ends, are partial. @param {number} second epoch second */
  #isWhole(second) {
    this.#firstSecond ??= second;
    const passed = second - this.#firstSecond;
    return passed > 0 && (passed + 1) * 1000 <= this.#duration;
  }

  /** @param {RampStep | SearchStep} step */
  step(step) {
    // The seconds of a ramp show its figures.
    if (!('phase' in step)) {
      return;
    }
    const { operationsPerSecond, p50, p99, threads, rate } = step;
    this.#addRate(operationsPerSecond);
    if (p50 !== null && p99 !== null) {
      this.#latency = {
        p50,
        p99,
        of: rate === undefined ? `with ${counted(threads, 'thread')}` : `at ${rounded(rate)}/s`,
      };
    }
  }

  /** @param {boolean} refused */
  attemptFailed(refused) {
    this.#errors[refused ? 'throttled' : 'failed'] += 1;
  }

  gaveUp() {
    this.#errors.failed += 1;
    this.#errors.givenUp += 1;
  }

  /**
   * @param {number} now monotonic ms
   * @param {number} done
   * @param {DataFlow} flow
   */
  progress(now, done, flow) {
    this.#pace.record(now, done, flow);
  }

  /** @param {number} now monotonic ms */
  state(now) {
    const progress = this.#pace.state(now);
    const [rates, latency, errors] = [this.#rates, this.#latency, this.#errors];
    return { ...this.#order, progress, rates, kinds: this.#kindRates(), latency, errors };
  }

  #kindRates() {
    const [latest = []] = this.#kinds;
    return latest.map(({ operation }, index) => ({
      operation,
      rate: this.#kinds.reduce((sum, kinds) => sum + kinds[index].operations, 0) / this.#kinds.length,
    }));
  }

  /** @param {number} operationsPerSecond */
  #addRate(operationsPerSecond) {
    this.#rates = [...this.#rates, operationsPerSecond].slice(-MAX_RATES);
  }
}

/**
 * Shows a run if both outputs are on a terminal: the current stage below the log and, at the end, a table with bars.
 *
 * @implements {Listener}
 */
class LiveView {
  #screen;
  #now;
  #stages;
  #started = 0;
  /** @type {StageView | null} */
  #stage = null;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {Pick<ReporterContext, 'screen' | 'now'> & { config: { load: Pick<ReporterContext['config']['load'],
   *   'stages'> } }} context
   */
  constructor({ screen, config, now }) {
    this.#screen = screen;
    this.#now = now;
    this.#stages = config.load.stages.length;
  }

  /** @param {StageStart} plan */
  stageStarts(plan) {
    this.#started += 1;
    const { operations = plan.objects } = plan;
    const order = { position: this.#started, stages: this.#stages };
    this.#stage = new StageView({ ...plan, objects: operations }, order, this.#now());
    this.#timer ??= setInterval(() => this.#show(), REFRESH_MS);
    this.#show();
  }

  /** @param {ReportedSecond} second */
  second(second) {
    this.#stage?.second(second);
  }

  /**
   * @param {string} _stage
   * @param {RampStep | SearchStep} step
   */
  stepEnds(_stage, step) {
    this.#stage?.step(step);
  }

  /**
   * @param {string} _kind
   * @param {string} _advice
   * @param {boolean} [refused]
   */
  retrying(_kind, _advice, refused = false) {
    this.#stage?.attemptFailed(refused);
  }

  integrityError() {
    this.#stage?.gaveUp();
  }

  failed() {
    this.#stage?.gaveUp();
  }

  /**
   * @param {number} done operations of the stage that have ended
   * @param {DataFlow} flow
   */
  progress(done, flow) {
    this.#stage?.progress(this.#now(), done, flow);
  }

  stage() {
    this.close();
  }

  /** @param {Pick<RunResult, 'stages'>} run */
  runEnds({ stages }) {
    this.close();
    if (stages.length > 0) {
      formatStageSummary(stages, this.#screen.look).forEach((line) => this.#screen.out(line));
    }
  }

  close() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stage = null;
    this.#screen.draw([]);
    this.#screen.live('');
  }

  #show() {
    if (this.#stage === null) {
      return;
    }
    const { look } = this.#screen;
    const state = this.#stage.state(this.#now());
    const lines = ['', ...renderView(state, look)];
    if (hasRoomFor(look, lines)) {
      this.#screen.draw(lines);
    } else {
      this.#screen.live(progressLine(state.progress));
    }
  }
}

/** @type {ListeningReporter} */
export const liveViewReporter = { listen: (context) => (context.hasView ? new LiveView(context) : {}) };
