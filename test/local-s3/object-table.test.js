import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ObjectTable } from '../../lib/local-s3/object-table.js';

const BODY = Buffer.from('x');

/** Text without lone surrogates, which no URL can contain. Few letters, so that prefixes are shared. */
const key = fc.oneof(
  fc.array(fc.constantFrom('a', 'b', '/', 'é', '\uffee', '😀'), { maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);

/**
 * @param {string} one
 * @param {string} other
 */
function compareBytes(one, other) {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

test('pages match a sorted list of UTF-8 keys, whatever was put, deleted and listed before', () => {
  const step = fc.record({
    action: fc.constantFrom('put', 'put', 'delete', 'page'),
    key,
    prefix: key,
    maximum: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const table = new ObjectTable();
      const model = new Set();
      for (const { action, key: name, prefix, maximum } of steps) {
        if (action === 'put') {
          table.put(name, BODY, 0);
          model.add(name);
        } else if (action === 'delete') {
          table.delete(name);
          model.delete(name);
        } else {
          const page = table.page({ prefix, after: name, maximum });
          const expected = [...model]
            .filter((listed) => listed.startsWith(prefix) && (name === '' || compareBytes(listed, name) > 0))
            .sort(compareBytes);
          assert.deepEqual(
            page.entries.map((entry) => entry.key),
            expected.slice(0, maximum),
          );
          assert.equal(page.isTruncated, expected.length > maximum);
        }
      }
      assert.deepEqual(table.keys(), [...model].sort(compareBytes));
      assert.equal(table.size, model.size);
    }),
  );
});

test('an object keeps its body, and its ETag is the MD5', () => {
  const table = new ObjectTable();
  table.put('k', Buffer.from('hello'), 1234);
  assert.deepEqual(table.get('k'), {
    body: Buffer.from('hello'),
    etag: '"5d41402abc4b2a76b9719d911017c592"',
    lastModified: 1234,
  });
  assert.equal(table.get('other'), undefined);
});
