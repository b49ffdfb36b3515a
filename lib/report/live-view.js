import { stagesOf } from '../load/operations/registry.js';
import { addHistograms } from '../result/add.js';
import { figuresOf } from '../result/figures/catalogue.js';
import { lineOf, progressBar, sparkline } from '../result/figures/drawing.js';
import { quantityText } from '../result/figures/quantities.js';
import { counted, rounded } from '../text/figures.js';
import { StagePace, amountDone, progressLine, shareDone, timeLeft } from './progress.js';
import { formatStageSummary } from './stage-findings.js';

/**
 * @import { LatencyRecord } from '../result/records.js'
 * @import { Look, Part } from '../result/figures/drawing.js'
 * @import { StageState } from './progress.js'
 * @import { Listener, ListeningReporter, ReporterContext } from './reporter.js'
 *
 * @typedef {object} ViewState the current stage
 * @property {number} position of the stage in the run, from 1
 * @property {number} stages number of stages in the run
 * @property {StageState} progress
 * @property {readonly number[]} rates ops/s of the last seconds or search steps, latest last
 * @property {{ p50: number, p99: number, of: string } | null} latency in ms, and what it covers; null if unknown
 * @property {{ failed: number, throttled: number, givenUp: number }} errors `failed` excludes throttled attempts
 */

const REFRESH_MS = 250;

/** Seconds that the latencies cover. */
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
const BYTES_WIDTH = '1,234.5 MiB/s'.length;

/** Rows for the cursor below the view and a log line above it. If they do not fit, one line replaces the view. */
const EXTRA_ROWS = 2;
const MIN_COLUMNS = 50;

/**
 * @param {ViewState} state
 * @param {Look} look
 * @returns {string[]} lines that fit the terminal
 */
export function renderView({ position, stages, progress, rates, latency, errors }, look) {
  const { rate, byteRate, bytesPerOperation, search } = progress;
  const head = label(`${progress.stage} ${position}/${stages}`);
  const share = shareDone(progress);
  const widest = amountDone({ ...progress, done: Math.max(progress.objects, progress.done) }).length;
  const done = `${Math.floor(share * 100)}%`.padStart(4);
  const left = (timeLeft(progress) ?? '').padStart(search ? SEARCH_TIME_WIDTH : TIME_WIDTH);
  const roomFor = (/** @type {string} */ text) => look.columns - 1 - head.length - text.length;
  const long = `  ${done}  ${amountDone(progress).padStart(widest)}  ${left}`;
  const tail = roomFor(long) >= MIN_BAR ? long : `  ${done}  ${left}`;
  const bytes = bytesPerOperation === 0 ? '' : `  ${quantityText('throughput', byteRate).padStart(BYTES_WIDTH)}`;
  const figures = `${label('ops/s')}${rounded(rate).padStart(RATE_WIDTH)}${bytes}  `;
  /** @type {Part[]} */
  const counts = [
    { text: `${rounded(errors.failed)} failed`, meaning: 'error' },
    { text: `${rounded(errors.throttled)} throttled`, meaning: 'throttling' },
    { text: `${rounded(errors.givenUp)} given up`, meaning: 'error' },
  ];
  const known = counts.filter(({ text }) => !text.startsWith('0 '));
  /** @type {Part[][]} */
  const lines = [
    [{ text: head }, { text: progressBar(share, Math.min(Math.max(roomFor(tail), 0), MAX_BAR), look) }, { text: tail }],
    [{ text: figures }, { text: sparkline(rates, Math.min(look.columns - 1 - figures.length, MAX_RATES), look) }],
    [{ text: label('latency') + latencyText(latency) }],
    [
      { text: label('errors') },
      ...(known.length === 0 ? [{ text: 'none' }] : known.flatMap((part) => [{ text: ', ' }, part]).slice(1)),
    ],
  ];
  return lines.map((parts) => lineOf(parts, look));
}

