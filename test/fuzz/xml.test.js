import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseXml, readXml } from '../../lib/text/xml.js';

/** @import { XmlElement } from '../../lib/text/xml.js' */

const ENTRY = 'Contents';

const name = fc.constantFrom('Key', 'Contents', 'IsTruncated', 'ETag', 'Error', 'x:Key', 'Other');
const texts = fc
  .array(
    fc.constantFrom(
      ...[
        'a',
        'r2/0',
        ' ',
        '\n',
        '\r\n',
        '\t',
        'true',
        '\u00e9',
        '\u{1f600}',
        '\u2028',
        '\u0001',
        '!',
        '?',
        '"',
        "'",
        '>',
      ],
      ...['&amp;', '&lt;', '&gt;', '&quot;', '&apos;', '&#34;', '&#39;', '&#10;', '&#x1;', '&#x1F600;', '&#xD800;'],
      ...[']]', '<![CDATA[<Key>c</Key>&amp;]]>', '<!-- </Contents> -->', '<?p </Contents>?>'],
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''));

const { element } = fc.letrec((/** @type {any} */ tie) => ({
  element: fc
    .tuple(name, fc.constantFrom('', ' a="1"', " b='</Key>'", ' '), fc.oneof({ maxDepth: 4 }, texts, tie('content')))
    .map(([tag, attributes, content]) => `<${tag}${attributes.replaceAll('<', '&lt;')}>${content}</${tag}>`),
  content: fc.array(fc.oneof(tie('element'), texts), { maxLength: 4 }).map((parts) => parts.join('')),
}));

const plainEntry = fc
  .tuple(texts, fc.array(element, { maxLength: 2 }))
  .map(([key, others]) => `<${ENTRY}><Key>${key}</Key>${others.join('')}</${ENTRY}>`);

const documents = fc
  .tuple(
    fc.constantFrom('', '<?xml version="1.0" encoding="UTF-8"?>\n', '<?xml version="1.0"?>', '\ufeff', '<!-- x -->'),
    fc.constantFrom('ListBucketResult', 'CopyObjectResult', ENTRY),
    fc.constantFrom('', ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"', ' xmlns="x" other="y"'),
    fc.array(fc.oneof(element, plainEntry, texts), { maxLength: 6 }),
    fc.constantFrom('', '\n', '<!-- y -->', 'z'),
  )
  .map(
    ([start, root, attributes, content, end]) => `${start}<${root}${attributes}>${content.join('')}</${root}>${end}`,
  );

/**
 * @param {XmlElement} root
 * @returns {unknown} what readers look at: children by name and text
 */
function shape({ name: tag, text, children }) {
  return children.length === 0 ? [tag, text] : [tag, children.map(shape)];
}

test('what is scanned is read as the parser reads it', () => {
  let scanned = 0;
  fc.assert(
    fc.property(documents, (document) => {
      const parsed = parseXml(document);
      const { root, isWhole } = readXml(document);
      assert.deepEqual([isWhole, shape(root)], [parsed.isWhole, shape(parsed.root)]);
      const withKeys = readXml(document, ENTRY);
      if (parsed.isWhole) {
        assert.equal(withKeys.isWhole, true);
        assert.deepEqual(
          withKeys.keys,
          parsed.root.all(ENTRY).map((entry) => entry.textOf('Key') ?? ''),
        );
        const others = (/** @type {XmlElement} */ { children }) => children.filter((each) => each.name !== ENTRY);
        assert.deepEqual(others(withKeys.root).map(shape), others(parsed.root).map(shape));
        scanned += Number(withKeys.keys.length > 0 && withKeys.root.all(ENTRY)[0].children.length === 0);
      }
    }),
    { numRuns: 3000 },
  );
  assert.ok(scanned > 50, `${scanned} documents had entries that were scanned`);
});

test('a cut document is never whole', () => {
  fc.assert(
    fc.property(documents, fc.double({ min: 0, max: 0.99, noNaN: true }), (document, part) => {
      const end = document.lastIndexOf('</');
      const cut = document.slice(0, Math.floor(end * part));
      assert.equal(readXml(cut).isWhole, false, cut);
      assert.equal(readXml(cut, ENTRY).isWhole, false, cut);
    }),
  );
});
