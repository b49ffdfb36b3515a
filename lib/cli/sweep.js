import { isDeepStrictEqual } from 'node:util';
import { stagesOf } from '../load/operations/registry.js';
import { RUN_OPTIONS, readOptions } from '../options/read-options.js';
import { Checks, refuseIfAny } from '../options/usage-error.js';
import { costLine } from '../report/cost-line.js';
import { seriesProgress } from '../report/series-progress.js';
import { formatSweep, formatSweepCsv, sweepFigures } from '../report/sweep-text.js';
import { prepareCells } from '../series/prepare-cells.js';
import { BUCKETS, optionsOfCell, orderOf, planSweep, readSweep, writeSweep } from '../series/sweep-plan.js';
import { runSeries } from '../series/series.js';
import { counted } from '../text/figures.js';
import { shellWord } from '../text/shell-words.js';
import { formatDuration } from '../text/units.js';
import { withSweepAdvice } from './advice.js';
import { dryRunLines } from './dry-run.js';
import { EXIT } from './exit-status.js';
import { openResults } from './output-file.js';
import { contextOfRun, costLeft, writeSeries } from './series-runs.js';

/**
 * @import { Config } from '../result/config.js'
 * @import { OptionValues } from '../options/read-options.js'
 * @import { PreparedCell } from '../series/prepare-cells.js'
 * @import { SweepPlan, SweepTurn } from '../series/sweep-plan.js'
 * @import { SweepArguments } from './command-line.js'
 * @import { Program } from './main.js'
 */

/** Short, because people copy it. */
const MAX_DRAWN_SEED = 10_000;

/**
 * `r2-benchmark sweep`: runs every combination of some options' values.
 *
 * @param {SweepArguments} given
 * @param {Program} program
 * @returns {Promise<number>} the exit status
 */
export async function sweepByCommand(given, program) {
  const { plan, turns, values } = planOf(given);
  const { env, invocation, terminal, stopRequest } = program;
  const { signal } = stopRequest;
  const settings = plan.cells.map((cell) => ({
    label: cell.label,
    options: optionsOfCell(plan, cell),
    ...(cell.settings[BUCKETS] === undefined ? {} : { buckets: Number(cell.settings[BUCKETS]) }),
  }));
  const context = { env, invocation, signal, now: Date.now(), random: Math.random };
  const { cells } = await prepareCells(settings, context);
  const order = orderOf(plan, turns);
  const announced = announcement({ plan, cells, turns, order });
  if (values.dryRun) {
    const [first, ...others] = order.map((cell) => /** @type {Config} */ (cells[cell].config));
    const lines = first === undefined ? announced : dryRunLines([first, ...others], values.latency, announced);
    const limit = values.maxCost === undefined ? [] : [`--max-cost limits it to $${values.maxCost}.`];
    [...lines, ...limit].forEach((line) => terminal.out(line));
    return EXIT.complete;
  }
  const checks = new Checks();
  const { json, csv, report } = values;
  const outputs = await openResults({ json, csv, report }, checks);
  checks.conclude();
  const notify = values.quiet ? () => {} : (/** @type {string} */ line) => terminal.err(line);
  stopRequest.listen(notify);
  const before = turns.length;
  const cost = costLine(...order.map((cell) => /** @type {Config} */ (cells[cell].config)));
  [...announced, ...(cost === null ? [] : [cost])].forEach(notify);
  const sweep = { ...plan, turns };
  const progress = seriesProgress(terminal, {
    now: () => performance.now(),
    before,
    total: before + order.length,
    quiet: values.quiet,
  });
  const saved = outputs.filter(({ reporter, file }) => reporter.option === 'json' && file?.isReplaceable);
  const runs = runsOf({ order, cells, turns, maxCost: values.maxCost, progress, program });
  try {
    for await (const { turn, ...outcome } of runSeries(runs, signal)) {
      turns.push({ cell: turn.cell, ...outcome, problem: progress.ends(outcome) });
      // After each run, so that even a killed process can be resumed.
      saved.forEach(({ file }) => file?.write(writeSweep(sweep, sweepFigures(sweep))));
    }
  } finally {
    progress.close();
  }
  const stages = sweepFigures(sweep);
  const { sweepPage } = await import('../report/html/sweep-page.js');
  /** @type {Readonly<Record<string, () => Iterable<string>>>} */
  const formats = {
    json: () => writeSweep(sweep, stages),
    csv: () => formatSweepCsv(sweep),
    report: () => sweepPage(sweep, stages),
  };
  const text = formatSweep(sweep, stages);
  const isWritten = await writeSeries(outputs, ({ option }) => formats[option](), terminal, { text, notify });
  const left = before + order.length - turns.length;
  if (left > 0 && stopRequest.status === null) {
    terminal.err(`error: --max-cost is reached: ${counted(left, 'run')} left`);
  }
  const isComplete = left === 0 && turns.every(({ problem }) => problem === null);
  if (!isComplete && saved.length > 0) {
    // What was spent counts against the limit again.
    const more = costLeft(values.maxCost, turns) === null ? 2 : 1;
    const limit = values.maxCost === undefined ? '' : ` --max-cost ${more * values.maxCost}`;
    const variables = Object.entries(cells[0].target?.overrides ?? {}).map(
      ([name, value]) => `${name}=${shellWord(value)} `,
    );
    const others = Object.entries({ csv, report }).map(([name, file]) =>
      file === undefined ? '' : ` --${name} ${shellWord(file)}`,
    );
    notify(
      `Continue with: ${variables.join('')}${invocation.benchmark} sweep --resume ${shellWord(String(values.json))}${limit}${others.join('')}`,
    );
  }
  return stopRequest.status ?? (isComplete && isWritten ? EXIT.complete : EXIT.incomplete);
}

