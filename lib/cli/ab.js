import { hostname } from 'node:os';
import { Clock } from '../clock/clock.js';
import { compareQuads } from '../compare/compare-quads.js';
import { CONFIDENCE } from '../compare/verdict.js';
import { counted } from '../text/figures.js';
import { formatDuration } from '../text/units.js';
import { problemsOf } from '../model/result-of-run.js';
import { formatInterleaved } from '../report/compare-text.js';
import { consoleReporter } from '../report/console.js';
import { costLine } from '../report/cost-line.js';
import { interleavedPage } from '../report/html/comparison-page.js';
import { liveViewReporter } from '../report/live-view.js';
import { openListeners } from '../report/reporters.js';
import { nameOf, TurnProgress } from '../report/turn-progress.js';
import { passesOf, runInterleaved } from '../run/interleaved-runs.js';
import { noticesOfLoad } from '../run/load-notices.js';
import { quadOrders } from '../run/quad-orders.js';
import { cleanupCommand } from './later-commands.js';
import { closingMessages, exitStatus } from './closing-messages.js';
import { EXIT } from './exit-status.js';
import { shellWord } from '../text/shell-words.js';
import { STANDARD_OUTPUT } from '../options/values.js';
import { versionsOf } from '../s3/object-store.js';
import { reportError } from './report-error.js';
import { linesOfSides } from './sides.js';

/**
 * @import { InterleavedComparison, Quad, Side } from '../model/interleaved.js'
 * @import { RunResult } from '../model/result.js'
 * @import { Config } from '../model/config.js'
 * @import { RunObserver } from '../model/run-events.js'
 * @import { InterleavedRuns } from '../run/interleaved-runs.js'
 * @import { AbOptions } from './command-line.js'
 * @import { PreparedSides } from './prepare-sides.js'
 * @import { StopRequest } from './stop-request.js'
 * @import { Terminal } from './terminal.js'
 */

const INTERLEAVED_FORMAT = 1;

/** @type {readonly Side[]} */
const SIDES = ['a', 'b'];

/** Monotonic ms: Node's monotonic clock starts with the process. */
const LAUNCHED_AT = 0;

/**
 * `r2-benchmark ab`: runs two setups alternately and reports which one was faster.
 *
 * @param {{ options: AbOptions, prepared: PreparedSides, random: () => number, terminal: Terminal,
 *   stopRequest: StopRequest, withStack: boolean }} parts `random` is uniform in [0, 1); `withStack`: whether to
 *   print the stack trace of an unexpected error
 * @returns {Promise<number>} the exit status; it does not depend on which side was faster
 */
export async function abByCommand({ options, prepared, random, terminal, stopRequest, withStack }) {
  const { quads, json, report: page, quiet } = options;
  const { sides, jsonFile, reportFile } = prepared;
  const notify = quiet ? () => {} : (/** @type {string} */ line) => terminal.err(line);
  watchForStop({ prepared, terminal, stopRequest, notify });
  announce(options, prepared, { terminal, notify });
  const clock = new Clock();
  const { now, epochNow } = clock;
  clock.watchPauses((message) => terminal.err(`warning: ${message}`));
  new Set(SIDES.map((side) => sides[side].target)).forEach(({ renewal }) =>
    renewal?.start({ epochNow, notice: (message) => terminal.err(`warning: ${message}`) }),
  );
  const progress = new TurnProgress(terminal, { now, quads, quiet });
  const sideOf = (/** @type {Side} */ side) => {
    const { config } = sides[side];
    const screen = progress.screenOf(side);
    // Each side follows its own store's clock, and the two may differ.
    const clockOfSide = new Clock();
    clockOfSide.watchPauses(() => {});
    return {
      config,
      deps: {
        clock: clockOfSide,
        random,
        signal: stopRequest.signal,
        identity: { host: hostname(), versions: versionsOf(config.load.client) },
        observer: observerOf({ screen, config, quiet, now }),
        launchedAt: LAUNCHED_AT,
        credentials: sides[side].target.renewal?.credentials,
      },
    };
  };
  const open = { a: sideOf('a'), b: sideOf('b') };
  let announced = false;
  /** @type {InterleavedRuns} */
  let runs;
  try {
    runs = await runInterleaved(open, {
      orders: quadOrders(quads, random),
      signal: stopRequest.signal,
      hooks: {
        isReady: (shortest) => shortest !== null && notify(`The run takes at least ${formatDuration(shortest)}`),
        passStarts(turn) {
          progress.starts(turn);
          if (!announced && turn.timeLeft !== null) {
            announced = true;
            notify(`The quads take about ${formatDuration(turn.timeLeft)}`);
          }
        },
        quadEnds: (quad, place) => notify(quadLine(quad, place, quads)),
        turnsEnd: () => progress.end(),
      },
    });
  } finally {
    progress.end();
    SIDES.forEach((side) => open[side].deps.observer.close());
  }
  report(runs, prepared, { terminal, notify, withStack });
  const status = statusOf(runs, stopRequest);
  const comparison = comparisonOf(runs, { options, sides });
  const text = formatInterleaved(comparison);
  const data = `${JSON.stringify(comparison, null, 2)}\n`;
  if (json === STANDARD_OUTPUT || page === STANDARD_OUTPUT) {
    text.trimEnd().split('\n').forEach(notify);
    await terminal.report(json === STANDARD_OUTPUT ? data : [...interleavedPage(comparison)].join(''));
  } else if (status !== EXIT.usage || runs.quads.length > 0) {
    await terminal.report(text);
  }
  const failures = [jsonFile?.write(data) ?? null, reportFile?.write(interleavedPage(comparison)) ?? null].filter(
    (failure) => failure !== null,
  );
  failures.forEach((failure) => terminal.err(`error: ${failure}`));
  return failures.length > 0 && status === EXIT.complete ? EXIT.incomplete : status;
}

