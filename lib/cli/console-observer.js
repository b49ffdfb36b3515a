import { formatSize } from '../log/units.js';
import { RunLog } from '../report/run-log.js';
import { costLine } from '../report/cost-line.js';
import { cleanupState } from './cleanup.js';
import { FailureNotices } from './failure-notices.js';
import { PhaseProgress } from './phase-progress.js';
import { ProgressLine } from './progress-line.js';
import { Progress } from './progress.js';

/**
 * @import { LogFile } from './log-file.js'
 * @import { Terminal } from './terminal.js'
 * @import { StageName } from '../log/log-line.js'
 * @import { RunFacts, SearchStep, SecondCount, StageResult } from '../model/result.js'
 * @import { CleanupProgress, DataFlow, FailedOperation, Phase, RunObserver, StagePlan } from '../model/run-events.js'
 * @import { RunConfig } from '../run/run-config.js'
 */

/** So many errors of a kind are shown for each stage; the log counts them all. */
const SHOWN_A_STAGE = 100;

/** The kind of error by which a host without a free port shows; see s3-error.js. */
const NO_PORT = 'no-port';

const OUT_OF_PORTS =
  'warning: this host has no port left for another connection (EADDRNOTAVAIL): operations that need one wait for it. Leave out --no-keep-alive, so that a thread keeps its port, use fewer threads, or widen net.ipv4.ip_local_port_range';

/**
 * Shows a run while it runs: its log on stdout and in the file of `--log`, the rest on stderr.
 *
 * @implements {RunObserver}
 */
export class ConsoleObserver {
  #terminal;
  #config;
  #quiet;
  #log;
  #phases;
  #progress;
  #cleanup;
  #failures;
  #errorsShown = 0;
  #isNamed = false;
  #hasToldOfPorts = false;
  #stage = '';
  #hasToldOfTime = false;

  /**
   * @param {object} options
   * @param {Terminal} options.terminal
   * @param {RunConfig} options.config
   * @param {boolean} options.quiet
   * @param {LogFile | null} options.logFile
   * @param {boolean} options.stdoutIsTaken by the result: the log goes to its file, or to stderr where there is none
   * @param {() => number} options.now monotonic ms
   */
  constructor({ terminal, config, quiet, logFile, stdoutIsTaken, now }) {
    this.#terminal = terminal;
    this.#config = config;
    this.#quiet = quiet;
    this.#log = new RunLog(logWriters(terminal, logFile, stdoutIsTaken));
    this.#phases = new PhaseProgress(terminal, now);
    this.#progress = new Progress(terminal, now);
    this.#cleanup = new ProgressLine(terminal, now);
    this.#failures = new FailureNotices((notice) => this.notice(notice), now);
  }

  runIsNamed() {
    if (this.#isNamed) {
      return;
    }
    this.#isNamed = true;
    const { runId, objects, size, prefix, store } = this.#config;
    this.#terminal.err(
      `Run ${runId}: ${objects} objects of ${formatSize(size)} in ${store.buckets.join(', ')} under ${prefix}/${runId}/`,
    );
    const cost = costLine(this.#config);
    if (cost !== null) {
      this.notice(cost);
    }
  }

  /** @param {Phase} phase */
  phaseStarts(phase) {
    if (!this.#quiet) {
      this.#phases.start(phase);
    }
  }

  /** @param {Phase} phase */
  phaseEnds(phase) {
    this.#phases.end(phase);
  }

  /** @param {RunFacts} facts */
  runStarts(facts) {
    this.runIsNamed();
    this.#log.runStarts(facts);
  }

  /** @param {StagePlan} plan */
  stageStarts({ stage, objects, threads, buckets, objectSize, duration, isSearch }) {
    this.#stage = stage;
    this.#hasToldOfTime = false;
    this.#errorsShown = 0;
    this.#failures.start(stage);
    this.#log.stageStarts({ stage, objects, threads, buckets, isSearch });
    if (!this.#quiet) {
      this.#progress.start({ stage, objects, objectSize, duration });
    }
  }

  /**
   * @param {StageName} stage
   * @param {SecondCount} count
   */
  second(stage, count) {
    this.#log.second(stage, count);
  }

