import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPeakSummary } from '../../lib/report/peak-summary.js';

test('the peaks are printed like a JavaScript object, with one decimal at most', () => {
  const peaks = { Write: 5439.7, Read: 3111.2000000000003, Stat: 2409.5, Remove: 2798.0000000000005 };
  assert.equal(
    formatPeakSummary(peaks),
    'Peak Performance: {\n  Write: 5439.7,\n  Read: 3111.2,\n  Stat: 2409.5,\n  Remove: 2798\n}\n',
  );
});

test('only the stages that occur are printed, zero included', () => {
  assert.equal(formatPeakSummary({ Stat: 0 }), 'Peak Performance: {\n  Stat: 0\n}\n');
});
