import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { run } from '../../lib/index.js';

test('with --presigned, reads have their signature in the URL, which the endpoint checks, and all else in a header', async () => {
  const accessLog = path.join(mkdtempSync(path.join(tmpdir(), 'presigned-')), 'access.log');
  const load = { objects: 20, threads: 2, stages: 'write,read,range,stat,remove', size: 2000, rangeSize: 100 };
  const result = await run({ ...load, store: 'local', presigned: true, preflight: false, accessLog });
  assert.deepEqual(
    result.stages.map(({ operations, failed, integrityErrors }) => [operations, failed, integrityErrors]),
    Array.from({ length: 5 }, () => [20, 0, 0]),
  );
  const methods = readFileSync(accessLog, 'utf8')
    .split('\n')
    .filter((line) => line.includes('X-Amz-Signature='))
    .map((line) => /"([A-Z]+) /.exec(line)?.[1]);
  assert.deepEqual(methods, Array(40).fill('GET'));
  assert.equal(result.options?.presigned, true);
});
