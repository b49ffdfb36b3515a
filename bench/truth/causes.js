import { formatTable } from '../studies/table.js';
import { repeat, runScenario } from './run-scenario.js';
import { scenariosOf } from './scenarios.js';
import { VERDICTS, countVerdicts, totalFinding, truthOn, verdictOf } from './verdict.js';

/**
 * @import { HostLoad } from '../../lib/result/result.js'
 * @import { Finding, Part } from './finding.js'
 * @import { Scenario, Truth } from './scenarios.js'
 * @import { Verdict, VerdictCounts } from './verdict.js'
 *
 * @typedef {object} StageCause
 * @property {string} stage
 * @property {string} cause
 * @property {string} certainty
 * @property {string} evidence
 * @property {HostLoad} hostLoad meanwhile
 *
 * @typedef {{ verdict: Verdict, stages: readonly StageCause[], failure: string | null }} JudgedRun
 *
 * @typedef {Finding & { counts: VerdictCounts, runs: readonly JudgedRun[] }} ScenarioFinding
 */

/**
 * How a kind of run measures a scenario.
 *
 * @typedef {object} RunKind
 * @property {string} title
 * @property {'plain' | 'search'} kind
 * @property {number} defaultRuns
 * @property {number} seconds objects for this many seconds at the scenario's rate
 * @property {(stages: string) => string[]} optionsFor
 */

export const plainCauses = causesOf({
  title: 'causes: the bottlenecks that plain runs name',
  kind: 'plain',
  defaultRuns: 3,
  seconds: 2,
  optionsFor: (stages) => ['--stages', stages],
});

export const searchCauses = causesOf({
  title: 'causes: the bottlenecks that --find-peak names',
  kind: 'search',
  defaultRuns: 10,
  seconds: 30,
  optionsFor: (stages) => ['--find-peak', '--stages', stages.split(',')[0]],
});

/**
 * @param {RunKind} runKind
 * @returns {Part}
 */
function causesOf({ title, kind, defaultRuns, seconds, optionsFor }) {
  return {
    title,
    async check({ runs = defaultRuns, only, isBusy, report }) {
      const { possible, impossible } = scenariosOf(only);
      /** @type {ScenarioFinding[]} */
      const findings = [];
      for (const scenario of possible) {
        const causes = scenario.causes[kind];
        if (causes !== undefined) {
          const truth = truthOn(causes, isBusy);
          const load = { objects: scenario.rate * seconds, options: optionsFor(scenario.stages) };
          const judged = await repeat(runs, async (run) => {
            report(`${kind}, ${scenario.name}, run ${run + 1} of ${runs}`);
            return judgeRun(scenario, load, truth);
          });
          findings.push(scenarioFinding(scenario.name, truth, judged));
        }
      }
      const verdicts = findings.flatMap(({ runs: judged }) => judged.map(({ verdict }) => verdict));
      return [...findings, ...impossible.map(skipped), totalFinding('all', verdicts)];
    },
    format: formatVerdicts,
  };
}

/**
 * @param {Scenario} scenario
 * @param {{ objects: number, options: readonly string[] }} load
 * @param {Truth} truth
 * @returns {Promise<JudgedRun>} never rejects, so that a failed run does not affect the others
 */
async function judgeRun(scenario, load, truth) {
  try {
    const stages = (await runScenario(scenario, load)).map(
      ({ stage, bottleneck: { cause, certainty, evidence }, hostLoad }) => ({
        stage,
        cause,
        certainty,
        evidence,
        hostLoad,
      }),
    );
    return { verdict: verdictOf(stages, truth), stages, failure: null };
  } catch (error) {
    return { verdict: 'wrong', stages: [], failure: /** @type {Error} */ (error).message };
  }
}

/**
 * @param {string} what
 * @param {Truth} truth
 * @param {readonly JudgedRun[]} runs
 * @returns {ScenarioFinding}
 */
function scenarioFinding(what, { right, supersets }, runs) {
  const counts = countVerdicts(runs.map(({ verdict }) => verdict));
  return {
    what,
    expected: [right, ...supersets].join(' or '),
    found: VERDICTS.map((verdict) => `${counts[verdict]} ${verdict}`).join(', '),
    isRight: counts.wrong === 0,
    counts,
    runs,
  };
}

/** @param {string} what @returns {Finding} */
function skipped(what) {
  return {
    what,
    expected: 'a machine that supports it',
    found: 'skipped: this machine does not support it',
    isRight: true,
  };
}

/**
 * @param {readonly Finding[]} findings
 * @returns {string} a table of the verdicts, followed by the evidence of every run that was not right
 */
function formatVerdicts(findings) {
  const rows = findings.map((finding) => {
    const { what, expected, found, isRight } = finding;
    const counts = isScenario(finding)
      ? [String(finding.runs.length), ...VERDICTS.map((verdict) => String(finding.counts[verdict]))]
      : [found, ...VERDICTS.map(() => '')];
    return [what, expected, ...counts, isRight ? '' : 'WRONG'];
  });
  const open = findings
    .filter(isScenario)
    .flatMap(({ what, runs }) =>
      runs.flatMap(({ verdict, stages, failure }, run) =>
        verdict === 'right' || verdict === 'superset'
          ? []
          : [`${what}, run ${run + 1}: ${failure ?? stages.map(describeStage).join('; ')}\n`],
      ),
    );
  return `${formatTable(['set-up', 'expected', 'runs', ...VERDICTS, ''], rows)}${open.length === 0 ? '' : '\n'}${open.join('')}`;
}

/** @param {StageCause} stage */
function describeStage({ stage, cause, certainty, evidence }) {
  return `${stage} ${certainty} ${cause} (${evidence})`;
}

/**
 * @param {Finding} finding
 * @returns {finding is ScenarioFinding}
 */
function isScenario(finding) {
  return 'runs' in finding;
}
