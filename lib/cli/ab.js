import { CONFIDENCE } from '../result/compare/log-ratio.js';
import { compareQuads, quadsOf } from '../result/compare/compare-quads.js';
import { dollarsOf } from '../run/prices.js';
import { makeRunId } from '../options/resolve.js';
import { Checks } from '../options/usage-error.js';
import { comparisonText, shownInterleaved } from '../report/compare-text.js';
import { costLine } from '../report/cost-line.js';
import { comparisonPage } from '../report/html/comparison-page.js';
import { seriesProgress } from '../report/series-progress.js';
import { noticesOfLoad } from '../run/prepare-run.js';
import { prepareCells } from '../series/prepare-cells.js';
import { planTurns, runSeries } from '../series/series.js';
import { counted } from '../text/figures.js';
import { shellWord } from '../text/shell-words.js';
import { exitStatus } from './closing-messages.js';
import { EXIT } from './exit-status.js';
import { reportError } from './report-error.js';
import { openResults } from './output-file.js';
import { contextOfRun, costLeft, writeSeries } from './series-runs.js';

/**
 * @import { Config } from '../result/config.js'
 * @import { InterleavedComparison, Side } from '../result/interleaved.js'
 * @import { Result } from '../result/result.js'
 * @import { PreparedCell } from '../series/prepare-cells.js'
 * @import { SideTurn } from '../series/series.js'
 * @import { AbOptions } from './command-line.js'
 * @import { Program } from './main.js'
 *
 * @typedef {{ turn: SideTurn, result: Result }} EndedTurn
 */

const INTERLEAVED_FORMAT = 1;

/** @type {readonly Side[]} */
const SIDES = ['a', 'b'];

/**
 * `r2-benchmark ab`: runs two setups alternately and reports which one was faster.
 *
 * @param {AbOptions} options
 * @param {Program} program
 * @returns {Promise<number>} the exit status; it does not depend on which side was faster
 */
export async function abByCommand(options, program) {
  const { env, invocation, terminal, stopRequest, isDebugging } = program;
  const { signal } = stopRequest;
  const settings = SIDES.map((side) => ({ label: labelOf(side), options: { ...options[side].options.given } }));
  const context = { env, invocation, signal, now: Date.now(), random: Math.random, areTurns: true };
  const { cells, close } = await prepareCells(settings, context);
  try {
    const turns = planTurns(options.quads, Math.random);
    const runId = options.a.options.runId ?? makeRunId(Date.now(), Math.random);
    const checks = new Checks();
    const outputs = await openResults({ json: options.json, report: options.report }, checks);
    checkCost(turns, cells, options.maxCost, checks);
    checks.conclude();
    const warn = (/** @type {string} */ message) => terminal.err(`warning: ${message}`);
    const notify = options.quiet ? () => {} : (/** @type {string} */ line) => terminal.err(line);
    stopRequest.listen(notify);
    new Set(cells.map(({ target }) => target)).forEach((target) => {
      target?.renewal?.start({ epochNow: Date.now, notice: warn });
      target?.failure?.catch((error) => stopRequest.storeLost(error));
    });
    announcement(options, { cells, turns, runId }).forEach(notify);
    const ran = await runTurns({ options, cells, turns, runId, program });
    const comparison = comparisonOf(ran, { options, cells });
    const shown = shownInterleaved(comparison);
    ran.crashes.forEach((crash) => reportError(crash, terminal, isDebugging));
    const status = stopRequest.status ?? ran.status;
    const text = status === EXIT.usage && comparison.quads.length === 0 ? '' : comparisonText(shown);
    /** @param {{ option: string }} reporter */
    const format = ({ option }) =>
      option === 'json' ? [`${JSON.stringify(comparison, null, 2)}\n`] : comparisonPage(shown);
    const isWritten = await writeSeries(outputs, format, terminal, { text, notify });
    return !isWritten && status === EXIT.complete ? EXIT.incomplete : status;
  } finally {
    await close();
  }
}

/**
 * @param {readonly SideTurn[]} turns
 * @param {readonly PreparedCell[]} cells
 * @param {number | undefined} maxCost dollars
 * @param {Checks} checks
 */
function checkCost(turns, cells, maxCost = Infinity, checks) {
  // A turn of a duration ends at the limit.
  const bound = turns
    .map(({ side }) => configOf(cells, side))
    .filter(({ schedule }) => schedule.duration === undefined);
  const dollars = bound.reduce((sum, config) => sum + dollarsOf(config), 0);
  if (dollars > maxCost) {
    checks.add(
      `--max-cost: all turns would cost at least $${dollars.toFixed(4)} at R2's list prices, more than $${maxCost}: use fewer <objects> or --quads, or raise the limit`,
    );
  }
}

/**
 * @param {readonly PreparedCell[]} cells
 * @param {Side} side
 */
function configOf(cells, side) {
  return /** @type {Config} */ (cells[SIDES.indexOf(side)].config);
}

/**
 * @param {AbOptions} options
 * @param {{ cells: readonly PreparedCell[], turns: readonly SideTurn[], runId: string }} parts
 * @returns {string[]}
 */
