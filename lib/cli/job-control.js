import { cpuDemand } from '../host/event-loop.js';

/**
 * @import { Clock } from '../clock/clock.js'
 * @import { Terminal } from './terminal.js'
 */

/**
 * @typedef {NodeJS.EventEmitter & Pick<NodeJS.Process, 'pid' | 'kill'>} StoppableProcess
 * @typedef {{ resumed: () => void }} ResumedTerminal
 */

/**
 * Tells a terminal that something else may have been written to it, because a shell stopped the process for a while.
 *
 * By SIGCONT alone that would be known too late: Node hands on a signal when its event loop comes to it, and a timer or an
 * answer of the store may come first, and write over what the shell has written. So the terminal hears of Ctrl-Z before the
 * process stops. After a SIGSTOP, which nobody can catch, there is SIGCONT alone.
 *
 * @param {StoppableProcess} process
 * @param {ResumedTerminal} terminal
 */
export function watchJobControl(process, terminal) {
  const listen = () => {
    process.on('SIGTSTP', onStop);
    process.on('SIGCONT', onContinue);
  };
  const onContinue = () => terminal.resumed();
  const onStop = () => {
    terminal.resumed();
    // Without listeners, the signal does what it does by default: it stops the process, unless no shell is there that could
    // let it go on. The SIGCONT after it is not heard, so that what has been drawn since is not drawn a second time.
    process.removeListener('SIGTSTP', onStop);
    process.removeListener('SIGCONT', onContinue);
    process.kill(process.pid, 'SIGTSTP');
    listen();
  };
  listen();
}

/**
 * Leaves the time in which the process, or its machine, is suspended out of a clock's time, and reports it.
 *
 * @param {Clock} clock
 * @param {Pick<Terminal, 'err'> | null} terminal that shows the warning; null if another clock reports the same pause
 */
export function leaveOutPauses(clock, terminal) {
  clock.watchPauses(cpuDemand, (pause) =>
    terminal?.err(
      `warning: this process was suspended for ${(pause / 1000).toFixed(1)}s: that time is in no rate and no percentile`,
    ),
  );
}
