import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareAll } from '../../lib/result/compare/compare-results.js';
import { runsApart } from '../../lib/result/merge/runs-apart.js';
import { comparisonText, shownSideBySide } from '../../lib/report/compare-text.js';
import { comparisonPage } from '../../lib/report/html/comparison-page.js';
import { runsOf, madeLogs } from './logs-of.js';
import { ratesOf, resultOf } from './results.js';

const DAY_MS = 86_400_000;

/**
 * @param {number} rate
 * @param {Readonly<Record<string, unknown>>} options
 */
function named(rate, options) {
  const [name] = Object.values(options);
  const all = { objects: 10_000, threads: 50, size: 16_384, client: 'direct', duration: null, ...options };
  return {
    name: `${name}.json`,
    result: resultOf([{ rates: ratesOf(60, () => rate) }], { options: /** @type {any} */ (all) }),
  };
}

const SDK = named(500, { client: 'sdk' });
const DIRECT = named(985, { client: 'direct' });
const MANY = named(500, { threads: 8 });

test('results of any loads are sorted by what differs, with a ratio to the reference and a sentence', () => {
  const lines = comparisonText(shownSideBySide(compareAll([SDK, DIRECT], SDK)), 120).split('\n');
  assert.match(lines[0], /^direct: Read 1\.97 times \(±0\.\d\d\) as fast as sdk$/);
  assert.match(lines[3], /^ {2}Stage +client +Ops\/s .* Ratio +95% interval +Verdict$/);
  assert.match(lines[4], /^ {2}Read +direct +985\.\d .* 1\.97\d +1\.\d{3} to 1\.9\d{2} +faster$/);
  assert.match(lines[5], /^ {2}Read +sdk +500\.\d .* reference$/);
});

test('only the reference is labelled so, also in a stage that it lacks', () => {
  const [rates, options] = [ratesOf(60, () => 700), { ...DIRECT.result.options, client: 'edge' }];
  const stages = ['Read', 'Stat'].map((name) => ({ name, rates }));
  const more = { name: 'edge.json', result: resultOf(stages, { options: /** @type {any} */ (options) }) };
  const lines = comparisonText(shownSideBySide(compareAll([SDK, DIRECT, more], SDK)), 120).split('\n');
  assert.match(String(lines.find((line) => line.startsWith('  Stat'))), / +- *$/);
});

test('numbers are sorted as numbers, and results that differ in more than two facts have their names', () => {
  const all = compareAll([DIRECT, MANY, named(1, { threads: 100 })], DIRECT);
  assert.deepEqual(
    all.sides.map(({ label }) => label),
    ['8', '50', '100'],
  );
  const mixed = compareAll(
    [
      {
        ...SDK,
        result: { ...MANY.result, options: /** @type {any} */ ({ ...SDK.result.options, threads: 2, size: 1 }) },
      },
      DIRECT,
    ],
    DIRECT,
  );
  assert.deepEqual(mixed.facts.slice(0, 1), ['Result']);
});

test('the page of results side by side has a row per result, and no difference where none is proven', () => {
  const page = [...comparisonPage(shownSideBySide(compareAll([DIRECT, MANY, SDK], DIRECT)))].join('');
  assert.match(page, /<h1><span>8, direct: Read 0\.51 times/);
  const short = named(500, { client: 'edge' });
  short.result.stages[0].seconds = [];
  assert.match(
    [...comparisonPage(shownSideBySide(compareAll([short, SDK, DIRECT], short)))].join(''),
    /<span>No difference is proven \(only 0 whole seconds: run with --duration 32s or longer\)<\/span>/,
  );
});

test('hosts of one load belong together; other loads, searches and other times do not', () => {
  const logs = Object.entries(madeLogs({ hosts: 2, seconds: 4 })).flatMap(([file, lines]) => runsOf(file, lines));
  assert.equal(runsApart(logs), null);
  const [one, other] = logs;
  const changed = (/** @type {object} */ options) =>
    /** @type {any} */ ({
      ...other,
      result: { ...other.result, run: 'x', options: { ...other.result.options, ...options } },
    });
  for (const options of [{ client: 'sdk' }, { size: 1 }, { findPeak: true }]) {
    const apart = runsApart([one, changed(options)]);
    assert.deepEqual(
      apart?.map(({ name }) => name),
      [one.file, other.file],
    );
  }
  const later = Object.entries(madeLogs({ hosts: 2, seconds: 4, shift: 3_600_000 })).flatMap(([file, lines]) =>
    runsOf(file, lines),
  );
  assert.equal(
    runsApart(later.map((run, index) => ({ ...run, result: { ...run.result, run: `r${index}` } })))?.length,
    2,
  );
});

test('two runs under one id, such as reads of kept objects on two days, are shown side by side', () => {
  const ofDay = (/** @type {number} */ day) =>
    Object.entries(madeLogs({ hosts: 2, seconds: 4, start: DAY_MS * day })).map(([file, lines]) =>
      runsOf(`${day}/${file}`, lines),
    );
  const [[a, b], [c, d]] = [ofDay(20_000), ofDay(20_001)];
  const apart = runsApart([a, d, c, b].flat());
  assert.deepEqual(
    apart?.map(({ result }) => result.hosts.length),
    [2, 2],
  );
});
