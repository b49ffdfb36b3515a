import { bucketFindings } from '../bottleneck/bucket-findings.js';
import { plainLine } from '../text/plain-text.js';
import { redact } from '../text/redact.js';
import { sizeRange } from '../text/units.js';
import { sizeText } from '../workload/size-distribution.js';
import { coloLine } from './colo-line.js';
import { costLine } from './cost-line.js';
import { FailureNotices } from './failure-notices.js';
import { stageFindings } from './stage-findings.js';
import { stabilityLine } from './stability-line.js';
import { PhaseProgress, ProgressLine, formatCleanupProgress } from './progress.js';

/**
 * @import { RunFacts, RunResult, StageResult } from '../model/result.js'
 * @import { CleanupProgress, FailedOperation, Phase, StageStart } from '../model/run-events.js'
 * @import { Listener, ListeningReporter, ReporterContext } from './reporter.js'
 */

/** Errors shown per stage; the log counts them all. */
const MAX_SHOWN_PER_STAGE = 100;

/** The kind of error on a host without a free port; see s3-error.js. */
const NO_PORT = 'no-port';

const OUT_OF_PORTS =
  'warning: this host has run out of local ports (EADDRNOTAVAIL), so operations that need a new connection must wait: omit --no-keep-alive, use fewer threads, or widen net.ipv4.ip_local_port_range';

/** Shows the progress, notices and errors of a run on stderr. @implements {Listener} */
class Console {
  #screen;
  #config;
  #quiet;
  #phases;
  #cleanup;
  #failures;
  #errorsShown = 0;
  #isNamed = false;
  #hasWarnedOfPorts = false;
  #stage = '';
  #hasWarnedOfTimeout = false;

  /** @param {ReporterContext} context */
  constructor({ screen, config, quiet, now }) {
    this.#screen = screen;
    this.#config = config;
    this.#quiet = quiet;
    this.#phases = new PhaseProgress(screen, now);
    this.#cleanup = new ProgressLine(screen, now);
    this.#failures = new FailureNotices((notice) => this.notice(notice), now);
  }

  runIsNamed() {
    if (this.#isNamed) {
      return;
    }
    this.#isNamed = true;
    const { store, objects } = this.#config;
    const { count, runId, size, sizes, prefix, existing } = objects;
    const where = existing === undefined ? `under ${prefix}/${runId}/` : 'that already exist; nothing is written';
    const sizeOfObjects = existing === undefined ? sizeText({ size, sizes }) : sizeRange(0, size);
    this.#screen.err(`Run ${runId}: ${count} objects of ${sizeOfObjects} in ${store.buckets.join(', ')} ${where}`);
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
  runStarts({ options: { objects: count, size } }) {
    const { objects } = this.#config;
    if (objects.existing !== undefined) {
      this.#config = { ...this.#config, objects: { ...objects, count, size } };
    }
    this.runIsNamed();
  }

  /** @param {StageStart} plan */
  stageStarts({ stage }) {
    this.#stage = stage;
    this.#hasWarnedOfTimeout = false;
    this.#errorsShown = 0;
    this.#failures.start(stage);
  }

  /**
   * @param {string} kind of the error that caused the retry
   * @param {string} advice may be empty
   */
  retrying(kind, advice) {
    this.#failures.add(kind);
    if (kind === NO_PORT && !this.#hasWarnedOfPorts) {
      this.#hasWarnedOfPorts = true;
      this.#screen.err(OUT_OF_PORTS);
    }
    if (advice !== '' && !this.#hasWarnedOfTimeout) {
      this.#hasWarnedOfTimeout = true;
      this.#screen.err(
        `warning: ${this.#stage}: attempts time out while their objects are still in transit: ${advice}`,
      );
    }
  }

  /**
   * @param {string} stage
   * @param {string} message
   */
  integrityError(stage, message) {
    this.#showError(`${stage}: integrity error: ${message}`);
  }

  /**
   * @param {string} stage
   * @param {FailedOperation} operation
   * @param {string} message
   */
  failed(stage, { bucket, key, attempts }, message) {
    const tries = attempts === 1 ? '' : ` after ${attempts} attempts`;
    this.#showError(`${stage}: ${bucket}/${plainLine(redact(key))} failed${tries}: ${message}`);
  }

  progress() {
    this.#failures.check();
  }

  /** @param {StageResult} result */
  stage(result) {
    this.#failures.flush();
    const { stage, end, kinds, skipped, abandoned, search, ramp, keys, averageKeys, stability } = result;
    if (averageKeys !== undefined) {
      this.notice(`${stage}: ${keys} keys, ${averageKeys.toFixed(1)} keys/s`);
    }
    stageFindings(result).forEach((finding) => this.notice(`${stage}: ${finding}`));
    if (stability !== undefined) {
      this.notice(`${stage}: ${stabilityLine(stability)}`);
    }
    if (skipped > 0) {
      this.#screen.err(
        kinds === undefined
          ? `${stage}: ${skipped} objects were skipped because they had not been written`
          : `${stage}: ${skipped} operations were skipped because they found no object`,
      );
    }
    // Every step of a search cuts off operations at its end, so their number is meaningless.
    if (abandoned > 0 && search === undefined) {
      const whole = ramp === undefined ? 'the stage' : 'their step';
      this.#screen.err(`${stage}: ${abandoned} operations were cut off at the end of ${whole}`);
    }
    bucketFindings(result.buckets).forEach((finding) => this.#screen.err(`${stage}: ${finding}`));
    if (end === 'stalled') {
      const advice = this.#hasWarnedOfTimeout ? 'use a longer --timeout' : 'check that the store is still reachable';
      this.#screen.err(`${stage}: ended because operations stopped succeeding: ${advice}`);
    }
    if (end === 'unpaid') {
      this.#screen.err(`${stage}: ended because --max-cost was reached: raise it, or use a shorter --duration`);
    }
    if (end === 'overloaded') {
      this.#screen.err(
        `${stage}: ended because operations started more than 10 s late: lower --rate or --speed, or use more threads`,
      );
    }
  }

  /** @param {string} message */
  warning(message) {
    this.#screen.err(`warning: ${message}`);
  }

  /** @param {Pick<RunResult, 'stages'>} run */
  runEnds({ stages }) {
    const colos = coloLine(stages);
    if (colos !== null) {
      this.notice(`Cloudflare data centres that responded: ${colos}`);
    }
  }

  close() {
    this.#phases.close();
  }

  /** @param {CleanupProgress} progress */
  cleanupProgress(progress) {
    if (!this.#quiet) {
      this.#cleanup.show(formatCleanupProgress(progress), progress.silence);
    }
  }

  /** @param {string} message */
  notice(message) {
    if (!this.#quiet) {
      this.#screen.err(message);
    }
  }

  /** @param {string} line */
  #showError(line) {
    this.#errorsShown += 1;
    if (this.#errorsShown <= MAX_SHOWN_PER_STAGE) {
      this.#screen.err(line);
    } else if (this.#errorsShown === MAX_SHOWN_PER_STAGE + 1) {
      this.#screen.err('(further errors in this stage are counted but not shown)');
    }
  }
}

/** @type {ListeningReporter} */
export const consoleReporter = { listen: (context) => new Console(context) };