/**
 * @param {SweepArguments} given
 * @returns {{ plan: SweepPlan, turns: SweepTurn[], values: OptionValues }}
 * @throws {UsageError} with every problem
 */
function planOf({ operands, given, problems: found, hint }) {
  const [objects, threads] = operands;
  const shared = Object.entries(given).filter(([name]) => RUN_OPTIONS.includes(name) && name !== 'maxCost');
  const isBare = given.resume !== undefined && operands.length + shared.length === 0 && given.vary === undefined;
  const { values, problems } = readOptions('sweep', given, { operands: isBare ? undefined : operands });
  const saved = values.resume === undefined ? null : readSweep(values.resume);
  const typed = { options: { objects, threads, ...Object.fromEntries(shared) }, vary: values.vary ?? [] };
  const before = saved && { options: saved.request.options, vary: saved.request.vary };
  const { repeat, seed, reference } = saved?.request ?? {};
  const { plan, problems: ofPlan } = planSweep({
    ...(before ?? typed),
    repeat: given.repeat === undefined ? (repeat ?? values.repeat) : values.repeat,
    seed: seed ?? values.seed ?? Math.floor(Math.random() * MAX_DRAWN_SEED),
    reference: values.reference ?? reference ?? null,
  });
  const all = [
    ...found,
    // Conflicts between options are those of the cells, which set some of them, except for --dry-run's --latency.
    ...problems.filter((problem) => /^(--[a-z-]+|<\w+>): |^--latency /.test(problem)),
    ...(before === null || isBare || isDeepStrictEqual(typed, before)
      ? []
      : [`--resume: ${values.resume} is of another sweep: pass only --resume, which repeats its options`]),
    ...ofPlan,
  ];
  if (plan.variables.length === 0 && all.length === 0) {
    all.push('sweep requires --vary, such as --vary size=4KiB,64KiB --vary threads=1,8,64');
  }
  refuseIfAny(withSweepAdvice([...new Set(all)], { objects, threads, ...given }), hint);
  return { plan, turns: saved?.turns ?? [], values: { ...values, json: values.json ?? values.resume } };
}

/**
 * @param {{ plan: SweepPlan, cells: readonly PreparedCell[], turns: readonly SweepTurn[],
 *   order: readonly number[] }} parts
 * @returns {string[]} what will run, and how long it takes at most
 */
function announcement({ plan: { variables, request }, cells, turns, order }) {
  const configs = order.map((cell) => cells[cell].config);
  const longest = configs.reduce(
    (sum, { load, schedule: { duration = NaN, gap = 0 } }) => sum + stagesOf(load).length * (duration + gap),
    0,
  );
  const time = Number.isNaN(longest) ? '' : `, about ${formatDuration(longest)} of stages`;
  const grid = variables.map(({ label, values }) => `${values.length} × ${label}`).join(', ');
  return [
    ...new Set(cells.flatMap(({ target }) => target?.notices ?? [])),
    `${counted(cells.length, 'cell')} (${grid}), ${counted(request.repeat, 'run')} each, in random order (--seed ${request.seed})`,
    ...(turns.length === 0 ? [] : [`${counted(turns.length, 'run')} kept from before`]),
    `${counted(order.length, 'run')} to make${time}`,
  ];
}

/**
 * @param {{ order: readonly number[], cells: readonly PreparedCell[], turns: readonly SweepTurn[],
 *   maxCost: number | undefined, progress: ReturnType<typeof seriesProgress>, program: Program }} parts `turns` grows as runs end
 */
function* runsOf({ order, cells, turns, maxCost, progress, program }) {
  for (const cell of order) {
    const { label, options, values } = cells[cell];
    const left = costLeft(maxCost, turns);
    if (left === null) {
      return;
    }
    progress.starts(label);
    const context = contextOfRun({ label, values, listener: progress.listener, program });
    yield { cell, options: { ...options, ...left }, context };
  }
}
