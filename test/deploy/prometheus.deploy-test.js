import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { BOUNDS, COUNTERS, LATENCY_METRICS } from '../../lib/report/telemetry/run-metrics.js';
import { folderWith, startCommand } from '../helpers/command.js';
import { freePort } from '../helpers/free-port.js';
import { prometheusName } from '../../scripts/tables.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';
import { UNTIL_INPUT_ENDS } from '../helpers/server-process.js';
import { DEPLOY } from './many-hosts.js';

/** @import { TestContext } from 'node:test' */

const FOLDER = path.join(DEPLOY, 'grafana');
const POLL_INTERVAL_MS = 100;

/** Every stage lasts long enough for a rate, and has attempts that fail. */
const RUN = [
  ...['20000', '20', '--local', '--size', '4KiB', '--rate', '300', '--duration', '5s', '--gap', '1s', '--cores', '2'],
  ...[
    '--faults',
    'latency=2ms,status=503:4%,reset=2%',
    '--metrics-port',
    '0',
    '--metrics-hold',
    '1m',
    '--json',
    'result.json',
  ],
];

/** What Grafana puts in place of its variables. */
const GRAFANA = { $run: '.+', $host: '.+', $stage: '.+', $__rate_interval: '4s', $__range: '10m' };

/**
 * A real Prometheus with the configuration of deploy/grafana, which scrapes another address.
 *
 * @param {TestContext} t
 * @param {string} target host and port
 */
async function startPrometheus(t, target) {
  const given = await readFile(path.join(FOLDER, 'prometheus.yml'), 'utf8');
  const folder = await folderWith(t, { 'prometheus.yml': given.replace('127.0.0.1:9464', target) });
  const address = `127.0.0.1:${await freePort()}`;
  const server = spawn(
    'sh',
    [
      ...['-c', UNTIL_INPUT_ENDS, 'sh', 'prometheus', '--config.file=prometheus.yml', '--storage.tsdb.path=data'],
      `--web.listen-address=${address}`,
    ],
    { cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  let output = '';
  server.stderr.on('data', (text) => (output += text));
  const ended = once(server, 'close');
  t.after(async () => {
    server.stdin.end();
    await ended;
  });
  while (
    !(await fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    assert.equal(server.exitCode, null, output);
    await wait(POLL_INTERVAL_MS);
  }
  return async (/** @type {string} */ api, /** @type {Record<string, string>} */ parameters = {}) => {
    const response = await fetch(`http://${address}/api/v1/${api}?${new URLSearchParams(parameters)}`);
    const { data, error } = await response.json();
    assert.equal(error, undefined, JSON.stringify(parameters));
    return data;
  };
}

test('a real Prometheus scrapes a run: its sums are those of the result, and every panel of the dashboard has data', async (t) => {
  const command = await startCommand(t, RUN);
  const [, target] = await command.shows(
    'stderr',
    /^Prometheus can scrape the metrics of this run at http:\/\/(\S+)\/metrics$/m,
  );
  const from = Date.now() / 1000;
  const ask = await startPrometheus(t, target);
  assertStatus(await command.outcome, 0);
  const result = resultFrom(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
  const to = Date.now() / 1000;
  const last = async (/** @type {string} */ series) => {
    const query = `last_over_time(${series}[10m])`;
    const { result: found } = await ask('query', { query, time: String(to) });
    return found.map((/** @type {any} */ { metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  };

  for (const stage of result.stages) {
    const labels = `r2_benchmark_run_id="${result.run}",r2_benchmark_stage="${stage.stage}"`;
    for (const [name, instrument] of Object.entries(COUNTERS)) {
      const expected = instrument.unit === 's' ? stage[name] / 1000 : stage[name];
      const values = (await last(`${prometheusName(instrument)}{${labels}}`)).map(
        (/** @type {any} */ { value }) => value,
      );
      // What cannot occur in the load is not exported.
      assert.deepEqual(values, values.length === 0 && expected === 0 ? [] : [expected], `${stage.stage} ${name}`);
    }
    assert.ok(Object.keys(stage.errors).length > 0);
    const [count] = await last(`${prometheusName(LATENCY_METRICS.operations)}_count{${labels}}`);
    assert.equal(count.value, stage.latency.operations.count);
    const buckets = await last(`${prometheusName(LATENCY_METRICS.operations)}_bucket{${labels}}`);
    assert.equal(buckets.length, BOUNDS.length + 1);
  }

  const { panels, templating } = JSON.parse(await readFile(path.join(FOLDER, 'r2-benchmark.json'), 'utf8'));
  assert.ok(panels.length > 10);
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      const query = Object.entries(GRAFANA).reduce((text, [name, value]) => text.replaceAll(name, value), expr);
      assert.ok(!query.includes('$'), query);
      const { result: found } = await ask('query_range', { query, start: String(from), end: String(to), step: '1' });
      const numbers = found.flatMap((/** @type {any} */ { values }) =>
        values.map((/** @type {any} */ [, value]) => Number(value)),
      );
      assert.ok(numbers.some(Number.isFinite), `${title}: ${query} has no data`);
    }
  }
  const queries = templating.list.flatMap((/** @type {any} */ { query }) =>
    typeof query === 'string' ? [] : [query.query],
  );
  assert.equal(queries.length, 3);
  for (const query of queries) {
    const [, series, label] = /^label_values\((.*), (\w+)\)$/.exec(query.replaceAll('$run', '.+')) ?? [];
    const values = await ask(`label/${label}/values`, { 'match[]': series });
    assert.ok(values.length > 0, query);
  }
});

test('promtool has nothing to say about the metrics, or about the configuration', async (t) => {
  const command = await startCommand(t, ['100', '5', '--local', '--metrics-port', '0', '--metrics-hold', '1m']);
  const [, url] = await command.shows('stderr', /^Waiting up to 1m 0s for a last scrape of (\S+)$/m);
  const text = await (await fetch(url)).text();
  assertStatus(await command.outcome, 0);
  const folder = await folderWith(t, {});
  await writeFile(path.join(folder, 'metrics.txt'), text);
  const shell = promisify(execFile);
  const { stdout, stderr } = await shell('sh', ['-c', 'promtool check metrics < metrics.txt'], { cwd: folder });
  assert.equal(stdout + stderr, '');
  await shell('promtool', ['check', 'config', path.join(FOLDER, 'prometheus.yml')]);
});
