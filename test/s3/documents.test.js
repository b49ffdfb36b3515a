import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteObjects } from '../../lib/local-s3/delete-objects.js';
import { ObjectTable } from '../../lib/local-s3/object-table.js';
import { readCopy, readDeletion, readList, writeDeletion } from '../../lib/s3/documents.js';

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

test('the keys of a deletion go there and come back as they are, by XML that others read and write', () => {
  const anyKey = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((key) => !/^\s*$/.test(key));
  fc.assert(
    fc.property(fc.uniqueArray(anyKey, { minLength: 1, maxLength: 10 }), (keys) => {
      const table = new ObjectTable();
      keys.forEach((key) => table.put(key, Buffer.alloc(0), 0));
      const request = writeDeletion({ Delete: { Objects: keys.map((Key) => ({ Key })) } });
      const answer = deleteObjects(table, Buffer.from(request, 'utf8'));
      assert.deepEqual(readDeletion(answer), { Deleted: keys.map((Key) => ({ Key })), Errors: [] });
      assert.equal(table.size, 0);
    }),
  );
});

test('keys that were not deleted have their codes and messages', () => {
  const content =
    '<Deleted><Key>a</Key></Deleted><Error><Key>b&amp;</Key><Code>AccessDenied</Code><Message>No.</Message></Error><Error/>';
  assert.deepEqual(readDeletion(`<DeleteResult>${content}</DeleteResult>`), {
    Deleted: [{ Key: 'a' }],
    Errors: [{ Key: 'b&', Code: 'AccessDenied', Message: 'No.' }],
  });
});

test('a deletion names versions, and asks for a quiet answer, only if it is to', () => {
  const Objects = [{ Key: 'a', VersionId: 'v&1' }, { Key: 'b\r\n' }];
  const objects = '<Object><Key>a</Key><VersionId>v&amp;1</VersionId></Object><Object><Key>b&#xD;\n</Key></Object>';
  const start = '<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">';
  assert.equal(writeDeletion({ Delete: { Objects } }), `${start}${objects}</Delete>`);
  assert.equal(writeDeletion({ Delete: { Objects, Quiet: true } }), `${start}${objects}<Quiet>true</Quiet></Delete>`);
});

test('what is no answer to a deletion names nothing', () => {
  for (const document of ['', '<html><Deleted><Key>a</Key></Deleted></html>']) {
    assert.deepEqual(readDeletion(document), { Deleted: [], Errors: [] });
  }
});

test('a copy has its ETag as it is meant, and what is no answer to a copy has none', () => {
  const document = '<?xml version="1.0"?>\n<CopyObjectResult xmlns="x"><ETag>&quot;abc&quot;</ETag></CopyObjectResult>';
  assert.deepEqual(readCopy(document), { CopyObjectResult: { ETag: '"abc"' } });
  for (const other of ['', '<CopyObjectResult></CopyObjectResult>', '<html><ETag>a</ETag></html>']) {
    assert.deepEqual(readCopy(other), {});
  }
});
