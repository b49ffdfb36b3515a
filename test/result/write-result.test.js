import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readResult } from '../../lib/result/read-result.js';
import { writeResult } from '../../lib/result/write-result.js';
import { cases } from '../helpers/cases.js';
import { anyResult, resultOf } from './model-results.js';

test('reads what was written unchanged, and writes it again with identical bytes', () => {
  fc.assert(
    fc.property(anyResult, (result) => {
      const text = [...writeResult(result)].join('');
      assert.ok(text.endsWith('}\n'));
      const { result: read, problems, warnings } = readResult(text);
      assert.deepEqual({ read, problems, warnings }, { read: result, problems: [], warnings: [] });
      assert.equal([...writeResult(/** @type {any} */ (read))].join(''), text);
    }),
    { numRuns: cases(50) },
  );
});

test('computes seconds while writing, and never keeps all of them in memory', () => {
  let made = 0;
  const result = resultOf();
  const [stage] = result.stages;
  const seconds = (function* () {
    while (made < 10_000) {
      made += 1;
      yield { ...stage.seconds[0], secondStart: made };
    }
  })();
  const pieces = writeResult({ ...result, stages: [{ ...stage, seconds }] });
  const first = [pieces.next(), pieces.next(), pieces.next()].map(({ value }) => value).join('');
  assert.ok(made > 0 && made < 2000, String(made));
  assert.equal(JSON.parse(first + [...pieces].join('')).stages[0].seconds.length, 10_000);
});