function announcement(options, { cells, turns, runId }) {
  const { load, objects } = configOf(cells, 'a');
  const cost = costLine(...turns.map(({ side }) => configOf(cells, side)));
  return [
    ...new Set(cells.flatMap(({ target }) => target?.notices ?? [])),
    ...SIDES.map((side) => {
      const { store, objects: own } = configOf(cells, side);
      const given = givenTo(side, options) || 'no options of its own';
      const last = turns.filter((turn) => turn.side === side).length;
      return `${labelOf(side)}: ${given}, runs ${runId}-${side}1 to ${runId}-${side}${last} in ${store.buckets.join(', ')} under ${own.prefix}/`;
    }),
    ...new Set(cells.flatMap(({ values, config }) => noticesOfLoad(values, /** @type {Config} */ (config)))),
    `${counted(turns.length, 'turn')} of ${counted(objects.count, 'object')} each (${load.stages.join(', ')}): one warm-up turn per side, then ${counted(options.quads, 'quad')}, ABBA or BAAB at random`,
    ...(cost === null ? [] : [cost]),
  ];
}

/**
 * Runs the turns until all are done, one is incomplete, or the cost limit is reached.
 *
 * @param {{ options: AbOptions, cells: readonly PreparedCell[], turns: readonly SideTurn[], runId: string,
 *   program: Program }} parts
 */
async function runTurns({ options, cells, turns, runId, program }) {
  const { terminal, stopRequest } = program;
  const progress = seriesProgress(terminal, {
    now: () => performance.now(),
    before: 0,
    total: turns.length,
    quiet: options.quiet,
  });
  /** @type {EndedTurn[]} */
  const ended = [];
  /** @type {string[]} */
  const problems = [];
  /** @type {unknown[]} */
  const crashes = [];
  /** @type {number} */
  let status = EXIT.complete;
  function* runs() {
    for (const turn of turns) {
      const left = costLeft(options.maxCost, ended);
      if (left === null) {
        problems.push(`--max-cost is reached: ${counted(turns.length - ended.length, 'turn')} left`);
        return;
      }
      const { side, number, quad } = turn;
      const { label, options: own, values, target } = cells[SIDES.indexOf(side)];
      progress.starts(quad === null ? `${label}, warm-up` : `${label}, quad ${quad + 1}`);
      const context = contextOfRun({
        label,
        values,
        listener: progress.listener,
        program,
        ended(ran) {
          status = Math.max(status, exitStatus(ran, stopRequest));
          problems.push(...ran.problems.map((problem) => `${label}: ${problem}`));
          crashes.push(...(ran.crash === null ? [] : [ran.crash]));
        },
      });
      const earlier = ended.find((each) => each.turn.side === side)?.result ?? null;
      yield {
        ...turn,
        options: { ...own, ...left, runId: `${runId}-${side}${number}` },
        context: { ...context, target: target ?? undefined, turn: { earlier } },
      };
    }
  }
  try {
    for await (const { turn, result, problem } of runSeries(runs(), stopRequest.signal)) {
      if (result === null) {
        status = ended.length === 0 ? EXIT.usage : EXIT.incomplete;
        problems.push(`${labelOf(turn.side)}: ${problem}`);
        break;
      }
      progress.ends({ result, problem });
      const isWhole = result.problems.length === 0 && result.stages.every(({ end }) => end === 'complete');
      if (!isWhole || result.stages.length === 0) {
        if (problem !== null && problems.length === 0) {
          problems.push(`${labelOf(turn.side)}: ${problem}`);
        }
        break;
      }
      ended.push({ turn, result });
    }
  } finally {
    progress.close();
  }
  problems.forEach((problem) => terminal.err(`error: ${problem}`));
  return { ended, problems, crashes, status: problems.length > 0 ? Math.max(status, EXIT.incomplete) : status };
}

/**
 * @param {Awaited<ReturnType<typeof runTurns>>} ran
 * @param {{ options: AbOptions, cells: readonly PreparedCell[] }} parts
 * @returns {InterleavedComparison}
 */
function comparisonOf({ ended, problems }, { options, cells }) {
  const { margin } = options;
  const quads = quadsOf(ended);
  const firstOf = (/** @type {Side} */ side) => ended.find(({ turn }) => turn.side === side)?.result ?? null;
  const compared = (/** @type {Side} */ side) => {
    const { run = null, start = null } = firstOf(side) ?? {};
    return { name: givenTo(side, options), run, hosts: 1, start };
  };
  const setUp = (/** @type {Side} */ side) => {
    const [facts = null] = firstOf(side)?.hosts ?? [];
    return facts && { ...facts, given: givenTo(side, options), bucketNames: configOf(cells, side).store.buckets };
  };
  return {
    kind: 'ab',
    format: INTERLEAVED_FORMAT,
    problems,
    before: compared('a'),
    after: compared('b'),
    margin,
    confidence: CONFIDENCE,
    a: setUp('a'),
    b: setUp('b'),
    quadsPlanned: options.quads,
    quads,
    stages: compareQuads(quads, { margin }),
  };
}

/**
 * @param {Side} side
 * @param {AbOptions} options
 */
function givenTo(side, options) {
  return options[side].words.map(shellWord).join(' ');
}

/** @param {Side} side */
function labelOf(side) {
  return side.toUpperCase();
}