/**
 * @param {{ prepared: PreparedSides, terminal: Terminal, stopRequest: StopRequest,
 *   notify: (line: string) => void }} parts
 */
function watchForStop({ prepared: { sides, jsonFile, reportFile }, terminal, stopRequest, notify }) {
  stopRequest.onRequest = (reason) => notify(`Stopping (${reason}): finishing requests in flight, then cleaning up`);
  stopRequest.onEndAtOnce = () => {
    jsonFile?.discard();
    reportFile?.discard();
    SIDES.filter((side) => !sides[side].config.store.isEmbedded).forEach((side) =>
      terminal.err(
        `${nameOf(side)}: objects may remain; remove them with: ${cleanupCommand(sides[side].config, sides[side].later)}`,
      ),
    );
  };
  new Set(SIDES.map((side) => sides[side].target)).forEach(({ failure }) =>
    failure?.catch((error) => {
      terminal.err(`error: ${error.message}`);
      stopRequest.storeLost(error);
    }),
  );
}

/**
 * @param {AbOptions} options
 * @param {PreparedSides} prepared
 * @param {{ terminal: Terminal, notify: (line: string) => void }} outputs
 */
function announce(options, { sides }, { terminal, notify }) {
  const { quads } = options;
  const passes = passesOf(quads);
  const { a, b } = sides;
  linesOfSides(a.target.warnings, b.target.warnings).forEach((warning) => terminal.err(`warning: ${warning}`));
  linesOfSides(a.target.notices, b.target.notices).forEach(notify);
  SIDES.forEach((side) => {
    const { store, objects } = sides[side].config;
    const { runId, prefix } = objects;
    const where = `in ${store.buckets.join(', ')} under ${prefix}/${runId}/`;
    terminal.err(`${nameOf(side)}: ${describe(options[side].words)}, run ${runId} ${where}`);
  });
  const [ofA, ofB] = SIDES.map((side) => noticesOfLoad(options[side].options, sides[side].config));
  linesOfSides(ofA, ofB).forEach(notify);
  const { objects, load } = a.config;
  notify(
    `${counted(2 * passes, 'turn')} of ${counted(objects.count, 'object')} each (${load.stages.join(', ')}): one warm-up turn per side, then ${counted(quads, 'quad')}, ABBA or BAAB at random`,
  );
  costLines(sides).forEach(notify);
}

/** One line if both sides use R2; otherwise a line for the side that does. @param {PreparedSides['sides']} sides */
function costLines({ a, b }) {
  const ofBoth = costLine(a.config, b.config);
  if (ofBoth !== null) {
    return [ofBoth];
  }
  const [ofA, ofB] = [costLine(a.config), costLine(b.config)];
  return [...(ofA === null ? [] : [`A: ${ofA}`]), ...(ofB === null ? [] : [`B: ${ofB}`])];
}

/** @param {readonly string[]} words */
function describe(words) {
  return words.length === 0 ? 'no options of its own' : words.map(shellWord).join(' ');
}