/** @param {ViewState['latency']} latency */
function latencyText(latency) {
  const stage = /** @type {any} */ ({ latency: { operations: latency, histogram: {} } });
  const shown = figuresOf('live').map(({ title, value }) => `${title} ${quantityText('time', value(stage) ?? null)}`);
  return latency === null ? '-' : [...shown, latency.of].join('  ');
}

/** @param {string} text */
function label(text) {
  return `${text.padEnd(LABEL_WIDTH - 2)}  `;
}

/**
 * Shows the current stage: as a view below the log and, at the end of the run, a table with bars, if both outputs are on
 * a terminal; otherwise as one line.
 *
 * @param {ReporterContext} context
 * @returns {Listener}
 */
function liveView({ screen, config, now, hasView }) {
  let position = 0;
  /** @type {Omit<ViewState, 'progress'> & { rates: number[], pace: StagePace, duration: number } | null} */
  let current = null;
  /** @type {number | null} */
  let firstSecond = null;
  /** The last seconds, latest first. @type {LatencyRecord[]} */
  let latencies = [];
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const show = () => {
    if (current === null) {
      return;
    }
    const { look } = screen;
    const progress = current.pace.state(now());
    const lines = ['', ...renderView({ ...current, progress }, look)];
    if (hasView && look.columns >= MIN_COLUMNS && look.rows >= lines.length + EXTRA_ROWS) {
      screen.draw(lines);
    } else {
      screen.live(progressLine(progress));
    }
  };
  const close = () => {
    clearInterval(timer);
    timer = undefined;
    current = null;
    screen.draw([]);
    screen.live('');
  };
  const addRate = (/** @type {number} */ rate) => {
    current?.rates.push(rate);
    current?.rates.splice(0, current.rates.length - MAX_RATES);
  };
  const gaveUp = () => {
    if (current !== null) {
      current.errors.failed += 1;
      current.errors.givenUp += 1;
    }
  };
  return {
    stageStarts({ operations, ...plan }) {
      const pace = new StagePace({ ...plan, objects: operations ?? plan.objects }, now());
      position += 1;
      const errors = { failed: 0, throttled: 0, givenUp: 0 };
      const stages = stagesOf(config.load).length;
      current = { position, stages, pace, duration: plan.duration ?? Infinity, rates: [], latency: null, errors };
      [firstSecond, latencies] = [null, []];
      timer ??= setInterval(show, REFRESH_MS);
      show();
    },
    second({ secondStart, operations, latencies: latest }) {
      firstSecond ??= secondStart;
      const passed = secondStart - firstSecond;
      // The first second, and the one in which --duration ends, are partial.
      if (current !== null && passed > 0 && (passed + 1) * 1000 <= current.duration) {
        addRate(operations);
      }
      if (current !== null && latest !== undefined) {
        latencies = [latest, ...latencies.slice(0, SHOWN_SECONDS - 1)];
        const { latency } = addHistograms(latencies);
        current.latency = latency && { ...latency, of: `last ${latencies.length} s` };
      }
    },
    stepEnds(_stage, step) {
      // The seconds of a ramp show its figures.
      if (current === null || !('phase' in step)) {
        return;
      }
      const { operationsPerSecond, p50, p99, threads, rate } = step;
      addRate(operationsPerSecond);
      const of = rate === undefined ? `with ${counted(threads, 'thread')}` : `at ${rounded(rate)}/s`;
      current.latency = p50 !== null && p99 !== null ? { p50, p99, of } : current.latency;
    },
    retrying(_kind, _advice, refused = false) {
      if (current !== null) {
        current.errors[refused ? 'throttled' : 'failed'] += 1;
      }
    },
    integrityError: gaveUp,
    failed: gaveUp,
    progress: (done, flow) => current?.pace.record(now(), done, flow),
    stage: close,
    runEnds({ stages }) {
      close();
      if (hasView && stages.length > 0) {
        formatStageSummary(stages, screen.look).forEach((line) => screen.out(line));
      }
    },
    close,
  };
}

/** @type {ListeningReporter} */
export const liveViewReporter = {
  listen: (context) => (context.screen.isLive && !context.quiet ? liveView(context) : {}),
};
