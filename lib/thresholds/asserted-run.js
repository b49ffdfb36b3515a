/**
 * @import { WritableResult } from '../model/write-result.js'
 * @import { AssertedRun } from './read-thresholds.js'
 */

/**
 * @param {WritableResult} result
 * @returns {AssertedRun}
 */
export function stagesOf({ stages }) {
  const names = stages.flatMap(({ stage, kinds = [] }) => [
    stage.toLowerCase(),
    ...kinds.map(({ operation }) => `${stage.toLowerCase()}.${operation}`),
  ]);
  return { stages: names, mayHave: () => true };
}
