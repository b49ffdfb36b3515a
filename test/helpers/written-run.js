import { RunLog } from '../../lib/result/log/run-log.js';
import { jsonOf } from './result-schema.js';

/** @import { RunFacts, StageResult } from '../../lib/result/result.js' */

/**
 * @param {RunFacts} facts
 * @param {readonly StageResult[]} stages
 * @returns {{ json: string, log: string }} the run's --json and --log
 */
export function writtenRun(facts, stages) {
  /** @type {string[]} */
  const lines = [];
  const write = (/** @type {string} */ line) => lines.push(`${line}\n`);
  const log = new RunLog({ writeLine: write, writeMachineLine: write });
  log.runStarts(facts);
  for (const stage of stages) {
    log.stageStarts({ stage: stage.stage, objects: stage.objects, threads: 4, buckets: 2 });
    stage.seconds.forEach((second) => log.second({ stage: stage.stage, ...second }));
    log.stage(stage);
  }
  const requests = { preflight: 1, clock: 20, probe: 0, cleanup: 0 };
  log.runEnds({ stages: [...stages], problems: [], crash: null, cleanup: null, requests });
  return { json: jsonOf({ facts, stages, requests }), log: lines.join('') };
}
