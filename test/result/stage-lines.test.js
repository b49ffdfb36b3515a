import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatencyHistogram } from '../../lib/measure/latency-histogram.js';
import { stageLines } from '../../lib/result/log/stage-lines.js';
import { finishedStage } from '../helpers/finished-stage.js';

const TEN_STRAIGHT = Array.from({ length: 10 }, () => ({ after: 50 }));

test('failed attempts add a latency line of their own', () => {
  const operations = [...TEN_STRAIGHT, { after: 50, failures: ['timeout'] }];
  const lines = stageLines(finishedStage({ operations })).filter(
    (line) => line.includes('latency') && line.includes('p50'),
  );
  assert.equal(lines.length, 2);
  assert.match(lines[1], /^Write attempt latency: min 1\.00ms /);
});

test('a stage without a success has no latency but still a summary', () => {
  const lines = stageLines(finishedStage({ operations: [], rest: 100 }));
  assert.equal(lines[0], 'Write took 100ms. Peak ops 0.0/s Avg ops 0.0/s  Total size 0.0MB  Recoverable errors 0');
  assert.deepEqual(
    lines.filter((line) => line.includes('latency') && line.includes('p50')),
    [],
  );
});

test('integrity errors have a line only if there are any', () => {
  const lines = stageLines(finishedStage({ operations: TEN_STRAIGHT }, { integrityErrors: 2 }));
  assert.ok(lines.includes('Write: 2 integrity errors'));
  assert.ok(!stageLines(finishedStage({ operations: TEN_STRAIGHT })).some((line) => line.includes('integrity')));
});

test('an open loop adds lines for attempts and start delays', () => {
  const load = /** @type {const} */ ({ mode: 'open loop', rate: 20, arrival: 'constant' });
  const result = finishedStage({ operations: TEN_STRAIGHT });
  const startDelay = new LatencyHistogram();
  startDelay.record(1.5);
  result.latency.startDelay = startDelay.summary();
  const lines = stageLines({ ...result, load }).filter((line) => line.includes('p50'));
  assert.deepEqual(
    lines.map((line) => line.slice(0, line.indexOf(':'))),
    ['Write latency (open loop)', 'Write start delay', 'Write attempt latency'],
  );
});
