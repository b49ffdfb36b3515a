import { followPage } from './chart.js';
import { drawCurve, drawPercentiles, drawRates } from './stage-charts.js';
import { drawTime } from './time-charts.js';

/** @param {string} id of an element with JSON */
function textOf(id) {
  return document.getElementById(id)?.textContent ?? null;
}

const drawings = JSON.parse(textOf('charts') ?? '{}');
if (drawings.time) {
  drawTime(JSON.parse(String(textOf('result'))).stages, drawings.time.latencies);
}
if (drawings.latency) {
  drawPercentiles(drawings.latency);
}
(drawings.capacity ?? []).forEach(drawCurve);
/** @type {any[]} */ (Object.values(drawings)).filter(({ rates }) => rates).forEach(drawRates);
followPage();
const link = document.getElementById('download-json');
if (link instanceof HTMLAnchorElement) {
  link.href = URL.createObjectURL(new Blob([String(textOf('result'))], { type: 'application/json' }));
}
// Tests wait for this mark.
document.documentElement.dataset.drawn = 'true';
