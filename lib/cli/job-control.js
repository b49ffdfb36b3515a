import { cpuDemand } from '../host/event-loop.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Terminal } from './terminal.js'
 */

/**
 * Notifies the terminal when a shell stops the process, because other programs may then write to the screen.
 *
 * The terminal is notified on Ctrl-Z, before the process stops. SIGCONT would be too late: Node delivers a signal on
 * the next turn of its event loop, and before that a timer or a response could draw over the shell's output. After
 * SIGSTOP, which cannot be caught, the terminal is notified on SIGCONT.
 *
 * @param {NodeJS.EventEmitter & Pick<NodeJS.Process, 'pid' | 'kill'>} process
 * @param {{ resumed: () => void }} terminal
 */
export function watchJobControl(process, terminal) {
  const listen = () => {
    process.on('SIGTSTP', onStop);
    process.on('SIGCONT', onContinue);
  };
  const onContinue = () => terminal.resumed();
  const onStop = () => {
    terminal.resumed();
    // Without listeners, SIGTSTP has its default effect: it stops the process, unless no shell could resume it.
    // The SIGCONT that resumes it must not notify the terminal again, which would then repeat its drawing.
    process.removeListener('SIGTSTP', onStop);
    process.removeListener('SIGCONT', onContinue);
    process.kill(process.pid, 'SIGTSTP');
    listen();
  };
  listen();
}

/**
 * Excludes suspensions of the process or its machine from the clock's time, and reports them.
 *
 * @param {Clock} clock
 * @param {Pick<Terminal, 'err'> | null} terminal for the warning; null if another clock reports the same pause
 */
export function leaveOutPauses(clock, terminal) {
  clock.watchPauses(cpuDemand, (pause) =>
    terminal?.err(
      `warning: this process was suspended for ${(pause / 1000).toFixed(1)}s: that time is excluded from rates and percentiles`,
    ),
  );
}
