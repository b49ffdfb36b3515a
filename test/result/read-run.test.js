import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { readRun } from '../../lib/result/merge/read-run.js';
import { folderWith } from '../helpers/command.js';
import { resultOf } from './results.js';
import { madeLogs } from './logs-of.js';

const RESULT = resultOf([{ rates: Array.from({ length: 40 }, () => 3), latencies: () => [5, 6, 7] }]);

/** @param {unknown} value */
function json(value) {
  return JSON.stringify(value);
}

test('a result is read as it is, even a merged one', async (t) => {
  const merged = {
    ...RESULT,
    merge: { peaks: {}, isDated: true, clocks: { worst: null, trusted: [], withoutMachineLines: [] }, warnings: [] },
  };
  const folder = await folderWith(t, { 'one.json': json(RESULT), 'several.json': json(merged) });
  const one = await readRun(path.join(folder, 'one.json'));
  assert.deepEqual(one, { result: JSON.parse(json(RESULT)), warnings: [], runsApart: [] });
  const several = await readRun(path.join(folder, 'several.json'));
  assert.deepEqual(several.result, JSON.parse(json(merged)));
});

test('a folder is the run of all its hosts, whatever else is in it', async (t) => {
  const logs = Object.fromEntries(
    Object.entries(madeLogs({ hosts: 3 })).map(([name, lines]) => [name, lines.join('\n')]),
  );
  const folder = await folderWith(t, { ...logs, 'report.html': '<html>', 'notes.md': 'Lorem ipsum' });
  await mkdir(path.join(folder, 'older'));
  const { result, runsApart, warnings } = await readRun(folder);
  assert.equal(result.hosts.length, 3);
  assert.ok(result.stages.length > 0 && result.stages.every(({ seconds }) => seconds.length > 0));
  assert.deepEqual([runsApart, warnings.filter(({ incomplete }) => incomplete)], [[], []]);
});
