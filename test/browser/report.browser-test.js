import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { PROGRAM } from '../helpers/command.js';
import { assertAccessible, colouredPixels, openBrowser, openFile, tableIn } from '../helpers/browser.js';
import { longMerge } from '../helpers/long-merge.js';
import { resultInPage } from '../helpers/result-in-page.js';
import { comparedRuns } from '../helpers/compared-runs.js';
import { shownComparison, shownInterleaved } from '../../lib/report/compare-text.js';
import { comparisonPage } from '../../lib/report/html/comparison-page.js';
import { reportPage } from '../../lib/report/html/report-page.js';

/**
 * @import { Browser, Page } from 'playwright-core'
 */

const MEBIBYTE = 1024 ** 2;

/** Most bytes of a page, without the data of its result. */
const MAX_PAGE = 500_000;

/** @type {Browser} */
let browser;
let folder = '';

/** @param {string} command arguments of r2-benchmark */
function benchmark(command) {
  return promisify(execFile)(process.execPath, [PROGRAM, ...command.split(' ')], { cwd: folder, timeout: 300_000 });
}

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'report-'));
  browser = await openBrowser();
  const shards = [0, 1, 2].map((shard) =>
    benchmark(
      `4000 20 --local --faults latency=10ms --duration 3s --gap 1s --run-id three --shard ${shard}/3 --json host-${shard}.json --quiet`,
    ),
  );
  await Promise.all([
    ...shards,
    benchmark('2000 20 --local --json run.json --report run.html --quiet --faults status=503:3%'),
    benchmark(
      '2000 20 --local --faults latency=10ms --mix read=50,write=30,stat=10,remove=10 --duration 3s --json mix.json --report mix.html --quiet',
    ),
    benchmark(
      '24 4 --local --size 6MiB --multipart --part-size 5MiB --stages write,range,list,batch-remove --json kinds.json --report kinds.html --quiet',
    ),
    benchmark(
      '20000 64 --find-peak --stages write --local --faults queue=500,latency=20ms --json search.json --report search.html --quiet',
    ),
  ]);
  await benchmark('report host-0.json host-1.json host-2.json -o three.html');
  await benchmark('merge host-0.json host-1.json host-2.json --json three.json');
});

after(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

/** @param {string} name of a file */
async function resultIn(name) {
  return JSON.parse(await readFile(path.join(folder, name), 'utf8'));
}

/** @param {string} name of a file */
function open(name, options = {}) {
  return openFile(browser, path.join(folder, name), options);
}

/**
 * @param {Page} page
 * @param {string} id of a link
 * @returns {Promise<string>} the downloaded file
 */
async function download(page, id) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(`#${id}`)]);
  return readFile(await file.path(), 'utf8');
}

/** The figures of a stage in the table of stages. @param {any} stage */
function figuresOf({ peak, averageBytes, latency: { operations: latency }, operations, failedAttempts, duration }) {
  return {
    'Peak second ops/s': peak,
    'Throughput MiB/s': averageBytes || undefined,
    'p50 ms': latency.p50,
    'p90 ms': latency.p90,
    'p95 ms': latency.p95,
    'p99 ms': latency.p99,
    'p99.9 ms': latency.p999,
    'Longest ms': latency.maximum,
    Operations: operations,
    'Failed attempts': failedAttempts,
    'Time s': duration ?? '–',
  };
}

/**
 * @param {any} result
 * @returns {any[]} its stages, each followed by the operations that it mixes
 */
function rowsOf({ stages }) {
  return stages.flatMap((/** @type {any} */ stage) => [
    stage,
    ...(stage.kinds ?? []).map((/** @type {any} */ kind) => {
      return { ...kind, stage: `  ${kind.operation}`, duration: null };
    }),
  ]);
}

