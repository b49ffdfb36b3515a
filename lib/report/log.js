import { RunLog } from '../result/log/run-log.js';

/**
 * @import { LineKind } from '../result/log/run-log.js'
 * @import { ListeningReporter, ReporterContext } from './reporter.js'
 */

/** The only log lines shown with the live view: they contain the result of a search. @type {LineKind} */
const SHOWN_WITH_VIEW = 'search';

/** The log goes to stdout and to the file of `--log`. @type {ListeningReporter} */
export const logReporter = { listen: (context) => new RunLog(logWriters(context)) };

/**
 * Machine lines go to the log file if there is one, otherwise to stdout unless a person reads it.
 *
 * @param {ReporterContext} context
 * @returns {ConstructorParameters<typeof RunLog>[0]}
 */
function logWriters({ screen, logFile, stdoutIsTaken, hasView }) {
  const show = (/** @type {string} */ line) => (stdoutIsTaken ? screen.err(line) : screen.out(line));
  const isShown = (/** @type {LineKind} */ kind) => !hasView || kind === SHOWN_WITH_VIEW;
  const showMachineLine = screen.logIsOnTerminal || stdoutIsTaken ? null : show;
  return {
    writeLine(line, kind) {
      logFile?.write(line);
      if (isShown(kind) && (logFile === null || !stdoutIsTaken || logFile.hasFailed)) {
        show(line);
      }
    },
    writeMachineLine: logFile === null ? showMachineLine : (line) => logFile.write(line),
  };
}
