import { shortLimit } from '../text/figures.js';
import { shortcomingsOf } from '../result/completeness.js';
import { FIGURES_OF_RUN, FIGURES_OF_STAGE } from '../result/figures/catalogue.js';
import { headlinesOf, problemsOfRun } from './headline.js';
import { escapeHtml } from './html/markup.js';

/**
 * @import { ThresholdResult } from '../result/result.js'
 * @import { WritableResult, WritableStage } from '../result/write-result.js'
 * @import { ResultReporter } from './reporter.js'
 *
 * @typedef {object} TestCase
 * @property {string} name
 * @property {number} [seconds] duration
 * @property {readonly [name: string, value: number][]} properties
 * @property {{ kind: 'failure' | 'error', type: string, message: string } | null} problem
 * @property {string} output
 */

/** Test results for CI servers: the run, each stage and each threshold is a test. @satisfies {ResultReporter} */
export const junitReporter = {
  option: 'junit',
  *format(result) {
    const { host, start, stages, thresholds = [] } = result;
    const suites = { stages: [runCase(result), ...stages.map(stageCase)], thresholds: thresholds.map(thresholdCase) };
    const where = host === null ? '' : ` hostname="${escapeHtml(host)}"`;
    const when = start === null ? '' : ` timestamp="${escapeHtml(start)}"`;
    yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="r2-benchmark" ${totals(Object.values(suites).flat())}>\n`;
    for (const [name, cases] of Object.entries(suites).filter(([, { length }]) => length > 0)) {
      const texts = cases.map((testCase) => caseText(name, testCase));
      yield `  <testsuite name="${name}" ${totals(cases)}${where}${when}>\n${texts.join('')}  </testsuite>\n`;
    }
    yield '</testsuites>\n';
  },
};

/** @param {readonly TestCase[]} cases */
function totals(cases) {
  const count = (/** @type {'failure' | 'error'} */ kind) =>
    cases.filter(({ problem }) => problem?.kind === kind).length;
  const seconds = cases.reduce((sum, testCase) => sum + (testCase.seconds ?? 0), 0);
  return `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="0" time="${seconds.toFixed(3)}"`;
}

/**
 * @param {string} suite
 * @param {TestCase} testCase
 */
function caseText(suite, { name, seconds = 0, properties, problem, output }) {
  const lines = [
    `    <testcase classname="r2-benchmark.${suite}" name="${escapeHtml(name)}" time="${seconds.toFixed(3)}">`,
    ...(properties.length === 0
      ? []
      : [
          '      <properties>',
          ...properties.map(([figure, value]) => `        <property name="${figure}" value="${value}"/>`),
          '      </properties>',
        ]),
    ...(problem === null
      ? []
      : [`      <${problem.kind} type="${problem.type}" message="${escapeHtml(problem.message)}"/>`]),
    ...(output === '' ? [] : [`      <system-out>${escapeHtml(output)}</system-out>`]),
    '    </testcase>\n',
  ];
  return lines.join('\n');
}

/**
 * Collects problems that do not belong to a stage.
 *
 * @param {WritableResult} result
 * @returns {TestCase}
 */
function runCase(result) {
  const { problems, stages } = result;
  const noStage = problems.length === 0 && stages.length === 0 ? ['no stage ran'] : [];
  const messages = [...noStage, ...problemsOfRun(result)];
  const figures = FIGURES_OF_RUN.map(({ name, fromRun }) => /** @type {const} */ ([name, fromRun?.(result)]));
  return {
    name: 'run',
    properties: knownFigures(figures),
    problem: problemOf(messages),
    output: headlinesOf(result).join('; '),
  };
}

/**
 * @param {WritableStage} stage
 * @returns {TestCase}
 */
function stageCase(stage) {
  const { duration, bottleneck } = stage;
  const figures = FIGURES_OF_STAGE.map(({ name, value }) => /** @type {const} */ ([name, value?.(stage)]));
  return {
    name: stage.stage,
    seconds: (duration ?? 0) / 1000,
    properties: knownFigures(figures),
    problem: problemOf(shortcomingsOf(stage)),
    output: bottleneck?.evidence ? `limited by: ${shortLimit(bottleneck)} (${bottleneck.evidence})` : '',
  };
}

/**
 * @param {readonly (readonly [name: string, value: number | null | undefined])[]} figures
 * @returns {[name: string, value: number][]}
 */
function knownFigures(figures) {
  return figures.flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : []));
}

/**
 * @param {readonly string[]} messages
 * @returns {TestCase['problem']} null if there are no messages
 */
function problemOf(messages) {
  return messages.length === 0 ? null : { kind: 'error', type: 'incomplete', message: messages.join('; ') };
}

/**
 * @param {ThresholdResult} threshold
 * @returns {TestCase}
 */
function thresholdCase({ expression, outcome, message, value, limit }) {
  const kind = outcome === 'missed' ? 'failure' : 'error';
  /** @type {TestCase['problem']} */
  const problem = outcome === 'passed' ? null : { kind, type: outcome, message };
  const properties = knownFigures(Object.entries({ value, limit }));
  return { name: expression, properties, problem, output: message };
}
