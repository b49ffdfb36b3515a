import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listed, shorten } from '../../lib/report/names.js';

test('a name that is too long ends with an ellipsis, and has the maximum length', () => {
  assert.equal(shorten('fra-1', 5), 'fra-1');
  assert.equal(shorten('fra-10', 5), 'fra-…');
});

test('the first eight of many names are listed, with the number of the rest', () => {
  const names = Array.from({ length: 8 }, (_, index) => String(index));
  assert.equal(listed(names), '0, 1, 2, 3, 4, 5, 6, 7');
  assert.equal(listed([...names, '8', '9'], '; '), '0; 1; 2; 3; 4; 5; 6; 7 and 2 more');
});
