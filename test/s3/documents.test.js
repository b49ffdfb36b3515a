import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readList } from '../../lib/s3/documents.js';

/** @param {string} content */
function list(content) {
  return `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</ListBucketResult>`;
}

test('a list has its keys as they are meant, and says whether it goes on', () => {
  const contents = ['a/0', 'a&amp;b', '&lt;&#x41;&#10;'].map(
    (key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`,
  );
  assert.deepEqual(readList(list(`<IsTruncated>true</IsTruncated>${contents.join('')}`)), {
    Contents: [{ Key: 'a/0' }, { Key: 'a&b' }, { Key: '<A\n' }],
    IsTruncated: true,
  });
  assert.deepEqual(readList(list('<IsTruncated>false</IsTruncated>')), { Contents: [], IsTruncated: false });
});

test('what is no list says nothing of an end', () => {
  for (const document of ['', '<html><IsTruncated>false</IsTruncated></html>', list('<Name>b</Name>')]) {
    assert.equal(readList(document).IsTruncated, undefined, document);
  }
});
