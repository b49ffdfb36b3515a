import { callTool } from '../truth/run-tool.js';

/**
 * @param {readonly string[]} parameters
 * @param {Readonly<Record<string, string>>} env in addition to this process's variables
 * @returns {Promise<{ stages: any[], log: string }>} the stages of its --json, and its output
 * @throws {Error} if its exit status is not 0
 */
export async function runTool(parameters, env) {
  /** @type {string[]} */
  const lines = [];
  const { stages } = await callTool({ parameters, env, onLine: (line) => lines.push(line) });
  return { stages, log: lines.join('\n') };
}
