/**
 * @import { Result, SecondResult, StageSum } from './result.js'
 *
 * @typedef {Omit<StageSum, 'seconds'> & { seconds: Iterable<SecondResult> }} WritableStage
 * @typedef {Omit<Result, 'stages'> & { stages: readonly WritableStage[] }} WritableResult may generate seconds lazily
 */

const NO_STAGES = '\n  "stages": []';
const NO_SECONDS = '\n  "seconds": []';

/** The text is yielded in chunks that slightly exceed this many characters. */
const CHUNK_LENGTH = 64 * 1024;

/**
 * Writes a result as JSON, indented for people, except that each second takes a single line.
 *
 * @param {WritableResult} result
 * @returns {Generator<string, void, undefined>} several lines at a time
 */
export function* writeResult({ stages, ...rest }) {
  const [before, after] = JSON.stringify({ ...inOrder(rest), stages: [] }, null, 2).split(NO_STAGES);
  yield `${before}\n  "stages": [`;
  for (const [index, stage] of stages.entries()) {
    yield index === 0 ? '\n' : ',\n';
    yield* writeStage(stage);
  }
  yield `${stages.length === 0 ? '' : '\n  '}]${after}\n`;
}

/** Puts the fields that readers look for first at the top. @param {Omit<WritableResult, 'stages'>} result */
function inOrder({ format, merge, ...rest }) {
  return merge === undefined ? { format, ...rest } : { format, merge, ...rest };
}

/** @param {WritableStage} stage */
function* writeStage({ seconds, ...rest }) {
  const [before, after] = JSON.stringify({ ...rest, seconds: [] }, null, 2)
    .split(NO_SECONDS)
    .map(indented);
  let text = `    ${before}\n      "seconds": [`;
  let isFirst = true;
  for (const second of seconds) {
    text += `${isFirst ? '' : ','}\n        ${JSON.stringify(second)}`;
    isFirst = false;
    if (text.length > CHUNK_LENGTH) {
      yield text;
      text = '';
    }
  }
  yield `${text}${isFirst ? '' : '\n      '}]${after}`;
}

/** Indents the lines of a stage by four spaces. @param {string} text */
function indented(text) {
  return text.replaceAll('\n', '\n    ');
}
