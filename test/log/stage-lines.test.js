import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatencyHistogram } from '../../lib/meter/latency-histogram.js';
import { stageLines, stageTable } from '../../lib/log/stage-lines.js';
import { finishedStage } from '../helpers/finished-stage.js';

const TEN_STRAIGHT = Array.from({ length: 10 }, () => ({ after: 50 }));

test('the summary of a stage has the shape of the original tool, blanks included', () => {
  const [summary] = stageLines(finishedStage({ operations: TEN_STRAIGHT }));
  assert.equal(summary, 'Write took 500ms. Peak ops 20.0/s Avg ops 20.0/s  Total size 0.2MB  Recoverable errors 0');
});

test('recoverable errors are retried attempts', () => {
  const operations = [
    { after: 50, failures: ['throttled', 'timeout'] },
    { after: 50, failures: ['connect'] },
  ];
  const [summary] = stageLines(finishedStage({ name: 'Read', operations }));
  assert.match(summary, /^Read took 100ms\. .* {2}Recoverable errors 3$/);
});

test('without retries, one latency line is enough', () => {
  const lines = stageLines(finishedStage({ operations: TEN_STRAIGHT }));
  assert.deepEqual(
    lines.filter((line) => line.includes('latency') && line.includes('p50')),
    [
      'Write latency (closed loop): min 50.00ms mean 50.00ms p50 50.00ms p90 50.00ms p95 50.00ms p99 50.00ms p99.9 50.00ms max 50.00ms',
    ],
  );
});

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

test('connections are reported with the time to open one', () => {
  const cost = { count: 2, minimum: 1, mean: 2, p50: 2.5, p90: 3, p95: 3, p99: 3, p999: 3, maximum: 4.25 };
  const connections = { opened: 2, reused: 8, lookupTime: 1.2, tcp: cost, tls: cost };
  const lines = stageLines(finishedStage({ operations: TEN_STRAIGHT }, { connections }));
  assert.ok(
    lines.includes(
      'Write connections: opened 2 reused 8 name 1.20ms TCP p50 2.50ms max 4.25ms TLS p50 2.50ms max 4.25ms',
    ),
    lines.join('\n'),
  );
});

test('the last line of a stage has its bottleneck, the evidence and the advice', () => {
  const lines = stageLines(finishedStage({ operations: TEN_STRAIGHT }));
  assert.equal(
    lines.at(-1),
    'Write limited by: inconclusive (10 operations are too few to show a limit; try more <objects>)',
  );
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

test('a read reports its time to first byte', () => {
  const result = finishedStage({ name: 'Read', operations: TEN_STRAIGHT });
  const firstByte = new LatencyHistogram();
  firstByte.record(3);
  result.latency.firstByte = firstByte.summary();
  assert.ok(stageLines(result).some((line) => line.startsWith('Read time to first byte: min 3.00ms ')));
});

test('the table has a header and one row per stage', () => {
  const results = [
    finishedStage({ operations: TEN_STRAIGHT }),
    finishedStage({ name: 'Read', operations: [{ after: 100, failures: ['timeout', 'connect'] }] }),
  ];
  assert.deepEqual(stageTable(results), [
    'Stage         Ops      Ops/s     Peak/s      MiB/s Peak MiB/s        p50        p99    Errors  Limited by',
    'Write          10       20.0       20.0        0.3        0.3    50.00ms    50.00ms         0  inconclusive',
    'Read            1       10.0       10.0        0.2        0.2   100.00ms   100.00ms         2  inconclusive',
  ]);
});

test('attempts cut off by the end of the stage are not errors in its row', () => {
  const operations = [{ after: 100, failures: ['timeout', 'abandoned', 'abandoned'] }];
  const [, row] = stageTable([finishedStage({ operations })]);
  assert.match(row, / 1 {2}inconclusive$/);
});