  /**
   * @param {string} kind of the error after which an operation is tried again
   * @param {string} advice empty where there is none
   */
  retrying(kind, advice) {
    this.#log.retrying();
    this.#failures.add(kind);
    if (kind === NO_PORT && !this.#hasToldOfPorts) {
      this.#hasToldOfPorts = true;
      this.#terminal.err(OUT_OF_PORTS);
    }
    if (advice !== '' && !this.#hasToldOfTime) {
      this.#hasToldOfTime = true;
      this.#terminal.err(`warning: ${this.#stage}: attempts end while their objects are on the way: ${advice}`);
    }
  }

  /**
   * @param {StageName} stage
   * @param {string} message
   */
  integrityError(stage, message) {
    this.#showError(`${stage}: integrity error: ${message}`);
  }

  /**
   * @param {StageName} stage
   * @param {FailedOperation} operation
   * @param {string} message
   */
  failed(stage, { bucket, key, attempts }, message) {
    const tries = attempts === 1 ? '' : ` after ${attempts} attempts`;
    this.#showError(`${stage}: ${bucket}/${key} failed${tries}: ${message}`);
  }

  /**
   * @param {number} done operations of the stage that have come to an end
   * @param {DataFlow} flow
   */
  progress(done, flow) {
    this.#progress.show(done, flow);
    this.#failures.look();
  }

  /**
   * @param {StageName} stage
   * @param {SearchStep} step
   */
  stepEnds(stage, step) {
    this.#log.stepEnds(stage, step);
  }

  /** @param {StageResult} result */
  stageEnds(result) {
    this.#progress.stop();
    this.#failures.flush();
    this.#log.stageEnds(result);
    const { stage, end, skipped, abandoned, search } = result;
    if (skipped > 0) {
      this.#terminal.err(`${stage}: ${skipped} objects were skipped, because they had not been written`);
    }
    // A step of a search is cut off at its end, and says nothing by it.
    if (abandoned > 0 && search === undefined) {
      this.#terminal.err(
        `${stage}: ${abandoned} operations were still under way when the stage had to end, and were cut off`,
      );
    }
    if (end === 'stalled') {
      const question = this.#hasToldOfTime ? 'is --timeout long enough?' : 'is the store still there?';
      this.#terminal.err(`${stage}: ended because nothing succeeded any more: ${question}`);
    }
    if (end === 'overloaded') {
      this.#terminal.err(
        `${stage}: ended because operations started more than 10 s late: expected a lower --rate, or more threads`,
      );
    }
  }

  /** Whatever became of the run: a live line that went on would keep the process from ending. */
  close() {
    this.#phases.close();
    this.#progress.stop();
  }

  /** @param {readonly StageResult[]} stages */
  runEnds(stages) {
    this.#log.runEnds(stages);
  }

  /** @param {CleanupProgress} progress */
  cleanupProgress(progress) {
    if (!this.#quiet) {
      this.#cleanup.show(cleanupState(progress), progress.silence);
    }
  }

  /** @param {string} message */
  notice(message) {
    if (!this.#quiet) {
      this.#terminal.err(message);
    }
  }

  /** @param {string} line */
  #showError(line) {
    this.#errorsShown += 1;
    if (this.#errorsShown <= SHOWN_A_STAGE) {
      this.#terminal.err(line);
    } else if (this.#errorsShown === SHOWN_A_STAGE + 1) {
      this.#terminal.err('(further errors of this stage are counted, but not shown)');
    }
  }
}

/**
 * The lines for programs go to one place: the file, or else a stdout that nobody reads as it is written.
 *
 * @param {Terminal} terminal
 * @param {LogFile | null} logFile
 * @param {boolean} stdoutIsTaken
 * @returns {ConstructorParameters<typeof RunLog>[0]}
 */
function logWriters(terminal, logFile, stdoutIsTaken) {
  const show = (/** @type {string} */ line) => (stdoutIsTaken ? terminal.err(line) : terminal.out(line));
  if (logFile === null) {
    return { writeLine: show, writeMachineLine: terminal.logIsOnTerminal || stdoutIsTaken ? null : show };
  }
  return {
    writeLine(line) {
      logFile.write(line);
      if (!stdoutIsTaken || logFile.hasFailed) {
        show(line);
      }
    },
    writeMachineLine: (line) => logFile.write(line),
  };
}
