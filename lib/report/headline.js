import { predicateOf } from '../result/bottleneck/sentence.js';
import { figureNamed } from '../result/figures/catalogue.js';
import { quantityText } from '../result/figures/quantities.js';
import { capacityOf, rowOfStage } from '../result/figures/stage-table.js';
import { isClean, shortcomingsOf } from '../result/completeness.js';
import { agrees } from '../measure/statistics/plateau.js';
import { commandOf } from '../options/recorded-options.js';
import { counted, percent } from '../text/figures.js';
import { shellWord } from '../text/shell-words.js';
import { coloLine, listed } from './stage-findings.js';

/**
 * @import { MergedRamp } from '../result/result.js'
 * @import { WritableResult, WritableStage } from '../result/write-result.js'
 */

/**
 * Answers with one line per stage, such as `Read 11,190 ops/s, p99 15.5 ms, limited by the store`. Untrusted text in it
 * is not escaped.
 *
 * @param {Pick<WritableResult, 'stages' | 'hosts'>} result
 * @returns {string[]} at least one line
 */
export function headlinesOf({ stages, hosts }) {
  const names = new Set(hosts.map((each, index) => each.merge?.name ?? each.host ?? index));
  const who = names.size > 1 ? `${counted(names.size, 'host')}: ` : '';
  return stages.length === 0
    ? ['Nothing was measured']
    : stages.map(
        (stage, index) =>
          `${index === 0 ? who : ''}${stage.stage} ${[...measuredOf(stage), limitOf(stage)].join(', ')}`,
      );
}

/** @param {WritableStage} stage */
function measuredOf(stage) {
  const { average: rate, peak = null, latency } = rowOfStage(stage);
  if (rate === 'too short') {
    return ['too short for its warm-up'];
  }
  const { bound, operationsPerSecond = null, slo } = stage.search?.rate ?? {};
  if (operationsPerSecond !== null) {
    const found = quantityText('rate', operationsPerSecond);
    return [`${bound === 'exact' ? '' : `${bound} `}${found} with a p99 of up to ${quantityText('time', Number(slo))}`];
  }
  const capacity = capacityOf(stage);
  if (capacity !== null) {
    return [capacityText(stage, capacity)];
  }
  const p99 = figureNamed('p99')?.value?.({ ...stage, latency }) ?? null;
  return [
    rate === null && peak !== null ? `${quantityText('rate', peak)} in the peak second` : quantityText('rate', rate),
    ...(p99 === null ? [] : [`p99 ${quantityText('time', p99)}`]),
  ];
}

/**
 * @param {{ search?: WritableStage['search'], merge?: { ramp?: MergedRamp | null } }} stage
 * @param {NonNullable<ReturnType<typeof capacityOf>>} capacity
 */
export function capacityText({ search, merge }, { operationsPerSecond, low, high, confidence, threads }) {
  const hasPlateau = search?.hasPlateau ?? merge?.ramp?.hasPlateau;
  const best = search?.best ?? operationsPerSecond;
  const isContradicted = !agrees(operationsPerSecond, best);
  const doubt = isContradicted ? `contradicted by ${quantityText('rate', best)} in the best step` : 'without a plateau';
  const rate = `${hasPlateau || isContradicted ? '' : 'at least '}${quantityText('rate', operationsPerSecond)}`;
  const from = `${hasPlateau ? 'from' : 'with'} ${counted(threads, 'thread')}${hasPlateau ? '' : `, ${doubt}`}`;
  return `capacity ${rate} ${from} (${percent(confidence)} interval ${intervalText(low, high)})`;
}

/**
 * @param {number} low ops/s
 * @param {number} high
 */
export function intervalText(low, high) {
  return `${quantityText('rate', low)} to ${quantityText('rate', high)}`.replace(' ops/s', '').replace(' ops/s', '');
}

/** @param {WritableStage} stage */
function limitOf({ bottleneck }) {
  return !bottleneck || bottleneck.cause === 'inconclusive' ? 'limit unknown' : predicateOf(bottleneck);
}

/**
 * What does not belong to a stage and is missing, failed or ended early: one line each, of untrusted text.
 *
 * @param {Pick<WritableResult, 'problems' | 'cleanup' | 'merge'>} result
 */
export function problemsOfRun({ problems, cleanup, merge }) {
  const left = cleanup === null || isClean(cleanup) ? [] : [`clean-up: ${leftText(cleanup.left)}`];
  const incomplete = (merge?.warnings ?? []).filter((warning) => warning.incomplete).map(warningText);
  return [...problems, ...left, ...incomplete];
}

/** @param {number} left objects; negative if they could not be counted */
function leftText(left) {
  return left < 0 ? 'the remaining objects could not be counted' : `${counted(left, 'object')} left`;
}

/** @param {WritableResult} result */
export function problemsOf(result) {
  const ofStages = result.stages.flatMap((stage) => shortcomingsOf(stage).map((each) => `${stage.stage}: ${each}`));
  return [...problemsOfRun(result), ...ofStages];
}

/** @param {{ file: string, line: number | null, message: string }} warning of a merge */
export function warningText({ file, line, message }) {
  return `${file}${line === null ? '' : `:${line}`}: ${message}`;
}

/**
 * How the result was measured; facts that are not known are left out.
 *
 * @param {WritableResult} result
 * @returns {[name: string, text: string][]}
 */
export function factsOf({ run, shard, hosts, start, versions, options, stages }) {
  const names = [...new Set(hosts.map(({ merge, host }) => merge?.name ?? host ?? 'unknown'))];
  const isSplit = shard !== null && !shard.endsWith('/1');
  // Options with which a later run uses the same shard of the objects.
  const words = isSplit ? ['--shard', shard, '--run-id', run === null ? '?' : shellWord(run)] : [];
  const ofVersions = Object.entries(versions ?? {}).map(
    ([name, value]) => `${name} ${value ?? 'differs between hosts'}`,
  );
  /** @type {[string, string | null | undefined][]} */
  const facts = [
    ['Run', run],
    [names.length === 1 ? 'Host' : 'Hosts', listed(names)],
    ['Started', start],
    ['Command', options && commandOf(options, words)],
    ['Endpoint', options?.endpoint],
    ['Data centres', coloLine(stages)],
    ['Versions', ofVersions.join(', ')],
  ];
  return facts.flatMap(([name, text]) => (text ? [[name, text]] : []));
}
