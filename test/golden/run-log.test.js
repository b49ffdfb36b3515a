import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { dotEnvOf, runCommand } from '../helpers/command.js';
import { machineRecords, recordsOf } from '../helpers/log-records.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus, withoutPhases } from '../helpers/outcome.js';

const GOLDEN = new URL('run-log.txt', import.meta.url);

/**
 * Replaces everything that varies between runs with placeholders, and merges lines that a slower run would repeat.
 *
 * @param {string} log
 * @returns {string}
 */
function withPlaceholders(log) {
  const lines = withFieldNames(log)
    .replace(/"host":"[^"]*"/g, '"host":"HOST"')
    .replace(/"start":"[^"]*"/g, '"start":"TIME"')
    .replace(/"\d+\.\d+\.\d+"/g, '"VERSION"')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/\d\d:\d\d:\d\d/g, 'TIME')
    .replace(/"(from|until|offset|uncertainty)":-?[\d.]+/g, '"$1":N')
    .replace(/(Ops|took|Throughput|[Pp]eak ops|Avg ops|p\d\d(?:\.9)?|min|mean|max) \d+(\.\d+)?/g, '$1 N')
    .replace(/^(Write|Read|Stat|Remove) +[\d,.]+ {2}.*$/gm, '$1  FIGURES')
    .replace(/^Stage .*$/gm, 'Stage  HEADINGS')
    .replace(/limited by: .*$/gm, 'limited by: CAUSE (EVIDENCE)')
    .replace(/^# r2-benchmark \{"kind":"part".*$/gm, (line) => line.replace(/:-?\d[\d.]*(?=[,}])|"HIST[^"]*"/g, ':N'))
    .split('\n');
  return lines.filter((line, place) => line !== lines[place - 1]).join('\n');
}

/**
 * @param {string} log
 * @returns {string} with only the names of fields in records whose length depends on the figures
 */
function withFieldNames(log) {
  const text = log.replaceAll(
    /^# r2-benchmark \{"kind":"(stage|end)".*$/gm,
    (/** @type {string} */ line, /** @type {string} */ kind) => {
      const { stage = 'all' } = JSON.parse(line.slice(line.indexOf('{')));
      const [record] = machineRecords(recordsOf(log.slice(log.indexOf(line))), kind);
      return `# r2-benchmark ${kind} ${stage}: ${Object.keys(record).sort().join(' ')}`;
    },
  );
  return text.replace(/\n{2,}/g, '\n');
}

test('the log of a run has always been the same; UPDATE_GOLDEN=1 rewrites it', async (t) => {
  const endpoint = await startTestEndpoint(t);
  const run = ['300', '6', '--size', '4KiB', '--run-id', 'golden-run'];
  const outcome = await runCommand(t, run, { dotEnv: dotEnvOf(endpoint) });
  assertStatus(outcome, 0);
  const notices = withoutPhases(outcome.stderr);
  assert.equal(notices, 'Run golden-run: 300 objects of 4KiB in bucket-a, bucket-b under benchmark/golden-run/\n');
  const log = withPlaceholders(outcome.stdout);
  if (process.env.UPDATE_GOLDEN === '1') {
    await writeFile(GOLDEN, log);
  }
  assert.equal(log, await readFile(GOLDEN, 'utf8'));
});
