import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { readResult } from '../../lib/model/read-result.js';
import { startCommand } from '../helpers/command.js';
import * as many from './many-hosts.js';

/** Prints a file as junitparser reads it; CI servers and their plug-ins use junitparser. */
const READ_BACK = `
import json, sys
from junitparser import JUnitXml, Properties
shown = []
for suite in JUnitXml.fromfile(sys.argv[1]):
    for case in suite:
        properties = case.child(Properties)
        shown.append({
            'suite': suite.name,
            'name': case.name,
            'results': [[type(each).__name__, each.type, each.message] for each in case.result],
            'properties': {each.name: float(each.value) for each in properties or []},
        })
json.dump(shown, sys.stdout)
`;

/**
 * @param {string} file
 * @returns {Promise<any[]>} its test cases
 */
async function readBack(file) {
  const { status, stdout, stderr } = await many.run('python3', ['-c', READ_BACK, file], { cwd: path.dirname(file) });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test('junitparser reads each stage with its figures, and each assertion with its outcome', async (t) => {
  const asserted = ['--assert', 'read.p99 < 60s', '--assert', 'write.rate > 1e9', '--assert', 'errors == 0'];
  const files = ['--junit', 'a.xml', '--json', 'a.json'];
  const command = await startCommand(t, ['200', '10', '--local', ...asserted, ...files]);
  assert.equal((await command.outcome).status, 3);
  const { result } = readResult(await readFile(path.join(command.folder, 'a.json'), 'utf8'));
  const cases = await readBack(path.join(command.folder, 'a.xml'));
  assert.deepEqual(
    cases.map(({ suite, name, results }) => [suite, name, ...results.map((/** @type {string[]} */ [kind]) => kind)]),
    [
      ['stages', 'run'],
      ['stages', 'Write'],
      ['stages', 'Read'],
      ['stages', 'Stat'],
      ['stages', 'Remove'],
      ['thresholds', 'read.p99 < 60s'],
      ['thresholds', 'write.rate > 1000000000', 'Failure'],
      ['thresholds', 'errors == 0'],
    ],
  );
  for (const { stage, average, duration, latency, operations } of result?.stages ?? []) {
    const { properties } = cases.find(({ name }) => name === stage);
    assert.deepEqual(
      [properties.rate, properties.duration, properties.p99, properties.operations],
      [average, duration, latency.operations?.p99, operations],
    );
  }
});
