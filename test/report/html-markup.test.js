import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { embeddableJson, escapeHtml, html } from '../../lib/report/html/markup.js';

test('text stays text in a page', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const { text: markup } = html`<p title="${text}">${text}</p>`;
      assert.match(markup, /^<p title="[^<>"']*">[^<>"']*<\/p>$/);
      assert.doesNotMatch(markup, /[\p{Cc}\p{Cf}]/u);
    }),
  );
});

test('entities are escaped once, and markup not at all', () => {
  assert.equal(escapeHtml('<b> & "x" \'y\''), '&lt;b&gt; &amp; &quot;x&quot; &#39;y&#39;');
  assert.equal(html`<b>${[1, 2].map((each) => html`<i>${each}</i>`)}${null}</b>`.text, '<b><i>1</i><i>2</i></b>');
});

test('JSON in a page stays the same, and ends neither its element nor a line', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, text) => {
      const json = JSON.stringify([value, text, '</script><!--\u2028\u2029']);
      const embedded = embeddableJson(json);
      assert.doesNotMatch(embedded, /[<>&\u2028\u2029]/);
      assert.deepEqual(JSON.parse(embedded), JSON.parse(json));
    }),
  );
});
