import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interleavedPage } from '../../lib/report/html/interleaved-page.js';
import { reportPage } from '../../lib/report/html/report-page.js';
import { comparisonPage } from '../../lib/report/html/comparison-page.js';
import { formatMergeBlocks } from '../../lib/report/merge-text.js';
import { summaryReporter } from '../../lib/report/summary.js';
import { wayAnswer, wayLatency, wayNotes, wayRows } from '../../lib/report/ways.js';
import { runOfResult } from '../../lib/log/result-run.js';
import { mergeRuns } from '../../lib/merge/merge.js';
import { readResult } from '../../lib/model/read-result.js';
import { comparedRuns } from '../helpers/compared-runs.js';
import { runOfWay } from '../helpers/way-runs.js';

/**
 * @import { MergedResult } from '../../lib/merge/merge.js'
 * @import { Result, WayResult } from '../../lib/model/result.js'
 */

const HOUR = 3_600_000;

/** @param {Parameters<typeof runOfWay>[0]} run */
function resultOf(run) {
  return /** @type {Result} */ (readResult(runOfWay(run).json).result);
}

/** @param {readonly Result[]} results */
function merged(results) {
  const runs = results.map((result, index) => runOfResult(`${index}.json`, result, { keepsDetails: false }));
  return mergeRuns(runs).result;
}

/** @param {number} latency ms */
function operationsOf(latency) {
  return Array.from({ length: 20 }, () => ({ after: 100, latency }));
}

const DIRECT = resultOf({ way: 'direct', operations: operationsOf(12.5) });
const BINDING = resultOf({ way: 'binding', operations: operationsOf(4), delay: HOUR });
const THROUGH = resultOf({ way: 'through', operations: operationsOf(20), delay: 2 * HOUR });
const NEW = resultOf({ way: 'throughNew', operations: operationsOf(31), delay: 3 * HOUR });
const FOUR = merged([DIRECT, BINDING, THROUGH, NEW]);

/** @param {MergedResult} result */
function waysOf({ merge }) {
  return /** @type {readonly WayResult[]} */ (merge.ways);
}

/** @param {MergedResult} result */
function pageOf(result) {
  return [...reportPage(/** @type {any} */ (result))].join('');
}

/** @param {MergedResult} result */
function summaryOf(result) {
  return [...summaryReporter.format(result)].join('');
}

test('the answer is the median of the reads on each way', () => {
  const answer =
    'The median Read operation took 12.5 ms over the S3 API from here, 4 ms through the binding at the edge, ' +
    '20.0 ms through the Worker and 31.0 ms through the Worker with new connections.';
  assert.equal(wayAnswer(waysOf(FOUR)), answer);
  assert.ok(pageOf(FOUR).includes(`<h1>${answer}</h1>`));
  assert.ok(summaryOf(FOUR).startsWith(`## r2-benchmark: no problems\n\n${answer}\n`));
});

test('the answer is about the stage that most ways have', () => {
  const [direct, binding] = waysOf(FOUR);
  const withoutRead = (/** @type {WayResult} */ way) => ({ ...way, stages: [way.stages[0]] });
  assert.match(wayAnswer([withoutRead(direct), binding]), /^The median Write operation took 12\.5 ms over /);
  const unknown = { ...direct, client: null, stages: direct.stages.map((stage) => ({ ...stage, latency: null })) };
  assert.match(wayAnswer([unknown, binding]), /took an unknown time over an unknown access path and 4 ms through /);
});

test('rows of a stage are together, followed by those of its operations', () => {
  const [direct, binding] = waysOf(FOUR).map((way) => {
    const [stage, other] = way.stages;
    const kinds = ['read', 'write'].map((operation) => ({ ...other, operation }));
    return { ...way, stages: [{ ...stage, stage: 'Mixed', kinds }, other] };
  });
  assert.deepEqual(
    wayRows([direct, binding]).map(({ way, heading }) => [heading, way.client]),
    ['Mixed', 'Mixed: read', 'Mixed: write', 'Read'].flatMap((heading) => [
      [heading, 'direct'],
      [heading, 'edge'],
    ]),
  );
});

test('a latency is shown no finer than its clock', () => {
  const coarse = { client: 'edge', through: false, keepAlive: null, clockResolution: 1 };
  assert.deepEqual(
    [0, 1, 5.003, 1234.4].map((ms) => wayLatency(ms, coarse)),
    ['<1', '1', '5', '1,234'],
  );
  // A mean comes from many values.
  assert.equal(wayLatency(5.24, coarse, true), '5.24');
  assert.equal(wayLatency(5.003, { ...coarse, clockResolution: null }), '5.00');
});

