import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { readCommandLine } from '../../lib/cli/command-line.js';
import { resolve } from '../../lib/options/resolve.js';
import { shellWords } from '../../lib/text/shell-words.js';
import { resultOf } from '../../lib/result/result-of-run.js';
import { shownComparison } from '../../lib/report/compare-text.js';
import { comparisonPage } from '../../lib/report/html/comparison-page.js';
import { commandOf } from '../../lib/options/recorded-options.js';
import { reportPage } from '../../lib/report/html/report-page.js';
import { runFacts } from '../../lib/run/benchmark-run.js';
import { comparedRuns } from '../helpers/compared-runs.js';
import { finishedStage } from '../helpers/finished-stage.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @import { Result, StageResult } from '../../lib/result/result.js' */

const { store } = runConfig(NO_TARGET);

const FACTS = runFacts({
  config: runConfig(NO_TARGET, { store: { ...store, isEmbedded: false } }),
  host: 'fra-1',
  startedAt: 0,
  clock: { offset: 2, uncertainty: 1 },
  versions: { node: '20.0.0' },
});

/**
 * @param {Partial<StageResult>} [stage] changes to its stage
 * @param {Partial<Result>} [overrides] changes to the result
 * @returns {Result}
 */
function runWith(stage = {}, overrides = {}) {
  const finished = finishedStage({ operations: Array.from({ length: 30 }, () => ({ after: 100, latency: 8 })) }, stage);
  const requests = { preflight: 0, clock: 0, probe: 0, cleanup: 0 };
  const run = { facts: FACTS, problems: [], stages: [finished], cleanup: null, requests, crash: null };
  return { ...resultOf(run), ...overrides };
}

/** @param {Result} result */
function pageOf(result) {
  return [...reportPage(result)].join('');
}

/** @param {string} page */
function answerIn(page) {
  const [, heading = ''] = /<h1>(.*?)<\/h1>/s.exec(page) ?? [];
  return heading.replace(/<[^>]*>/g, '').trim();
}

test('the policy of a page allows its content by hash, and no requests', () => {
  const page = pageOf(runWith());
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
  const inline = [...page.matchAll(/<(?:style|script(?: type="module")?)>([^]*?)<\/(?:style|script)>/g)].map(
    ([, text]) => text,
  );
  assert.equal(inline.length, 3);
  for (const text of inline) {
    assert.ok(policy.includes(`'sha256-${createHash('sha256').update(text).digest('base64')}'`));
  }
  assert.match(policy, /^default-src 'none'; /);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.doesNotMatch(page.replace(/<(style|script)[^]*?<\/\1>/g, ''), /\b(src|srcset|style|on\w+)=/);
});

test('the answer is the rates and the bottlenecks', () => {
  const run = runWith({ bottleneck: { cause: 'store', certainty: 'proven', evidence: 'e', advice: null } });
  assert.match(String(answerIn(pageOf(run))), /^Write \d+\.\d ops\/s, p99 8\.0\d ms, limited by the store$/);
  const [write] = run.stages;
  const both = { ...run, stages: [write, { ...write, stage: 'Read', bottleneck: null }] };
  assert.match(
    String(answerIn(pageOf(both))),
    /^Write [\d.]+ ops\/s, p99 [^,]+, limited by the store Read [\d.]+ ops\/s, p99 [^,]+, limit unknown$/,
  );
  assert.equal(answerIn(pageOf({ ...run, stages: [] })), 'Nothing was measured');
});

const STEP = {
  ...{ phase: /** @type {const} */ ('ramp'), threads: 4, objectSize: 1000, startedAt: 0, endedAt: 1, operations: 9 },
  ...{
    operationsPerSecond: 900,
    seconds: 1,
    p50: 4,
    p99: 9,
    errors: 0,
    throttled: 0,
    failed: 0,
    eventLoopUtilization: 0.1,
  },
};
const SEARCH = {
  steps: [STEP, { ...STEP, threads: 8 }],
  knee: 4,
  hasPlateau: true,
  best: 900,
  operationsNeeded: null,
};
const CAPACITY = { operationsPerSecond: 905, low: 900, high: 910, confidence: 0.95, threads: 8, seconds: 10 };

