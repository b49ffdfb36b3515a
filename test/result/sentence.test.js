import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bottleneckSentence } from '../../lib/result/bottleneck/sentence.js';

/** @param {string} cause */
function sentenceOf(cause) {
  return bottleneckSentence('Read', { cause, evidence: 'half of it', advice: null });
}

test('each cause is put into words, with its figures', () => {
  assert.equal(sentenceOf('store'), 'Read was limited by the store: half of it.');
  assert.equal(sentenceOf('client CPU'), "Read was limited by the client's CPU: half of it.");
  assert.equal(sentenceOf('beyond this host'), 'Read was limited by the store or the path to it: half of it.');
});

test('an unknown limit is not named, and the sentence advises what to try', () => {
  const bottleneck = { cause: 'inconclusive', evidence: 'median latency 2.00ms', advice: '--find-peak' };
  assert.equal(
    bottleneckSentence('Stat', bottleneck),
    'The limit of Stat is unknown: median latency 2.00ms; try --find-peak.',
  );
});

test('figures may be missing, and a later version may know other causes', () => {
  assert.equal(
    bottleneckSentence('Stat', { cause: 'the moon', evidence: null, advice: null }),
    'Stat was limited by the moon.',
  );
  assert.equal(sentenceOf('constructor'), 'Read was limited by constructor: half of it.');
});

test('texts of a result that was read cannot move the cursor', () => {
  const sentence = bottleneckSentence('Stat', { cause: '\x1b[2J', evidence: 'a\nb\x1b[A', advice: '\x07' });
  assert.equal(sentence, 'Stat was limited by \\u{1b}[2J: a b\\u{1b}[A; try \\u{7}.');
});
