import { causeFinding, reportOther } from './cause-finding.js';
import { repeat, runScenario } from './run-scenario.js';
import { scenariosOf } from './scenarios.js';
import { truthOn } from './verdict.js';

/** @import { Part } from './finding.js' */

const RUNS = 10;

/** Objects for this many seconds at the scenario's rate. */
const SECONDS_OF_OBJECTS = 30;

/** @type {Part} */
export const searchCauses = {
  title: 'causes: the bottlenecks that --find-peak names',
  async check({ runs = RUNS, only, isBusy, report }) {
    const findings = [];
    for (const scenario of scenariosOf(only).possible) {
      const search = scenario.causes.search && truthOn(scenario.causes.search, isBusy);
      if (search === undefined) {
        continue;
      }
      const [stage] = scenario.stages.split(',');
      const load = { objects: scenario.rate * SECONDS_OF_OBJECTS, options: ['--find-peak', '--stages', stage] };
      const judged = await repeat(runs, async (run) => {
        report(`search, ${scenario.name}, run ${run + 1} of ${runs}`);
        const [{ bottleneck, hostLoad }] = await runScenario(scenario, load);
        reportOther(report, search, bottleneck);
        return { cause: bottleneck.cause, certainty: bottleneck.certainty, hostLoad };
      });
      findings.push(causeFinding(`${scenario.name}: ${stage}`, search, judged));
    }
    return findings;
  },
};
