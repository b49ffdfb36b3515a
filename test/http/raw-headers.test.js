import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerOf, isNamed } from '../../lib/http/raw-headers.js';

/** @param {readonly string[]} texts name, value, name, value, … */
function rawHeaders(...texts) {
  return texts.map((text) => Buffer.from(text, 'latin1'));
}

test('a name is known however its letters are written, and no other name is taken for it', () => {
  const anyName = fc.stringMatching(/^[A-Za-z-]{1,20}$/);
  fc.assert(
    fc.property(anyName, fc.constantFrom('etag', 'content-length', 'retry-after', 'date'), (name, wanted) => {
      assert.equal(isNamed(Buffer.from(name), wanted), name.toLowerCase() === wanted);
      assert.ok(isNamed(Buffer.from(wanted.toUpperCase()), wanted));
    }),
  );
});

test('a header is found by its name, never by its value', () => {
  const headers = rawHeaders('Server', 'date', 'DATE', 'Fri, 20 Nov 2026 17:00:00 GMT', 'date', 'a second one');
  assert.equal(headerOf(headers, 'date'), 'Fri, 20 Nov 2026 17:00:00 GMT');
  assert.equal(headerOf(headers, 'retry-after'), null);
  assert.equal(headerOf([], 'date'), null);
});
