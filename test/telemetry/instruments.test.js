import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { COUNT_NAMES } from '../../lib/model/counters.js';
import { COUNTERS, INSTRUMENTS } from '../../lib/telemetry/instruments.js';
import { prometheusName } from '../../lib/telemetry/prometheus-text.js';

const page = await readFile(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8');

test('every counter of a result is a metric, of a unit that OpenTelemetry knows', () => {
  assert.deepEqual(Object.keys(COUNTERS), COUNT_NAMES);
  for (const { name, unit, description } of INSTRUMENTS) {
    assert.match(unit, /^(1|s|By|By\/s|\{[a-z]+\}(\/s)?)$/, name);
    assert.match(description, /^\S.*\.$/, name);
  }
});

test('no two metrics have the same name, neither with OpenTelemetry nor with Prometheus', () => {
  for (const nameOf of [({ name = '' }) => name, prometheusName]) {
    const names = INSTRUMENTS.map((instrument) => nameOf(instrument));
    assert.deepEqual(names, [...new Set(names)]);
  }
});

test('the page of the metrics has a row for each: its name, that in Prometheus, its type and its unit', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  for (const instrument of INSTRUMENTS) {
    const { name, type, unit } = instrument;
    const cells = [`\`${name}\``, `\`${prometheusName(instrument)}\``, type, `\`${unit}\``];
    const row = rows.find((line) => line.startsWith(`| ${cells[0]} `)) ?? '';
    assert.deepEqual(
      row
        .split('|')
        .slice(1, 5)
        .map((cell) => cell.trim()),
      cells,
    );
  }
});
