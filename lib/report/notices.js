import { bucketFindings } from '../result/bottleneck/bucket-findings.js';
import { counted, decimal, rounded } from '../text/figures.js';
import { plainLine } from '../text/plain-text.js';
import { redact } from '../text/redact.js';
import { sizeRange } from '../text/units.js';
import { sizesText } from '../load/workload/size-distribution.js';
import { coloLine, formatErrors, stageFindings } from './stage-findings.js';
import { costLine } from './cost-line.js';
import { formatCleanupProgress, phaseProgress, taskProgress } from './progress.js';

/** @import { Listener, ListeningReporter, ReporterContext } from './reporter.js' */

/** Errors shown per stage; the log counts them all. */
const MAX_SHOWN_PER_STAGE = 100;

/** The kind of error on a host without a free port; see s3-error.js. */
const NO_PORT = 'no-port';

const OUT_OF_PORTS =
  'warning: this host has run out of local ports (EADDRNOTAVAIL), so operations that need a new connection must wait: omit --no-keep-alive, use fewer threads, or widen net.ipv4.ip_local_port_range';

/** Failures this close together share one notice. */
const GATHER_MS = 1000;

/** Minimum time between two notices. */
const PAUSE_MS = 10_000;

/** Why stages end early, and what to do. @type {Readonly<Record<string, string>>} */
const EARLY_ENDS = {
  unpaid: '--max-cost was reached: raise it, or use a shorter --duration, or --for in a replay',
  overloaded: 'operations started more than 10 s late: lower --rate or --speed, or use more threads',
};

/**
 * Shows the progress, notices and errors of a run on stderr. The log is in log.js.
 *
 * @param {ReporterContext} context
 * @returns {Required<Pick<Listener, 'notice' | 'close'>> & Listener}
 */
function noticesOf({ screen, config, quiet, now }) {
  const phases = phaseProgress(screen, now);
  const showCleanup = taskProgress(screen, now);
  let { objects } = config;
  let isNamed = false;
  let current = '';
  let errorsShown = 0;
  let hasWarnedOfPorts = false;
  let hasWarnedOfTimeout = false;
  /** Retried attempts without a notice, by kind of error. @type {Map<string, number>} */
  const retried = new Map();
  let noticeAt = 0;
  let noticedAt = -Infinity;

  const notice = (/** @type {string} */ message) => {
    if (!quiet) {
      screen.err(message);
    }
  };
  const runIsNamed = () => {
    if (isNamed) {
      return;
    }
    isNamed = true;
    const { count, runId, size, sizes, prefix, existing } = objects;
    const where = existing === undefined ? `under ${prefix}/${runId}/` : 'that already exist; nothing is written';
    const sizeOfObjects = existing === undefined ? sizesText({ size, sizes }) : sizeRange(0, size);
    screen.err(
      `Run ${runId}: ${counted(count, 'object')} of ${sizeOfObjects} in ${config.store.buckets.join(', ')} ${where}`,
    );
    const cost = costLine({ ...config, objects });
    if (cost !== null) {
      notice(cost);
    }
  };
  const showError = (/** @type {string} */ line) => {
    errorsShown += 1;
    if (errorsShown <= MAX_SHOWN_PER_STAGE) {
      screen.err(line);
    } else if (errorsShown === MAX_SHOWN_PER_STAGE + 1) {
      screen.err('(further errors in this stage are counted but not shown)');
    }
  };
  /** Reports why retried attempts failed; the log has only their number. */
  const noticeRetries = () => {
    if (retried.size === 0) {
      return;
    }
    const errors = Object.fromEntries([...retried].sort(([, one], [, other]) => other - one));
    const attempts = Object.values(errors).reduce((sum, count) => sum + count, 0);
    retried.clear();
    noticedAt = now();
    const were = attempts === 1 ? 'was' : 'were';
    notice(`${current}: ${counted(attempts, 'attempt')} failed and ${were} retried: ${formatErrors(errors)}`);
  };

  return {
    notice,
    runIsNamed,
    phaseStarts: (phase) => quiet || phases.start(phase),
    phaseEnds: (phase) => phases.end(phase),
    runStarts({ options: { objects: count, size } }) {
      objects = objects.existing === undefined ? objects : { ...objects, count: Number(count), size: Number(size) };
      runIsNamed();
    },
    stageStarts({ stage }) {
      current = stage;
      hasWarnedOfTimeout = false;
      errorsShown = 0;
      noticedAt = -Infinity;
    },
    retrying(kind, advice) {
      if (retried.size === 0) {
        noticeAt = Math.max(now() + GATHER_MS, noticedAt + PAUSE_MS);
      }
      retried.set(kind, (retried.get(kind) ?? 0) + 1);
      if (kind === NO_PORT && !hasWarnedOfPorts) {
        hasWarnedOfPorts = true;
        screen.err(OUT_OF_PORTS);
      }
      if (advice !== '' && !hasWarnedOfTimeout) {
        hasWarnedOfTimeout = true;
        screen.err(`warning: ${current}: attempts time out while their objects are still in transit: ${advice}`);
      }
    },
    integrityError: (stage, message) => showError(`${stage}: integrity error: ${message}`),
    failed(stage, { bucket, key, attempts }, message) {
      const tries = attempts === 1 ? '' : ` after ${rounded(attempts)} attempts`;
      showError(`${stage}: ${bucket}/${plainLine(redact(key))} failed${tries}: ${message}`);
    },
    progress() {
      if (now() >= noticeAt) {
        noticeRetries();
      }
    },
    stage(result) {
      noticeRetries();
      const { stage, end, skipped, abandoned, search, keys, averageKeys } = result;
      const notices = [
        ...(typeof averageKeys !== 'number' ? [] : [`${counted(Number(keys), 'key')}, ${decimal(averageKeys)} keys/s`]),
        ...stageFindings(result),
      ];
      const stalled = hasWarnedOfTimeout ? 'use a longer --timeout' : 'check that the store is still reachable';
      const early = end === 'stalled' ? `operations stopped succeeding: ${stalled}` : EARLY_ENDS[String(end)];
      const warnings = [
        ...(skipped > 0 ? [`${counted(skipped, 'operation')} skipped: no object was there`] : []),
        // Every step of a search cuts off operations at its end, so their number is meaningless.
        ...(abandoned > 0 && search === undefined ? [`${counted(abandoned, 'operation')} cut off at the end`] : []),
        ...bucketFindings(result.buckets),
        ...(early === undefined ? [] : [`ended because ${early}`]),
      ];
      notices.forEach((text) => notice(`${stage}: ${text}`));
      warnings.forEach((text) => screen.err(`${stage}: ${text}`));
    },
    warning: (message) => screen.err(`warning: ${message}`),
    runEnds({ stages }) {
      const colos = coloLine(stages);
      if (colos !== null) {
        notice(`Cloudflare data centres that responded: ${colos}`);
      }
    },
    cleanupProgress: (progress) => quiet || showCleanup(formatCleanupProgress(progress), progress.silence),
    close: () => phases.close(),
  };
}

/** @satisfies {ListeningReporter} */
export const noticeReporter = { listen: noticesOf };
