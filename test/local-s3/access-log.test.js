import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { run } from '../../lib/index.js';
import { OPERATIONS } from '../../lib/load/operations/registry.js';
import { makeTrace } from '../../lib/load/replay/make-trace.js';
import { readLogs } from '../../lib/load/replay/read-logs.js';

const folder = mkdtempSync(path.join(tmpdir(), 'access-log-'));

/** @param {string} file */
async function countsIn(file) {
  const { recorded, unreadable, formats } = await readLogs([file]);
  const trace = makeTrace(recorded, { from: 0, length: Infinity, limit: Infinity });
  /** @type {Record<string, number>} */
  const counts = {};
  for (const code of trace.codes.subarray(0, trace.requests)) {
    const { name } = OPERATIONS[code];
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return { counts, unreadable, formats, failed: recorded.failed, others: [...recorded.others.keys()], trace };
}

for (const [format, name] of /** @type {const} */ ([
  ['r2', 'access.ndjson'],
  ['s3', 'access.log'],
])) {
  test(`--access-log writes each request as ${format} does`, async () => {
    const file = path.join(folder, name);
    await run({
      ...{ store: 'local', objects: 40, threads: 4, size: '4KiB', preflight: false, accessLog: file },
      ...{ stages: 'write,read,range,stat,list,copy,batch-remove', rangeSize: '1KiB', pageSize: 15, batch: 15 },
    });
    const { counts, unreadable, formats, failed, others, trace } = await countsIn(file);
    assert.deepEqual([formats, unreadable, others], [[format], 0, []]);
    assert.equal(failed, 0);
    const { read, write, range, stat, copy } = counts;
    assert.deepEqual(
      { read, write, range, stat },
      { read: 80, write: 40, range: 40, stat: 40 },
      'each copy is read back',
    );
    assert.equal(copy, 40);
    assert.ok(counts['list'] >= 3 && counts['batch-remove'] >= 3, JSON.stringify(counts));
    assert.ok(trace.sizes.every((size) => size === 4096));
    const ranges = trace.amounts.filter((_, request) => OPERATIONS[trace.codes[request]].name === 'range');
    assert.ok(ranges.every((bytes) => bytes === 1024));
  });
}

test('a run that is refused leaves an earlier access log as it is', async () => {
  const file = path.join(folder, 'earlier.log');
  writeFileSync(file, 'earlier');
  const load = { objects: 10, threads: 1, accessLog: file, maxCost: '0.000001' };
  await assert.rejects(run({ store: 'local', ...load }), /maxCost/);
  assert.equal(readFileSync(file, 'utf8'), 'earlier');
});
