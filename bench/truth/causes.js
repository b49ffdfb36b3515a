import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stageFindings } from './cause-finding.js';
import { spawnNode } from './pinned.js';
import { runTool } from './run-tool.js';
import { CLIENT_CORE, possibleScenarios } from './scenarios.js';
import { withEndpoint } from './scripted-endpoint.js';

/**
 * @import { Finding, Part } from './finding.js'
 * @import { Scenario } from './scenarios.js'
 *
 * @typedef {object} Mode of the tool
 * @property {'plain' | 'search'} name
 * @property {number} seconds of a scenario's rate that the objects are enough for
 * @property {readonly string[]} options
 * @property {(stages: string[]) => string[]} choose which of a scenario's stages it runs
 */

const RUNS = 10;

/** Runs that need little of the machine go side by side: one after the other, they would take an hour. */
const LANES = 4;

/** @type {Part} */
export const plainCauses = {
  title: 'causes: what plain runs say that they were limited by',
  check: (choice) => checkScenarios(choice, { name: 'plain', seconds: 2, options: [], choose: (stages) => stages }),
};

/** @type {Part} */
export const searchCauses = {
  title: 'causes: what --find-peak says that they were limited by',
  check: (choice) =>
    checkScenarios(choice, {
      name: 'search',
      seconds: 30,
      options: ['--find-peak'],
      choose: ([first]) => [first],
    }),
};

/**
 * @param {Parameters<Part['check']>[0]} choice
 * @param {Mode} mode
 * @returns {Promise<Finding[]>}
 */
async function checkScenarios({ runs = RUNS, say }, { name, seconds, options, choose }) {
  const findings = [];
  for (const scenario of possibleScenarios()) {
    const cause = scenario.causes[name];
    if (cause === undefined) {
      continue;
    }
    const stages = choose(scenario.stages.split(','));
    const load = { objects: scenario.rate * seconds, options: [...options, '--stages', stages.join()] };
    const causes = await inLanes(runs, scenario.isPinned ? 1 : LANES, (run) => {
      say(`${name}, ${scenario.name}, run ${run + 1} of ${runs}`);
      return runScenario(scenario, load);
    });
    findings.push(...stageFindings(scenario.name, stages, cause, causes));
  }
  return findings;
}

/**
 * @param {Scenario} scenario
 * @param {{ objects: number, options: readonly string[] }} load
 * @returns {Promise<string[]>} the cause that each stage names
 */
export function runScenario({ endpoint, threads, options, isPinned, isRobbed }, load) {
  return withEndpoint(endpoint, async ({ env }) => {
    const robber = isRobbed ? startRobber() : null;
    try {
      const core = isPinned ? CLIENT_CORE : null;
      const all = [...options, ...load.options];
      const stages = await runTool({ env, objects: load.objects, threads, options: all, core });
      return stages.map(({ bottleneck }) => bottleneck.cause);
    } finally {
      await robber?.stop();
    }
  });
}

function startRobber() {
  const program = fileURLToPath(new URL('./burner.js', import.meta.url));
  const child = spawnNode(CLIENT_CORE, [program], { stdio: ['pipe', 'inherit', 'inherit'] });
  const exit = once(child, 'exit');
  return {
    async stop() {
      child.stdin?.end();
      await exit;
    },
  };
}

/**
 * @template Result
 * @param {number} count
 * @param {number} lanes how many at the same time
 * @param {(place: number) => Promise<Result>} work
 * @returns {Promise<Result[]>}
 */
async function inLanes(count, lanes, work) {
  /** @type {Result[]} */
  const results = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const place = next++;
      results[place] = await work(place);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
