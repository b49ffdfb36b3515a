import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEvidence, parseEvidence } from '../../lib/log/evidence.js';

test('the evidence and what would tell more come back from their text', () => {
  const parts = { evidence: 'median latency 10.24ms with 50 threads; event loop 39% busy', advice: '--find-peak' };
  const text = 'median latency 10.24ms with 50 threads; event loop 39% busy; --find-peak would tell more';
  assert.equal(formatEvidence(parts), text);
  assert.deepEqual(parseEvidence(text), parts);
});

test('where nothing would tell more, all of the text is evidence', () => {
  assert.deepEqual(parseEvidence('so it seems'), { evidence: 'so it seems', advice: null });
  assert.equal(formatEvidence({ evidence: 'so it seems', advice: null }), 'so it seems');
});

test('whatever a log says, its text is written again as it was', () => {
  const piece = fc.constantFrom('; ', ' would tell more', 'a', 'b ', '--find-peak');
  const anyText = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
  fc.assert(fc.property(anyText, (text) => assert.equal(formatEvidence(parseEvidence(text)), text)));
});
