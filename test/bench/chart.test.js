import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawLineChart } from '../../bench/studies/chart.js';

const LINEAR = { label: 'x', isLogarithmic: false, ticks: [0, 50, 100] };
const LOGARITHMIC = { label: 'y', isLogarithmic: true, ticks: [1, 10, 100] };

/**
 * @param {string} svg
 * @returns {[number, number][]} the centres of its points
 */
function centres(svg) {
  return [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

test('a value halfway along an axis is drawn halfway, logarithmically on a logarithmic axis', () => {
  const points = /** @type {[number, number][]} */ ([
    [0, 1],
    [50, 10],
    [100, 100],
  ]);
  const svg = drawLineChart({ title: 't', x: LINEAR, y: LOGARITHMIC, series: [{ name: 's', points }] });
  const [least, middle, greatest] = centres(svg);
  assert.equal(middle[0] - least[0], greatest[0] - middle[0]);
  assert.equal(middle[1] - least[1], greatest[1] - middle[1]);
  assert.ok(greatest[1] < least[1], 'greater values are higher');
});

test('unmeasured series are dashed and have no points', () => {
  const series = [{ name: 's', points: /** @type {[number, number][]} */ ([[0, 1]]), isDashed: true }];
  const svg = drawLineChart({ title: 't', x: LINEAR, y: LOGARITHMIC, series });
  assert.deepEqual(centres(svg), []);
  assert.match(svg, /<polyline [^>]*stroke-dasharray/);
});

test('names cannot break the markup', () => {
  const series = [{ name: 'a<b & "c"', points: /** @type {[number, number][]} */ ([[0, 1]]) }];
  const svg = drawLineChart({ title: '<t>', x: LINEAR, y: LOGARITHMIC, series });
  assert.ok(svg.includes('>a&lt;b &amp; &quot;c&quot;</text>'));
  assert.ok(svg.includes('aria-label="&lt;t>"'));
});
