import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteObjects } from '../../lib/local-s3/delete-objects.js';
import { ObjectTable } from '../../lib/local-s3/object-table.js';

/** @param {string} xml */
function deleteFrom(xml) {
  const table = new ObjectTable();
  table.put('a&b', Buffer.alloc(1), 0);
  table.put('other', Buffer.alloc(1), 0);
  const answer = deleteObjects(table, Buffer.from(xml));
  return { answer, left: table.keys() };
}

test('reads keys with or without a declaration, a namespace and versions', () => {
  for (const xml of [
    '<Delete><Object><Key>a&amp;b</Key></Object></Delete>',
    '<?xml version="1.0"?>\n<Delete xmlns="x"><Object><VersionId>1</VersionId><Key>a&#38;b</Key></Object></Delete>\n',
  ]) {
    const { answer, left } = deleteFrom(xml);
    assert.deepEqual(left, ['other']);
    assert.match(answer, /<Deleted><Key>a&amp;b<\/Key><\/Deleted>/);
  }
});

test('quiet mode returns no names', () => {
  const { answer, left } = deleteFrom('<Delete><Quiet>true</Quiet><Object><Key>other</Key></Object></Delete>');
  assert.deepEqual(left, ['a&b']);
  assert.doesNotMatch(answer, /other/);
});

test('anything other than 1 to 1,000 keys is MalformedXML, and deletes nothing', () => {
  const object = '<Object><Key>other</Key></Object>';
  for (const xml of [
    '',
    'nonsense',
    '<Delete></Delete>',
    `<Delete>${object}`,
    `<Delete>${object}<Object></Object></Delete>`,
    `<Delete>${object.repeat(1001)}</Delete>`,
  ]) {
    assert.throws(() => deleteFrom(xml), { name: 'S3Error', code: 'MalformedXML' });
  }
});
