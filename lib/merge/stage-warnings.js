import { LONGEST_INTERVAL } from './stage-log.js';

/**
 * @import { RunWarning } from './host-run.js'
 * @import { StageLog } from './stage-log.js'
 */

/**
 * What is to be said of a stage's lines.
 *
 * @param {StageLog} log
 * @param {boolean} isOurs whether the log has machine lines
 * @returns {RunWarning[]}
 */
export function stageWarnings(log, isOurs) {
  const { name, findings } = log;
  return [
    ...(log.isCut
      ? lost([{ line: log.line, message: `${name} begins here and has no summary: the log is cut short` }])
      : []),
    ...lost(findings.absurd.told(`${name} did more here than can be, and the line is not counted`)),
    ...(isOurs ? ofOurs(log) : ofRates(log)),
  ];
}

/**
 * The old tool's lines are rates over the time since the line before: a long interval need not be a loss.
 *
 * @param {StageLog} log
 */
function ofRates({ name, findings }) {
  return kept(findings.gaps.told(`${name} has no line for more than ${LONGEST_INTERVAL} seconds before this one`));
}

/**
 * What can be told only of a log whose lines are counts, and whose totals stand beside them. Where these agree, nothing is
 * lost, whatever else is strange.
 *
 * @param {StageLog} log
 * @returns {RunWarning[]}
 */
function ofOurs(log) {
  const { name, facts, findings, counted, line: firstLine } = log;
  const line = log.factsLine ?? firstLine;
  const strange = [
    ...findings.gaps.told(`${name} has no line for the seconds before this one`),
    ...findings.doubled.told(
      `a second of ${name} stands here once more, and is not counted again: do several hosts write into one file?`,
    ),
  ];
  if (facts === null) {
    const message = `${name} begins here and has no machine line of its totals: lines are missing`;
    return lost(log.summary === null ? strange : [...strange, { line, message }]);
  }
  const { operations } = facts.counts;
  const missing = log.missingHistogram();
  const difference = `${counted} of the ${operations} operations of ${name} stand in the lines of its seconds`;
  return [
    ...kept(strange),
    ...(counted === operations ? [] : lost([{ line, message: `${difference}: lines are missing or of another run` }])),
    ...(missing === null ? [] : lost([{ line, message: `${name} has no percentiles: ${missing}` }])),
    ...(facts.end === 'complete'
      ? []
      : lost([{ line, message: `${name} ended before its work was done (${facts.end})` }])),
  ];
}

/** @param {{ line: number, message: string }[]} warnings of what is missing from the total, or from the work */
function lost(warnings) {
  return warnings.map((warning) => ({ ...warning, incomplete: true }));
}

/** @param {{ line: number, message: string }[]} warnings of what is strange, while nothing is missing */
function kept(warnings) {
  return warnings.map((warning) => ({ ...warning, incomplete: false }));
}
