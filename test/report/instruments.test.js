import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { COUNT_NAMES } from '../../lib/result/counters.js';
import { COUNTERS, INSTRUMENTS } from '../../lib/report/telemetry/run-metrics.js';
import { prometheusName } from '../helpers/otlp.js';

const page = await readFile(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8');

test('every counter of a result is a metric with a unit that OpenTelemetry knows', () => {
  assert.deepEqual(Object.keys(COUNTERS), COUNT_NAMES);
  for (const { name, unit } of INSTRUMENTS) {
    assert.match(unit, /^(1|s|By|\{[a-z]+\}(\/s)?)$/, name);
  }
});

test('the metrics page has a row for each metric with its name, Prometheus name, type and unit', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  for (const instrument of INSTRUMENTS) {
    const { name, type, unit } = instrument;
    const cells = [`\`${name}\``, `\`${prometheusName(instrument)}\``, type, `\`${unit}\``];
    const row = rows.find((line) => line.startsWith(`| ${cells[0]} `)) ?? '';
    const found = row.split('|').slice(1, 5);
    assert.deepEqual(
      found.map((cell) => cell.trim()),
      cells,
    );
  }
});