/**
 * Observes one side's passes. Prints notices only during the first pass, and leaves the announcement of the run to the
 * caller.
 *
 * @param {{ screen: ReturnType<TurnProgress['screenOf']>, config: Config, quiet: boolean,
 *   now: () => number }} parts `now` in monotonic ms
 * @returns {RunObserver & { close: () => void }}
 */
function observerOf({ screen, config, quiet, now }) {
  const context = { screen, config, quiet, logFile: null, stdoutIsTaken: false, hasView: false, now };
  const listeners = openListeners(context, [consoleReporter, liveViewReporter]);
  const [firstStage] = config.load.stages;
  let passes = 0;
  return {
    ...listeners,
    runIsNamed() {},
    runStarts() {},
    stageStarts(plan) {
      passes += Number(plan.stage.toLowerCase() === firstStage);
      listeners.stageStarts(plan);
    },
    notice(message) {
      if (passes <= 1) {
        listeners.notice(message);
      }
    },
  };
}

/**
 * @param {Quad} quad
 * @param {number} index zero-based
 * @param {number} quads
 */
function quadLine({ order, passes }, index, quads) {
  const ratios = passes[0].stages.map(({ stage }) => {
    const rates = passes.map(({ side, stages }) => {
      const rate = stages.find((each) => each.stage === stage)?.metrics.rate ?? NaN;
      return (side === 'b' ? 1 : -1) * Math.log(rate);
    });
    const ratio = Math.exp(rates.reduce((sum, log) => sum + log, 0) / 2);
    return `${stage} ${Number.isFinite(ratio) ? ratio.toFixed(3) : '-'}`;
  });
  return `Quad ${index + 1} of ${quads}, ${order}: ops/s of B ÷ A  ${ratios.join('  ')}`;
}

/**
 * @param {InterleavedRuns} runs
 * @param {PreparedSides} prepared
 * @param {{ terminal: Terminal, notify: (line: string) => void, withStack: boolean }} outputs
 */
function report(runs, { sides }, { terminal, notify, withStack }) {
  for (const side of SIDES) {
    const result = runs[side];
    if (result === null) {
      continue;
    }
    const { config, later } = sides[side];
    // All passes run the same stages, so the messages of the last pass are enough.
    const stages = result.stages.slice(-config.load.stages.length);
    const { notices, errors } = closingMessages({ ...result, stages }, config, later);
    notices.forEach((notice) => notify(`${nameOf(side)}: ${notice}`));
    errors.forEach((error) => terminal.err(`${nameOf(side)}: ${error}`));
    if (result.crash !== null) {
      reportError(result.crash, terminal, withStack);
    }
  }
}

/**
 * @param {InterleavedRuns} runs
 * @param {StopRequest} stopRequest
 * @returns {number} the exit status of the worse side
 */
function statusOf({ a, b }, stopRequest) {
  return stopRequest.status ?? Math.max(exitStatus(a, stopRequest), b === null ? 0 : exitStatus(b, stopRequest));
}

/**
 * @param {InterleavedRuns} runs
 * @param {{ options: AbOptions, sides: PreparedSides['sides'] }} parts
 * @returns {InterleavedComparison}
 */
function comparisonOf(runs, { options, sides }) {
  const { a, b, quads } = runs;
  const results = { a, b };
  const { margin } = options;
  const given = (/** @type {Side} */ side) => options[side].words.map(shellWord).join(' ');
  const setUp = (/** @type {Side} */ side, /** @type {RunResult} */ { facts, cleanup, requests }) => ({
    ...facts,
    given: given(side),
    bucketNames: sides[side].config.store.buckets,
    cleanup,
    requests,
  });
  const compared = (/** @type {Side} */ side) => {
    const facts = results[side]?.facts ?? null;
    return { name: given(side), run: facts?.run ?? null, hosts: 1, start: facts?.start ?? null };
  };
  return {
    kind: 'ab',
    format: INTERLEAVED_FORMAT,
    problems: SIDES.flatMap((side) =>
      (results[side] === null ? [] : problemsOf(results[side])).map((problem) => `${nameOf(side)}: ${problem}`),
    ),
    before: compared('a'),
    after: compared('b'),
    margin,
    confidence: CONFIDENCE,
    a: setUp('a', a),
    b: b === null ? null : setUp('b', b),
    quadsPlanned: options.quads,
    quads,
    stages: compareQuads(quads, { margin }),
  };
}