for (const [what, name] of [
  ['a run', 'run'],
  ['three hosts together', 'three'],
  ['a capacity search', 'search'],
  ['a mixed load', 'mix'],
  ['stages of other kinds', 'kinds'],
]) {
  describe(`the report of ${what}`, () => {
    test('opens without an error, a warning or a request, draws every chart, and is small apart from its data', async () => {
      const { page, findings } = await open(`${name}.html`);
      const pixels = await colouredPixels(page);
      assert.deepEqual(findings, []);
      assert.ok(Object.keys(pixels).length >= 4, Object.keys(pixels).join());
      const empty = Object.entries(pixels).filter(([, count]) => count < 20);
      assert.deepEqual(empty, []);
      await page.close();
      const [html, json] = await Promise.all(['html', 'json'].map((end) => stat(path.join(folder, `${name}.${end}`))));
      assert.ok(html.size - json.size < MAX_PAGE, `${html.size} with ${json.size} of the result`);
    });

    test('shows the figures of the result, and offers it for download', async () => {
      const { page, findings } = await open(`${name}.html`, { acceptDownloads: true });
      const result = await resultIn(`${name}.json`);
      const stages = rowsOf(result);
      const rows = await tableIn(page, 'stages');
      assert.deepEqual(
        rows.map((row) => row.Stage),
        stages.map((/** @type {any} */ { stage }) => stage),
      );
      for (const [index, stage] of stages.entries()) {
        for (const [title, value] of Object.entries(figuresOf(stage))) {
          const shown = rows[index][title];
          assert.equal(
            shown === '–' && title.startsWith('Throughput') ? undefined : shown,
            value,
            `${stage.stage} ${title}`,
          );
        }
      }
      assert.deepEqual(JSON.parse(await download(page, 'download-json')), resultInPage(result));
      assert.deepEqual(
        findings.filter((finding) => !finding.startsWith('request: blob:')),
        [],
      );
      await page.close();
    });

    test('is accessible', () => assertPageAccessible(name, 'light'));
  });
}

test('a report is accessible in dark', () => assertPageAccessible('mix', 'dark'));

/**
 * @param {string} name of a report, all of which is shown
 * @param {'light' | 'dark'} colorScheme
 */
async function assertPageAccessible(name, colorScheme) {
  const { page } = await open(`${name}.html`, { colorScheme });
  await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
  await assertAccessible(page);
  await page.close();
}

test('a search shows its steps in the table and its capacity in the answer', async () => {
  const { page } = await open('search.html');
  const [{ search }] = (await resultIn('search.json')).stages;
  const rows = await tableIn(page, 'capacity');
  assert.deepEqual(
    rows.map((row) => [row.threads, row['Rate ops/s'], row['p99 ms']]),
    search.steps.map((/** @type {any} */ { threads, operationsPerSecond, p99 }) => [threads, operationsPerSecond, p99]),
  );
  const answer = await page.textContent('h1');
  assert.ok(answer?.replace(',', '').includes(String(Math.floor(search.capacity.operationsPerSecond))), String(answer));
  await page.close();
});

test('each host of a merge has a row in the table', async () => {
  const { page } = await open('three.html');
  const { stages } = await resultIn('three.json');
  const shares = stages.flatMap((/** @type {any} */ { stage, merge }) =>
    merge.shares.map((/** @type {any} */ { host, operations, peak }) => [host, stage, operations, peak]),
  );
  const rows = await tableIn(page, 'hosts');
  assert.deepEqual(
    rows.map((row) => [row.Host, row.Stage, row.Operations, row['Own peak ops/s']]),
    shares,
  );
  await page.close();
});

test('charts print in light colours, even from a dark screen', async () => {
  const { page, findings } = await open('run.html', { colorScheme: 'dark' });
  const pdf = await page.pdf({ format: 'A4' });
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  assert.deepEqual(findings, []);
  await page.close();
});

test('the page of two set-ups in turns shows each ratio, and is accessible', async () => {
  const { comparison } = comparedRuns();
  const turns = { quads: [{ order: 'ABBA' }], quadsPlanned: 1, problems: [] };
  const stages = comparison.stages.map((stage) => ({ ...stage, failedAttempts: { a: 0, b: 1 } }));
  const file = path.join(folder, 'ab.html');
  await writeFile(
    file,
    [...comparisonPage(shownInterleaved(/** @type {any} */ ({ ...comparison, ...turns, stages })))].join(''),
  );
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const { page, findings } = await openFile(browser, file, { colorScheme });
    assert.deepEqual(findings, []);
    const [{ metrics }] = comparison.stages;
    assert.deepEqual(
      (await tableIn(page, 'part-3')).map((row) => row.Ratio),
      metrics.map(({ ratio }) => ratio),
    );
    await assertAccessible(page);
    await page.close();
  }
});

test('the report of a long run of fifty hosts opens, and stays small', async () => {
  const file = path.join(folder, 'long.html');
  await writeFile(file, [...reportPage(longMerge({ hosts: 50, seconds: 600 }).result)].join(''));
  const { size } = await stat(file);
  assert.ok(size < 4 * MEBIBYTE, `${size} bytes`);
  const { page, findings } = await openFile(browser, file);
  assert.deepEqual(findings, []);
  const pixels = await colouredPixels(page);
  assert.ok(pixels['latency-map'] > 5000, JSON.stringify(pixels));
  assert.equal((await tableIn(page, 'hosts')).length, 50);
  await page.close();
});

