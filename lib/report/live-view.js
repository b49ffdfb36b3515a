import { counted, rounded } from '../text/figures.js';
import { formatMegabytes } from '../text/units.js';
import { formatStageSummary, latencyText } from './bar-table.js';
import { lineOf, progressBar, sparkline } from './drawing.js';
import { StagePace, amountDone, progressLine, shareDone, timeLeft } from './progress.js';

/**
 * @import { RunResult, SearchStep } from '../model/result.js'
 * @import { DataFlow, KindSecond, ReportedSecond, SecondLatencies, StageStart } from '../model/run-events.js'
 * @import { Part } from './drawing.js'
 * @import { StageState } from './progress.js'
 * @import { Listener, ListeningReporter, Look, ReporterContext } from './reporter.js'
 */

/** How often the view is renewed. ms */
const REFRESH_MS = 250;

/** Seconds whose latencies, and rates of kinds, are shown together. */
const SHOWN_SECONDS = 5;

/** Rates that are kept for the sparkline, and its largest width. */
const MAX_RATES = 60;

const LABEL_WIDTH = 'Remove 4/4'.length + 2;
const MIN_BAR = 8;
const MAX_BAR = 40;

/** What follows the bar does not move when a figure becomes shorter. */
const TIME_WIDTH = '12m 30s left'.length;
const SEARCH_TIME_WIDTH = 'up to 12m 30s left'.length;
const RATE_WIDTH = 9;
const BYTES_WIDTH = '1234.5 MiB/s'.length;

/** Where there is less room, one line is shown in place of the view. The cursor is below the view, and a line of the log above it. */
const FURTHER_ROWS = 2;
const MIN_COLUMNS = 50;

/**
 * What the view shows of the stage under way.
 *
 * @typedef {object} ViewState
 * @property {number} place of the stage among those of the run, from 1
 * @property {number} stages how many the run has
 * @property {StageState} progress
 * @property {readonly number[]} rates ops/s of the last seconds, or of the steps of a search, the latest last
 * @property {readonly KindRate[]} kinds of the operations that the stage mixes, in their order; none where it mixes none, or nothing
 *   is known yet
 * @property {{ p50: number, p99: number, of: string } | null} latency ms, and which operations it is that of; null as long as
 *   none is known
 * @property {ErrorCounts} errors
 *
 * @typedef {{ operation: string, rate: number }} KindRate ops/s of the last seconds
 *
 * @typedef {object} ErrorCounts
 * @property {number} failed attempts that failed and were not throttled
 * @property {number} throttled attempts by whose answer the store asked for fewer requests
 * @property {number} givenUp operations
 */

/**
 * The view of a stage: how far it is, its rate, its latency, its errors.
 *
 * @param {ViewState} state
 * @param {Look} look
 * @returns {string[]} lines that fit on the terminal
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
  return columns >= MIN_COLUMNS && rows >= lines.length + FURTHER_ROWS;
}

/**
 * @param {ViewState} state
 * @param {Look} look
 * @returns {Part[]}
 */
function progressParts({ place, stages, progress }, look) {
  const head = label(`${progress.stage} ${place}/${stages}`);
  const share = shareDone(progress);
  const timeWidth = progress.isSearch ? SEARCH_TIME_WIDTH : TIME_WIDTH;
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
 * @returns {Part[]}
 */
function rateParts({ progress: { rate, byteRate, bytesPerOperation }, rates }, look) {
  const bytes = bytesPerOperation === 0 ? '' : `  ${`${formatMegabytes(byteRate)} MiB/s`.padStart(BYTES_WIDTH)}`;
  const figures = `${label('ops/s')}${rounded(rate).padStart(RATE_WIDTH)}${bytes}  `;
  const width = Math.min(look.columns - 1 - figures.length, MAX_RATES);
  return [{ text: figures }, { text: sparkline(rates, width, look) }];
}

/**
 * @param {ViewState} state
 * @returns {Part[]}
 */
function kindParts({ kinds }) {
  const rates = kinds.map(({ operation, rate }) => `${operation} ${rounded(rate)}`);
  return [{ text: label('of them') }, { text: rates.join('  ') }];
}

/**
 * @param {ViewState} state
 * @returns {Part[]}
 */
function latencyParts({ latency }) {
  const text =
    latency === null ? '-' : `p50 ${latencyText(latency.p50)}  p99 ${latencyText(latency.p99)}  ${latency.of}`;
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
  const shown = counts.flatMap((part, place) => (place === 0 ? [part] : [{ text: ', ' }, part]));
  return [{ text: label('errors') }, ...(counts.length === 0 ? [{ text: 'none' }] : shown)];
}

/** @param {string} text */
function label(text) {
  return `${text.padEnd(LABEL_WIDTH - 2)}  `;
}

/** What is known of the stage under way, gathered from the events of the run. */
class StageView {
  #order;
  #pace;
  #duration;
  /** The first one that was reported. @type {number | null} */
  #firstSecond = null;
  /** @type {number[]} */
  #rates = [];
  /** Of the last seconds, the latest first. @type {SecondLatencies[]} */
  #latencies = [];
  /** @type {ViewState['latency']} */
  #latency = null;
  /** Of the last seconds, the latest first. @type {(readonly KindSecond[])[]} */
  #kinds = [];
  #errors = { failed: 0, throttled: 0, givenUp: 0 };

  /**
   * @param {StageStart} plan
   * @param {Pick<ViewState, 'place' | 'stages'>} order
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

  /**
   * A stage begins within its first second, and time ends it within another one, after which no operation begins.
   *
   * @param {number} second epoch second
   */
  #isWhole(second) {
    this.#firstSecond ??= second;
    const passed = second - this.#firstSecond;
    return passed > 0 && (passed + 1) * 1000 <= this.#duration;
  }

  /** @param {SearchStep} step */
  step({ operationsPerSecond, p50, p99, threads, rate }) {
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
    this.#pace.see(now, done, flow);
  }

  /**
   * @param {number} now monotonic ms
   * @returns {ViewState}
   */
  state(now) {
    const progress = this.#pace.state(now);
    const [rates, latency, errors] = [this.#rates, this.#latency, this.#errors];
    return { ...this.#order, progress, rates, kinds: this.#kindRates(), latency, errors };
  }

  /** @returns {KindRate[]} */
  #kindRates() {
    const [latest = []] = this.#kinds;
    return latest.map(({ operation }, place) => ({
      operation,
      rate: this.#kinds.reduce((sum, kinds) => sum + kinds[place].operations, 0) / this.#kinds.length,
    }));
  }

  /** @param {number} operationsPerSecond */
  #addRate(operationsPerSecond) {
    this.#rates = [...this.#rates, operationsPerSecond].slice(-MAX_RATES);
  }
}

/**
 * What a person sees of a run who watches both outputs on a terminal: the stage under way, below the log, and a table with
 * bars at the end.
 *
 * @implements {Listener}
 */
class LiveView {
  #screen;
  #now;
  #stages;
  #begun = 0;
  /** @type {StageView | null} */
  #stage = null;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {Pick<ReporterContext, 'screen' | 'now'> & { config: { load: Pick<ReporterContext['config']['load'], 'stages'> } }} context */
  constructor({ screen, config, now }) {
    this.#screen = screen;
    this.#now = now;
    this.#stages = config.load.stages.length;
  }

  /** @param {StageStart} plan */
  stageStarts(plan) {
    this.#begun += 1;
    const { operations = plan.objects } = plan;
    const order = { place: this.#begun, stages: this.#stages };
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
   * @param {SearchStep} step
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
   * @param {number} done operations of the stage that have come to an end
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
