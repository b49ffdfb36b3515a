import { formatTable } from '../studies/table.js';
import { repeat, runScenario } from './run-scenario.js';
import { scenariosOf } from './scenarios.js';
import { VERDICTS, countVerdicts, judgeCounts, truthOn, verdictOf } from './verdict.js';

/**
 * @import { HostLoad } from '../../lib/model/result.js'
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

const RUNS = 3;

/** Objects for this many seconds at the scenario's rate. */
const SECONDS_OF_OBJECTS = 2;

/** @type {Part} */
export const plainCauses = {
  title: 'causes: the bottlenecks that plain runs name',
  async check({ runs = RUNS, only, isBusy, report }) {
    const { possible, impossible } = scenariosOf(only);
    /** @type {ScenarioFinding[]} */
    const findings = [];
    for (const scenario of possible) {
      const plain = scenario.causes.plain && truthOn(scenario.causes.plain, isBusy);
      if (plain !== undefined) {
        const judged = await repeat(runs, async (run) => {
          report(`plain, ${scenario.name}, run ${run + 1} of ${runs}`);
          return runPlain(scenario, plain);
        });
        findings.push(scenarioFinding(scenario.name, plain, judged));
      }
    }
    return [...findings, ...impossible.map(skipped), totalFinding(findings)];
  },
  format: formatVerdicts,
};

/**
 * @param {Scenario} scenario
 * @param {Truth} truth
 * @returns {Promise<JudgedRun>} never rejects, so that a failed run does not affect the others
 */
async function runPlain(scenario, truth) {
  const load = { objects: scenario.rate * SECONDS_OF_OBJECTS, options: ['--stages', scenario.stages] };
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
    return {
      verdict: verdictOf(stages, truth),
      stages,
      failure: null,
    };
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
 * @param {readonly ScenarioFinding[]} findings
 * @returns {Finding}
 */
function totalFinding(findings) {
  const counts = countVerdicts(findings.flatMap(({ runs }) => runs.map(({ verdict }) => verdict)));
  const { runs, open, mistaken, isEnough } = judgeCounts(counts);
  return {
    what: 'all',
    expected: `none wrong, at most ${mistaken} mistaken, at most ${open} not shown`,
    found: `of ${runs}: ${VERDICTS.map((verdict) => `${counts[verdict]} ${verdict}`).join(', ')}`,
    isRight: isEnough,
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