test('the page of a sweep draws a curve per stage, and is accessible', async () => {
  await benchmark('sweep 100 4 --vary size=1KiB,4KiB --vary threads=1,4 --stages write --local --report sweep.html');
  const { page, findings } = await open('sweep.html');
  assert.deepEqual(findings, []);
  assert.ok((await colouredPixels(page))['rates-write'] > 100);
  await assertAccessible(page);
  await page.close();
});

test('a comparison shows each ratio', async () => {
  const { comparison } = comparedRuns();
  const file = path.join(folder, 'comparison.html');
  await writeFile(file, [...comparisonPage(shownComparison(comparison))].join(''));
  const { page, findings } = await openFile(browser, file);
  assert.deepEqual(findings, []);
  for (const [index, { metrics }] of comparison.stages.entries()) {
    const rows = await tableIn(page, `part-${index + 3}`);
    assert.deepEqual(
      rows.map((row) => row.Ratio),
      metrics.map(({ ratio }) => ratio ?? '–'),
    );
  }
  await assertAccessible(page);
  await page.close();
});

const HOSTILE = [
  '<script>document.title="owned"</script>',
  '"><img src=x onerror=document.title="owned">',
  '__proto__',
  '</script><script>document.title="owned"</script>',
  '\u001b[31mred\u001b[0m',
  '\u202egnp.exe',
];

/**
 * @template Value
 * @param {Value} value
 * @returns {Record<string, Value>} the value under each hostile name
 */
function named(value) {
  return Object.fromEntries(HOSTILE.map((name) => [name, value]));
}

/**
 * @param {string} file of a page with hostile names
 * @param {string} [chart] to point to, whose figures then appear
 * @returns {Promise<string>} the text of the page
 */
async function textOfHostile(file, chart) {
  const { page, findings } = await openFile(browser, file);
  assert.deepEqual(findings, []);
  assert.match(await page.title(), /^r2-benchmark/);
  assert.equal(await page.evaluate(() => document.querySelectorAll('img').length), 0);
  if (chart !== undefined) {
    const shown = async () => String(await page.textContent('[data-for="time"]'));
    for (let x = 0; x < 1000 && !/ UTC: .* ops\/s/.test(await shown()); x += 20) {
      await page.locator(`[data-chart="${chart}"] .u-over`).hover({ position: { x, y: 90 } });
    }
    assert.match(await shown(), / UTC: .* ops\/s/);
  }
  const parts = await Promise.all([page.textContent('header'), page.textContent('main'), page.title()]);
  const shown = parts.join(' ');
  assert.doesNotMatch(shown, /[^\P{C}\n]/u);
  await assertAccessible(page);
  await page.close();
  return shown;
}

test('hostile names appear as text: nothing runs, and nothing is lost', async () => {
  const result = await resultIn('three.json');
  const [tag, image, proto] = HOSTILE;
  const stages = result.stages.map((/** @type {any} */ stage) => ({
    ...stage,
    errors: named(1),
    connections: { ...stage.connections, colos: named(1) },
    bottleneck: { cause: tag, evidence: image, advice: proto },
    kinds: HOSTILE.map((operation) => ({ ...stage, operation, errors: named(1) })),
    merge: {
      ...stage.merge,
      shares: stage.merge.shares.map((/** @type {any} */ share, /** @type {number} */ index) => {
        return { ...share, host: HOSTILE.at(-1 - index), file: HOSTILE[index], limitedBy: HOSTILE[index] };
      }),
    },
  }));
  const texts = { endpoint: image, prefix: tag, existing: HOSTILE[5], access: tag, sizes: image, mix: HOSTILE[4] };
  const options = { ...result.options, ...texts, faults: HOSTILE[3], client: tag, stages: HOSTILE };
  const file = path.join(folder, 'hostile.html');
  const facts = { run: proto, host: image, shard: tag, start: tag, options, versions: named(tag) };
  const warnings = HOSTILE.map((name) => ({ file: name, line: 1, message: name, incomplete: true }));
  const hosts = HOSTILE.map((name) => ({ ...result.hosts[0], ...facts, merge: { name, file: name, line: 1 } }));
  const hostile = { ...result, ...facts, hosts, stages, problems: HOSTILE, merge: { ...result.merge, warnings } };
  await writeFile(file, [...reportPage(hostile)].join(''));
  const shown = await textOfHostile(file, 'rate');
  HOSTILE.slice(0, 4).forEach((name) => assert.ok(shown.includes(name), name));
  assert.ok(shown.includes(String.raw`\u{1b}[31mred`) && shown.includes(String.raw`\u{202e}gnp.exe`));
});
