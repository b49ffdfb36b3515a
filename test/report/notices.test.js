import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noticeReporter } from '../../lib/report/notices.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

function prepare() {
  const context = { time: 0, told: /** @type {string[]} */ ([]) };
  const listener = noticeReporter.listen({
    screen: {
      out() {},
      err: (line) => context.told.push(line),
      live() {},
      draw() {},
      look: { columns: 80, rows: 24, isUnicode: true, hasColour: true },
      isLive: false,
      logIsOnTerminal: true,
    },
    config: runConfig(NO_TARGET),
    ...{ quiet: false, logFile: null, stdoutIsTaken: false, hasView: false, now: () => context.time },
  });
  listener.stageStarts?.({
    ...{ stage: 'Write', objects: 9, threads: 1, buckets: 1, bytesPerOperation: 0, duration: null },
  });
  const progress = () => listener.progress?.(0, { moved: 0, underWay: 0 });
  return { listener, progress, context };
}

test('failures of one second share a notice, most frequent first', () => {
  const { listener, progress, context } = prepare();
  ['timeout', 'connect', 'connect'].forEach((kind) => listener.retrying?.(kind, ''));
  context.time = 999;
  progress();
  assert.deepEqual(context.told, []);
  context.time = 1000;
  progress();
  progress();
  assert.deepEqual(context.told, ['Write: 3 attempts failed and were retried: could not connect 2, timeout 1']);
});

test('a storm gives a notice every ten seconds, with each failure once', () => {
  const { listener, progress, context } = prepare();
  for (; context.time < 25_000; context.time += 250) {
    listener.retrying?.('throttled', '');
    progress();
  }
  listener.stage?.(finishedStage({ operations: [{ after: 50 }] }));
  const counts = context.told.map((notice) => Number(/: (\d+) attempts?/.exec(notice)?.[1]));
  assert.deepEqual(counts, [5, 40, 40, 15]);
});
