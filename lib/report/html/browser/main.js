import { followPage } from './chart.js';
import { drawComparison } from './comparison-charts.js';
import { offerDownloads } from './downloads.js';
import { drawCurve, drawPercentiles } from './stage-charts.js';
import { drawTime } from './time-charts.js';

/** @param {string} id of an element with JSON */
function textOf(id) {
  return document.getElementById(id)?.textContent ?? null;
}

const resultText = textOf('result');
const drawings = JSON.parse(textOf('charts') ?? '{}');
if (resultText !== null) {
  const result = JSON.parse(resultText);
  offerDownloads(resultText, result);
  if (drawings.time) {
    drawTime(result.stages, drawings.time.latencies);
  }
  if (drawings.latency) {
    drawPercentiles(drawings.latency);
  }
  (drawings.capacity ?? []).forEach(drawCurve);
}
if (drawings.comparison) {
  drawComparison(drawings.comparison);
}
followPage();
// Tests wait for this mark.
document.documentElement.dataset.drawn = 'true';
