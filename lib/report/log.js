import { RunLog } from '../log/run-log.js';

/**
 * @import { LineKind } from '../log/run-log.js'
 * @import { ListeningReporter, ReporterContext } from './reporter.js'
 */

/** What the live view shows all the time, and the table that it ends with. @type {readonly LineKind[]} */
const SHOWN_BY_VIEW = ['second', 'retrying', 'table'];

/** The log goes to stdout and to the file of `--log`. @type {ListeningReporter} */
export const logReporter = { listen: (context) => new RunLog(logWriters(context)) };

/**
 * The machine lines go to one place: the file, or else a stdout that nobody reads as it is written.
 *
 * @param {ReporterContext} context
 * @returns {ConstructorParameters<typeof RunLog>[0]}
 */
function logWriters({ screen, logFile, stdoutIsTaken, hasView }) {
  const show = (/** @type {string} */ line) => (stdoutIsTaken ? screen.err(line) : screen.out(line));
  const isShown = (/** @type {LineKind} */ kind) => !hasView || !SHOWN_BY_VIEW.includes(kind);
  if (logFile === null) {
    return {
      writeLine: (line, kind) => isShown(kind) && show(line),
      writeMachineLine: screen.logIsOnTerminal || stdoutIsTaken ? null : show,
    };
  }
  return {
    writeLine(line, kind) {
      logFile.write(line);
      if (isShown(kind) && (!stdoutIsTaken || logFile.hasFailed)) {
        show(line);
      }
    },
    writeMachineLine: (line) => logFile.write(line),
  };
}
