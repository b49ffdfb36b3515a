import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ObjectTable } from '../../lib/local-s3/object-table.js';

/** Text without lone surrogates, which no URL can contain. Few letters, so that prefixes are shared. */
const key = fc.oneof(
  fc.array(fc.constantFrom('a', 'b', '/', 'é', '\uffee', '😀'), { maxLength: 2 }).map((parts) => parts.join('')),
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
    prefix: fc.constantFrom('', '', 'a', 'é'),
    maximum: fc.integer({ min: 1, max: 5 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const table = new ObjectTable();
      const model = new Set();
      for (const { action, key: name, prefix, maximum } of steps) {
        if (action === 'put') {
          table.put(name, Buffer.from('x'), 0);
          model.add(name);
        } else if (action === 'delete') {
          table.delete(name);
          model.delete(name);
        } else {
          const { entries, isTruncated } = table.page({ prefix, after: name, maximum });
          const expected = [...model]
            .filter((listed) => listed.startsWith(prefix) && (name === '' || compareBytes(listed, name) > 0))
            .sort(compareBytes);
          const found = entries.map((entry) => entry.key);
          assert.deepEqual([found, isTruncated], [expected.slice(0, maximum), expected.length > maximum]);
        }
      }
      assert.deepEqual([table.keys(), table.size], [[...model].sort(compareBytes), model.size]);
    }),
  );
});
