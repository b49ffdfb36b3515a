import { configOf, withStore } from '../run/prepare-run.js';
import { openTarget } from '../store/target.js';
import { Checks } from '../options/usage-error.js';
import { laterOf } from './later-commands.js';

/**
 * @import { Config } from '../model/config.js'
 * @import { Invocation } from '../store/hint.js'
 * @import { Target } from '../store/target.js'
 * @import { CommandLine } from './command-line.js'
 * @import { Later } from './later-commands.js'
 */

/**
 * @param {CommandLine} options
 * @param {{ env: NodeJS.ProcessEnv, now: number, random: () => number, invocation: Invocation,
 *   signal: AbortSignal }} context `now` in epoch ms; `random` uniform in [0, 1); for `signal` see openTarget
 * @returns {Promise<{ target: Target, config: Config, later: Later }>}
 * @throws {UsageError} with every problem
 */
export async function prepare(options, { invocation, signal, ...context }) {
  const checks = new Checks();
  const target = await checks.run(() => openTarget(options, context.env, { invocation, signal }));
  const config = withStore(await configOf(options, { target, ...context }, checks));
  checks.conclude();
  return {
    target: /** @type {Target} */ (target),
    config: /** @type {Config} */ (config),
    later: laterOf(options, target, invocation),
  };
}
