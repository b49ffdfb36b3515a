import { execFile, execFileSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

/** @import { TestContext } from 'node:test' */

const execute = promisify(execFile);

/** A missing screen must fail its test rather than block the test run. */
const PATIENCE_MS = 60_000;

let count = 0;

/** @returns {boolean} whether tmux, which provides resizable terminals, is installed */
export function hasTmux() {
  try {
    return execFileSync('tmux', ['-V'], { encoding: 'utf8' }).startsWith('tmux ');
  } catch {
    return false;
  }
}

class TmuxTerminal {
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

  /** @returns {Promise<string[]>} its rows, including those that scrolled away */
  async rows() {
    const text = await this.run('capture-pane', '-p', '-S', '-');
    return text.trimEnd().split('\n');
  }

  /**
   * @param {(rows: string[]) => unknown} isExpected
   * @returns {Promise<string[]>} the rows at that time
   */
  async shows(isExpected) {
    const giveUpAt = performance.now() + PATIENCE_MS;
    let rows = await this.rows();
    while (!isExpected(rows)) {
      if (performance.now() > giveUpAt) {
        throw new Error(`the terminal never showed what was expected: ${isExpected}\n${rows.join('\n')}`);
      }
      await wait(50);
      rows = await this.rows();
    }
    return rows;
  }
}

/**
 * @param {TestContext} t
 * @param {string} command shell command
 * @param {object} options
 * @param {number} options.columns
 * @param {number} options.rows
 * @param {Record<string, string>} [options.env] in addition to PATH, HOME and a UTF-8 locale
 * @returns {Promise<TmuxTerminal>} with an interactive shell that was given the command
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
