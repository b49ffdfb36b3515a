import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';

/** @import { ChildProcess } from 'node:child_process' */

/**
 * The signal that ends what a provider of the SDK does: its requests, and the shell command of credential_process, which
 * the SDK has no way to end.
 *
 * @type {AsyncLocalStorage<AbortSignal>}
 */
export const ending = new AsyncLocalStorage();

subscribe('child_process', (message) => {
  const { process: child } = /** @type {{ process: ChildProcess }} */ (message);
  ending.getStore()?.addEventListener('abort', () => {
    if (child.exitCode === null && child.signalCode === null) {
      familyOf(Number(child.pid)).forEach(end);
    }
    // Whatever survives must not keep this process from ending.
    child.stdout?.destroy();
    child.stderr?.destroy();
  });
});

/**
 * A process and, on Linux, its descendants: a shell such as dash remains the parent of its command.
 *
 * @param {number} id
 * @returns {number[]}
 */
function familyOf(id) {
  try {
    const children = readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').match(/\d+/g);
    return [id, ...(children ?? []).flatMap((child) => familyOf(Number(child)))];
  } catch {
    return [id];
  }
}

/** @param {number} id of a process, which may have ended */
function end(id) {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