test('a search is answered by its capacity, with the interval, whatever it varied', () => {
  const threads = pageOf(runWith({ search: { ...SEARCH, capacity: CAPACITY } }));
  assert.match(
    String(answerIn(threads)),
    /^Write capacity 905\.0 ops\/s from 8 threads \(95% interval 900\.0 to 910\.0\), /,
  );
  assert.match(threads, /limit unknown; more than 4 threads were not faster\./);
  const none = pageOf(runWith({ search: { ...SEARCH, capacity: null } }));
  assert.match(none, /No capacity was found\./);
  const rate = {
    ...{ slo: 50, errorShare: 0.01, bound: /** @type {const} */ ('exact'), operationsPerSecond: 700 },
    ...{ interval: { low: 690, high: 710, confidence: null }, evidence: 'p99 up to 50.00ms' },
  };
  const highest = pageOf(runWith({ search: { ...SEARCH, capacity: null, rate, steps: [{ ...STEP, rate: 700 }] } }));
  assert.match(String(answerIn(highest)), /^Write 700\.0 ops\/s with a p99 of up to 50\.0 ms, /);
  assert.match(highest, /by\s+requested ops\/s/);
  const [, table] = highest.split(/<caption>\s+Results by stage\s+<\/caption>/);
  const cells = [...table.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell]) => cell.replace(/<[^>]*>/g, ''));
  assert.deepEqual(cells.slice(0, 2), ['700.0', '4'], 'the hold ran below the rate found');
  assert.ok(!cells.slice(0, 6).includes('8.00'));
});

test('a page shows thresholds, and what is missing above everything else', () => {
  const threshold = {
    ...{ expression: 'write.p99 < 5ms', stage: 'Write', metric: 'p99', value: 8, limit: 5 },
    ...{ unit: /** @type {const} */ ('ms'), outcome: /** @type {const} */ ('missed'), message: '8.00 ms' },
  };
  const page = pageOf(runWith({}, { thresholds: [threshold], problems: ['<b>'] }));
  assert.match(page, /write\.p99 &lt; 5ms/);
  assert.match(page, /<strong>Incomplete\.<\/strong>\s+&lt;b&gt;\./);
  assert.match(page, /<dt>Warning<\/dt>\s+<dd>&lt;b&gt;<\/dd>/);
  assert.doesNotMatch(pageOf(runWith()), /class="status"/);
});

test('the command reads back as the same run, whatever its load', () => {
  const sink = /** @type {any} */ ({ write: () => true });
  const read = (/** @type {string[]} */ words) =>
    /** @type {any} */ (readCommandLine(words, { stdout: sink, stderr: sink }).options);
  for (const line of [
    '20 4',
    '200 4 --mix read=70,write=20,remove=10 --access zipf:0.99 --duration 30s --warmup 5s',
    '200 4 --mix range=50,write=50 --range-size 512 --rate 5 --arrival poisson --duration 10s',
    '200 4 --mix read=70,write=30 --keep --size 4KiB..1MiB',
    '20 4 --size 20MiB --multipart --part-size 5MiB --part-threads 8 --stages write,read,remove',
    '20 4 --size 5GiB --part-size 1GiB --stages write,remove',
    '20 4 --stages write,range,list,batch-remove --range-size 1KiB --page-size 50 --batch 10 --access uniform',
    '20 4 --stages write,read,remove --duration 60s --gap 2s --size 4KiB=60,8MiB=40',
    '20 4 --ramp 1,2,4 --step-time 20s --gap 7s',
    "20 4 --existing 'it'\\''s/' --access zipf:1.2 --stages read,stat --duration 60s",
    "20 4 --existing '*'",
    '20 4 --local',
    "20 4 --local --faults 'status=503:3%,latency=lognormal:20ms:0.5'",
  ]) {
    const options = read(shellWords(line));
    const { local: isEmbedded, faults, given } = options;
    const asked = { ...store, isEmbedded, faults };
    const config = resolve(options, { store: asked, env: {}, availableCores: 1, now: 0, random: () => 0 });
    const facts = runFacts({ config, host: 'fra-1', startedAt: 0, clock: null, versions: {} });
    const [program, ...words] = shellWords(commandOf(facts.options));
    assert.equal(program, 'r2-benchmark');
    assert.deepEqual({ ...read(words), given }, options, commandOf(facts.options));
  }
});

test('the page of a comparison has differences first, then ratios and thresholds', () => {
  const { comparison } = comparedRuns();
  const thresholds = /** @type {any} */ ([
    { expression: 'read.rate > 0.9 * baseline', outcome: 'missed', message: 'it was 880/s' },
  ]);
  const mismatches = ['threads: 20 threads before, 30 threads after (Write)'];
  const page = [...comparisonPage(shownComparison({ ...comparison, mismatches, thresholds }))].join('');
  const sections = [...page.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, title]) => title.split(':')[0]);
  const stages = comparison.stages.map(({ stage }) => stage);
  assert.deepEqual(sections, ['Results', 'Differences between the runs', ...stages, 'Thresholds', 'How to read it']);
  assert.match(page, /Compared anyway \(--force\), despite a mismatch: threads: 20 threads before/);
  assert.match(page, /Only before: Stat\./);
  assert.match(page, /read\.rate &gt; 0\.9 \* baseline</);
});

test('a half-open interval is shown with its one end', () => {
  const { comparison } = comparedRuns();
  const [stage] = comparison.stages;
  const metrics = [{ ...stage.metrics[1], low: 1.2, high: null }];
  const page = [...comparisonPage(shownComparison({ ...comparison, stages: [{ ...stage, metrics }] }))].join('');
  assert.match(page, /1\.200 to any</);
});
