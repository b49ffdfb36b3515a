import { createHash } from 'node:crypto';

/**
 * @import { Config } from '../model/config.js'
 * @import { RunFacts, StageResult } from '../model/result.js'
 * @import { Span } from './metric.js'
 */

const TRACE_ID_DIGITS = 32;
const SPAN_ID_DIGITS = 16;

/**
 * The spans of a run: one for it as a whole, and one for each stage. All hosts of a run are in one trace, without a word between
 * them, because its id follows from the run id.
 */
export class RunSpans {
  #config;
  #host;
  #epochNow;
  #add;
  #traceId;
  #runSpanId;
  #beganAt;
  #stages = 0;

  /**
   * @param {object} options
   * @param {Config} options.config
   * @param {string} options.host
   * @param {() => number} options.epochNow epoch ms
   * @param {(span: Span) => void} options.add takes a span that is over
   */
  constructor({ config, host, epochNow, add }) {
    this.#config = config;
    this.#host = host;
    this.#epochNow = epochNow;
    this.#add = add;
    this.#beganAt = epochNow();
    this.#traceId = digitsOf(`run ${config.objects.runId}`, TRACE_ID_DIGITS);
    this.#runSpanId = this.#spanId('run');
  }

  /** @param {RunFacts} facts */
  runStarts({ start }) {
    this.#beganAt = Math.min(this.#beganAt, Date.parse(start));
  }

  /** @param {StageResult} result */
  stage(result) {
    const { stage, end, startedAt, endedAt, operations, bytes, failed, integrityErrors, threads } = result;
    this.#stages += 1;
    this.#add({
      name: stage,
      traceId: this.#traceId,
      spanId: this.#spanId(`stage ${this.#stages}`),
      parentSpanId: this.#runSpanId,
      startedAt,
      endedAt,
      attributes: {
        'r2_benchmark.run.id': this.#config.objects.runId,
        'r2_benchmark.stage': stage,
        'r2_benchmark.threads': threads,
        'r2_benchmark.operations': operations,
        'r2_benchmark.bytes': bytes,
        'r2_benchmark.failed': failed + integrityErrors,
        'r2_benchmark.bottleneck': result.bottleneck.cause,
      },
      problem: end === 'complete' ? null : `the stage ended early: ${end}`,
    });
  }

  /** @param {number | null} exitStatus null where the run broke off */
  runEnds(exitStatus) {
    const { objects, load } = this.#config;
    this.#add({
      name: 'r2-benchmark',
      traceId: this.#traceId,
      spanId: this.#runSpanId,
      parentSpanId: null,
      startedAt: this.#beganAt,
      endedAt: this.#epochNow(),
      attributes: {
        'r2_benchmark.run.id': objects.runId,
        'r2_benchmark.objects': objects.count,
        'r2_benchmark.threads': load.threads,
        'r2_benchmark.object.size': objects.size,
        'r2_benchmark.client': load.client,
        ...(exitStatus === null ? {} : { 'r2_benchmark.exit_status': exitStatus }),
      },
      problem: exitStatus === 0 ? null : exitStatus === null ? 'the run broke off' : `exit status ${exitStatus}`,
    });
  }

  /** @param {string} part of the run */
  #spanId(part) {
    const { runId, shard } = this.#config.objects;
    return digitsOf(
      `${part} of ${runId} on ${this.#host} ${shard.index}/${shard.count} ${this.#beganAt}`,
      SPAN_ID_DIGITS,
    );
  }
}

/**
 * @param {string} text
 * @param {number} length
 * @returns {string} hexadecimal digits, which never are all zeros: that would be no id
 */
function digitsOf(text, length) {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
