import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { invocationOf } from '../../lib/cli/invocation.js';
import { PROGRAM } from '../helpers/command.js';

const CLONE = path.dirname(PROGRAM);

test('names the programs and the example of variables by the shorter path from the current folder', () => {
  assert.deepEqual(invocationOf(CLONE), {
    benchmark: 'node r2-benchmark.js',
    peak: 'node peak-performance.js',
    envExample: '.env.example',
  });
  assert.equal(invocationOf(path.join(CLONE, 'deploy')).peak, 'node ../peak-performance.js');
  assert.equal(invocationOf(path.dirname(CLONE)).benchmark, `node ${path.basename(CLONE)}/r2-benchmark.js`);
  assert.equal(invocationOf('/a/folder/far/away/from/here/and/anywhere/else').benchmark, `node ${PROGRAM}`);
});
