import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readResult } from '../../lib/result/read-result.js';
import { planSweep, readSweep, writeSweep } from '../../lib/series/sweep-plan.js';
import { resultOf } from '../result/results.js';
import { folderWith } from '../helpers/command.js';

const { plan } = planSweep({
  options: { objects: '100', threads: '4', local: true },
  vary: ['size=4KiB,8KiB'],
  repeat: 1,
  seed: 1,
  reference: null,
});

describe('the file of a sweep', () => {
  test('is read back as it was written, without failed runs and runs that are no results', async (t) => {
    const result = resultOf([{ rates: [10, 10] }]);
    const good = { cell: 1, problem: null, result };
    const turns = [good, { cell: 0, problem: 'refused', result: null }, { cell: 9, problem: null, result }];
    const broken = { cell: 0, problem: null, result: /** @type {any} */ ({ format: 1 }) };
    const text = [...writeSweep({ ...plan, turns: [...turns, broken] }, [])].join('');
    const folder = await folderWith(t, { 'sweep.json': text });
    const saved = readSweep(path.join(folder, 'sweep.json'));
    assert.deepEqual(saved.request, plan.request);
    assert.deepEqual(saved.turns, [good]);
    assert.equal(text.split('\n').filter((line) => line.startsWith('    {"cell":')).length, 4);
  });

  test('is no result, which merge, report and compare say in one line', () => {
    const text = [...writeSweep({ ...plan, turns: [] }, [])].join('');
    assert.deepEqual(readResult(text).problems, ['expected the result of a run, got one of "sweep"']);
  });

  test('is refused if it is something else', async (t) => {
    const folder = await folderWith(t, {
      'a.json': '{"kind":"ab","format":1}',
      'b.json': '{"kind":',
      'c.json': 'null',
    });
    const problemOf = (/** @type {string} */ name) => {
      try {
        readSweep(path.join(folder, name));
      } catch (error) {
        return /** @type {Error} */ (error).message.replace(`${folder}/`, '');
      }
      return null;
    };
    assert.deepEqual(['a.json', 'b.json', 'c.json'].map(problemOf), [
      '--resume: a.json is not the --json file of a sweep',
      '--resume: b.json is not JSON',
      '--resume: c.json is not the --json file of a sweep',
    ]);
  });
});
