import { constants } from 'node:os';

/**
 * The signals that would end a process, if the system has them and a program can handle them. It cannot continue after
 * a fault, such as SIGSEGV, and Node already ignores SIGPIPE and SIGXFSZ.
 */
export const ENDING_SIGNALS = /** @type {const} */ ([
  ...['SIGABRT', 'SIGALRM', 'SIGBREAK', 'SIGHUP', 'SIGINT', 'SIGPOLL', 'SIGPROF', 'SIGPWR', 'SIGQUIT', 'SIGSTKFLT'],
  ...['SIGTERM', 'SIGUSR1', 'SIGUSR2', 'SIGVTALRM', 'SIGXCPU'],
]).filter((name) => name in constants.signals);

/**
 * For a process that serves another one, and ends with it: service managers send signals to every process of a job.
 *
 * @param {NodeJS.EventEmitter} server its `process`
 */
export function ignoreEndingSignals(server) {
  ENDING_SIGNALS.forEach((name) => server.on(name, () => {}));
}