test('notes say whether the ways were measured at the same time', () => {
  const apart = /different times, so the totals/;
  const together = /may have slowed each other down/;
  const notes = (/** @type {readonly Result[]} */ results) => wayNotes(waysOf(merged(results))).join(' ');
  const meanwhile = resultOf({ way: 'through', operations: operationsOf(20), host: 'fra-2' });
  assert.match(notes([DIRECT, BINDING]), apart);
  assert.doesNotMatch(notes([DIRECT, BINDING]), together);
  assert.match(notes([DIRECT, meanwhile]), together);
  assert.doesNotMatch(notes([DIRECT, meanwhile]), apart);
  assert.match(notes([DIRECT, BINDING, meanwhile]), apart);
  assert.match(notes([DIRECT, BINDING, meanwhile]), together);
  assert.match(notes([DIRECT, BINDING]), /from the Worker's clock/);
  assert.doesNotMatch(notes([DIRECT, THROUGH]), /from the Worker's clock/);
});

test('the text of a merge has a table of the ways, and no advice to start them together', () => {
  const text = formatMergeBlocks(FOUR);
  const [block] = text.split('\n\n').filter((each) => each.includes('Access paths'));
  const [title, head, stage, ...lines] = block.trim().split('\n');
  assert.equal(title, 'Access paths, latencies in ms');
  assert.match(head, /^ +operations +ops\/s +fastest +average +p50 +p90 +p95 +p99 +p99\.9 +slowest +failed$/);
  assert.equal(stage, '  Write');
  assert.deepEqual(
    lines.slice(0, 4).map((line) =>
      line
        .trim()
        .split(/ {2,}/)
        .filter((_, index) => index !== 2),
    ),
    [
      [
        'S3 API from here (direct), connections reused',
        '20',
        '12.5',
        '12.5',
        '12.5',
        '12.5',
        '12.5',
        '12.5',
        '12.5',
        '12.5',
        '0',
      ],
      ['Binding at the edge, latencies in steps of 1 ms', '20', '4', '4.00', '4', '4', '4', '4', '4', '4', '0'],
      [
        'Through the Worker, connections reused',
        '20',
        '20.0',
        '20.0',
        '20.0',
        '20.0',
        '20.0',
        '20.0',
        '20.0',
        '20.0',
        '0',
      ],
      [
        ...['Through the Worker, connections new for each request', '20'],
        ...['31.0', '31.0', '31.0', '31.0', '31.0', '31.0', '31.0', '31.0', '0'],
      ],
    ],
  );
  assert.equal(lines[4], '  Read');
  assert.doesNotMatch(text, /--start-at/);
});

test('the page for a CI job has a row per stage and way', () => {
  const [, section] = summaryOf(FOUR).split('### Access paths\n\n');
  const rows = section.split('\n\n')[0].split('\n').slice(2);
  assert.equal(rows.length, 8);
  assert.match(
    rows[5],
    /^\| Read \| Binding at the edge, latencies in steps of 1 ms \| 20 \| [\d.]+ \| 4ms \| 4\.00ms \| 4ms /,
  );
  assert.match(section, /\n\n### All access paths together\n\n\| Stage \|/);
});

test('hosts that all use one way have no such table', () => {
  const other = resultOf({ way: 'direct', operations: operationsOf(5), host: 'fra-2', shard: { index: 1, count: 2 } });
  const result = merged([DIRECT, other]);
  const shown = [pageOf(result), summaryOf(result), formatMergeBlocks(result)];
  shown.forEach((text) => assert.doesNotMatch(text, /Access paths|id="ways"/));
});

test('a hostile client is plain text', () => {
  const client = '<img src=x onerror=alert(1)>|`# \u202e';
  const result = merged([DIRECT, withClient(BINDING, client)]);
  const page = pageOf(result);
  assert.ok(page.includes('S3 API from here (&lt;img src=x onerror=alert(1)&gt;|`# \\u{202e})'));
  assert.doesNotMatch(page, /<img/);
  const [, row] = summaryOf(result).split('### Access paths')[1].split('\n| Write |').map(String);
  assert.ok(row !== undefined);
  assert.match(summaryOf(result), /\(&lt;img src=x onerror=alert\(1\)&gt;\\\|\\`\\#/);
  assert.ok(formatMergeBlocks(result).includes('(<img src=x onerror=alert(1)>|`# \\u{202e})'));
});

/**
 * @param {Result} result of a single host
 * @param {string} client
 * @returns {Result}
 */
function withClient({ hosts: [host], ...result }, client) {
  const options = { ...host.options, client: /** @type {any} */ (client) };
  return { ...result, options, hosts: [{ ...host, options }] };
}

test('the page of a comparison shows two ways, but not a single one', () => {
  const { comparison } = comparedRuns();
  const page = [...comparisonPage(comparison, DIRECT, BINDING)].join('');
  assert.match(page, /<h2 id="ways-title">Access paths<\/h2>/);
  assert.match(page, /Binding at the edge/);
  assert.doesNotMatch([...comparisonPage(comparison, DIRECT, DIRECT)].join(''), /Access paths/);
});

test('the page of two set-ups that took turns has ways and ratios, and hostile options as text', () => {
  const { comparison } = comparedRuns();
  const page = [
    ...interleavedPage(
      /** @type {any} */ ({
        ...comparison,
        before: { name: '--client <b>' },
        after: { name: '' },
        quads: [{ order: 'ABBA' }, { order: 'BAAB' }],
        quadsPlanned: 3,
        problems: ['B: <script>'],
        ways: waysOf(FOUR),
      }),
    ),
  ].join('');
  assert.match(page, /<h1>With B instead of A, Write is faster \(1\.300 times the rate\), Read: cannot tell\.<\/h1>/);
  assert.match(page, /A is --client &lt;b&gt;, B is no options of its own/);
  assert.match(page, /2\s+of\s+3\s+quads\s+were\s+completed,\s+each\s+with\s+four\s+turns:\s+ABBA\s+BAAB\./);
  assert.match(page, /B: &lt;script&gt;/);
  assert.match(page, /Write: B ÷ A/);
  assert.match(page, /id="ways"/);
  assert.equal(page.match(/<circle/g)?.length, 4);
});
