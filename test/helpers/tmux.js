import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

/** @import { TestContext } from 'node:test' */

const execute = promisify(execFile);

/** A screen that never shows what it should is a finding, not a reason for the test run to hang. */
const PATIENCE_MS = 60_000;

let count = 0;

/** @returns {boolean} whether there is tmux, which shows programs on terminals that can be made larger and smaller */
export function hasTmux() {
  try {
    return execFileSync('tmux', ['-V'], { encoding: 'utf8' }).startsWith('tmux ');
  } catch {
    return false;
  }
}

/** A program on a real terminal. */
export class TmuxTerminal {
  #socket;
  #env;

  /**
   * @param {string} socket
   * @param {Record<string, string>} env
   */
  constructor(socket, env) {
    this.#socket = socket;
    this.#env = env;
  }

  /** @param {string[]} parameters of tmux */
  async run(...parameters) {
    const { stdout } = await execute('tmux', ['-L', this.#socket, '-f', '/dev/null', ...parameters], {
      env: this.#env,
    });
    return stdout;
  }

  /** @returns {Promise<string[]>} what stands on it, what has scrolled away included */
  async rows() {
    const text = await this.run('capture-pane', '-p', '-S', '-');
    return text.trimEnd().split('\n');
  }

  /**
   * Waits until it shows something.
   *
   * @param {(rows: string[]) => unknown} isThere
   * @returns {Promise<string[]>} the rows that it shows then
   */
  async shows(isThere) {
    const giveUpAt = performance.now() + PATIENCE_MS;
    let rows = await this.rows();
    while (!isThere(rows)) {
      if (performance.now() > giveUpAt) {
        throw new Error(`the terminal never showed what was expected: ${isThere}\n${rows.join('\n')}`);
      }
      rows = await this.rows();
    }
    return rows;
  }
}

/**
 * @param {TestContext} t
 * @param {string} command for a shell
 * @param {object} options
 * @param {number} options.columns
 * @param {number} options.rows
 * @param {Record<string, string>} [options.env] in addition to PATH, HOME and a locale of UTF-8
 * @returns {Promise<TmuxTerminal>} on which an interactive shell has been given the command
 */
export async function onTmux(t, command, { columns, rows, env = {} }) {
  count += 1;
  const { PATH = '', NODE_V8_COVERAGE } = process.env;
  /** @type {Record<string, string>} */
  const coverage = NODE_V8_COVERAGE === undefined ? {} : { NODE_V8_COVERAGE };
  const variables = { PATH, HOME: '/nonexistent', LC_ALL: 'C.UTF-8', ...coverage, ...env };
  const terminal = new TmuxTerminal(`r2-benchmark-test-${process.pid}-${count}`, variables);
  await terminal.run(
    'new-session',
    '-d',
    '-x',
    String(columns),
    '-y',
    String(rows),
    "exec env 'PS1=$ ' bash --norc --noprofile",
  );
  t.after(() => terminal.run('kill-server').catch(() => {}));
  await terminal.shows((shown) => shown.some((row) => row.startsWith('$')));
  await terminal.run('send-keys', '-l', command);
  await terminal.run('send-keys', 'Enter');
  return terminal;
}
