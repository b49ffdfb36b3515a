import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { overDistance } from '../studies/distance/over-distance.js';
import { makeCappedLink } from './capped-link.js';
import { spawnNode } from './pinned.js';
import { makeQuotaGroup } from './quota-group.js';
import { runTool } from './run-tool.js';
import { CLIENT_CORE } from './scenarios.js';
import { withEndpoint } from './scripted-endpoint.js';

/** @import { Scenario } from './scenarios.js' */

/**
 * @param {Scenario} scenario
 * @param {{ objects: number, options: readonly string[] }} load
 * @returns {Promise<any[]>} the stages of the JSON result
 * @throws {Error} if the scenario cannot be set up, or the run failed
 */
export async function runScenario(scenario, load) {
  const { endpoint, threads, options, isPinned, isRobbed, quota, linkSpeed, distance } = scenario;
  const group = quota === undefined ? null : made(makeQuotaGroup(quota));
  const link = linkSpeed === undefined ? null : made(makeCappedLink(linkSpeed));
  const place = { core: isPinned ? CLIENT_CORE : null, within: group?.within ?? link?.within };
  const script = link === null ? endpoint : { ...endpoint, place: { within: link.within } };
  try {
    return await withEndpoint(script, async ({ env }) => {
      const robber = isRobbed ? startRobber() : null;
      const all = [...options, ...load.options];
      const runAt = (/** @type {number} */ port) =>
        runTool({ env: { ...env, S3_PORT: String(port) }, objects: load.objects, threads, options: all, place });
      const port = Number(env.S3_PORT);
      try {
        return distance === undefined
          ? await runAt(port)
          : (await overDistance({ port, roundTrip: distance }, runAt)).result;
      } finally {
        await robber?.stop();
      }
    });
  } finally {
    group?.remove();
    link?.remove();
  }
}

/**
 * @template Setting
 * @param {Setting | null} setting
 * @returns {Setting}
 * @throws {Error}
 */
function made(setting) {
  if (setting === null) {
    throw new Error('this machine could set up the scenario before, but cannot any more');
  }
  return setting;
}

function startRobber() {
  const program = fileURLToPath(new URL('./burner.js', import.meta.url));
  const child = spawnNode({ core: CLIENT_CORE }, [program], { stdio: ['pipe', 'inherit', 'inherit'] });
  const exit = once(child, 'exit');
  return {
    async stop() {
      child.stdin?.end();
      await exit;
    },
  };
}

/**
 * Runs a scenario several times, one after the other: concurrent runs would compete for CPU.
 *
 * @template Result
 * @param {number} runs
 * @param {(run: number) => Promise<Result>} work
 * @returns {Promise<Result[]>} in the order of the runs
 */
export async function repeat(runs, work) {
  /** @type {Result[]} */
  const results = [];
  for (let run = 0; run < runs; run++) {
    results.push(await work(run));
  }
  return results;
}
