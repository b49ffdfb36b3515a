import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeXml, unescapeXml } from '../../lib/local-s3/xml.js';

test('text survives escaping and unescaping', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('&', '<', '#', 'amp;', '\n') })),
      (text) => {
        const escaped = escapeXml(text);
        assert.doesNotMatch(escaped, /[<>"'\n]/);
        assert.equal(unescapeXml(escaped), text);
      },
    ),
  );
});

test('reads references in every form, and leaves meaningless ones unchanged', () => {
  assert.equal(unescapeXml('&lt;&#60;&#x3C;&#x3c;&amp;lt;'), '<<<<&lt;');
  assert.equal(unescapeXml('&nbsp; &#x110000; &;'), '&nbsp; &#x110000; &;');
});
