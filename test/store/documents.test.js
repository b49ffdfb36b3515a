import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteObjects } from '../../lib/local-s3/operations.js';
import { ObjectTable } from '../../lib/local-s3/object-table.js';
import { S3_CALLS, writeDeletion } from '../../lib/store/s3-calls.js';
import { readXml } from '../../lib/text/xml.js';

/** @import { S3Call } from '../../lib/store/s3-calls.js' */

/**
 * @param {S3Call} call
 * @returns {(document: string) => any} reads a response to it
 */
function readerOf({ readOutput, keyedEntry }) {
  return (document) => {
    const { root, keys } = readXml(document, keyedEntry);
    return readOutput?.(root, keys);
  };
}

const readList = readerOf(S3_CALLS.ListObjectsV2);
const readDeletion = readerOf(S3_CALLS.DeleteObjects);
const readCopy = readerOf(S3_CALLS.CopyObject);
const readUpload = readerOf(S3_CALLS.CreateMultipartUpload);
const readCompletion = readerOf(S3_CALLS.CompleteMultipartUpload);

/** @param {string} content */
function list(content) {
  return `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</ListBucketResult>`;
}

test('a list has its keys as they are meant, and shows whether it continues', () => {
  const contents = ['a/0', 'a&amp;b', '&lt;&#x41;&#10;'].map(
    (key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`,
  );
  assert.deepEqual(readList(list(`<IsTruncated>true</IsTruncated>${contents.join('')}`)), {
    Contents: [{ Key: 'a/0' }, { Key: 'a&b' }, { Key: '<A\n' }],
    IsTruncated: true,
    EncodingType: undefined,
    NextContinuationToken: undefined,
  });
  const empty = { Contents: [], IsTruncated: false, EncodingType: undefined, NextContinuationToken: undefined };
  assert.deepEqual(readList(list('<IsTruncated>false</IsTruncated>')), empty);
});

test('a document other than a list shows no end', () => {
  for (const document of [
    '',
    '<html><body>welcome</body></html>',
    list(''),
    list('<IsTruncated>maybe</IsTruncated>'),
  ]) {
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
      const { body } = deleteObjects({ table, body: Buffer.from(request, 'utf8') });
      assert.deepEqual(readDeletion(body.toString()), { Deleted: keys.map((Key) => ({ Key })), Errors: [] });
      assert.equal(table.size, 0);
    }),
  );
});

test('keys that were not deleted have their codes and messages', () => {
  const content =
    '<Deleted><Key>a</Key></Deleted><Error><Key>b&amp;</Key><Code>AccessDenied</Code><Message>No.</Message></Error><Error/>';
  assert.deepEqual(readDeletion(`<DeleteResult>${content}</DeleteResult>`), {
    Deleted: [{ Key: 'a' }],
    Errors: [
      { Key: 'b&', Code: 'AccessDenied', Message: 'No.' },
      { Key: '', Code: '' },
    ],
  });
});

test('a deletion names versions, and asks for a quiet answer, only if it is to', () => {
  const Objects = [{ Key: 'a', VersionId: 'v&1' }, { Key: 'b\r\n' }];
  const objects = '<Object><Key>a</Key><VersionId>v&amp;1</VersionId></Object><Object><Key>b&#xD;\n</Key></Object>';
  const start = '<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">';
  assert.equal(writeDeletion({ Delete: { Objects } }), `${start}${objects}</Delete>`);
  assert.equal(writeDeletion({ Delete: { Objects, Quiet: true } }), `${start}${objects}<Quiet>true</Quiet></Delete>`);
});

test('a document other than an answer to a deletion names nothing', () => {
  for (const document of ['', '<html><body><Deleted><Key>a</Key></Deleted></body></html>']) {
    assert.deepEqual(readDeletion(document), { Deleted: [], Errors: [] });
  }
});

test('a copy has its intended ETag, and other documents have none', () => {
  const document = '<?xml version="1.0"?>\n<CopyObjectResult xmlns="x"><ETag>&quot;abc&quot;</ETag></CopyObjectResult>';
  assert.deepEqual(readCopy(document), { CopyObjectResult: { ETag: '"abc"' } });
  for (const other of ['', '<CopyObjectResult></CopyObjectResult>', '<html><body><ETag>a</ETag></body></html>']) {
    assert.deepEqual(readCopy(other), { CopyObjectResult: { ETag: undefined } });
  }
});

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** Spellings of XML that mean the same. @type {Record<string, (document: string) => string>} */
const SPELLINGS = {
  'without a declaration': (document) => document.replace(/^<\?.*?\?>/, ''),
  'after a byte order mark': (document) => `\ufeff${document}`,
  'after blank lines': (document) => `\n\n ${document}`,
  'with a declaration in single quotes': (document) => document.replaceAll('"', "'"),
  'without a namespace': (document) => document.replace(/ xmlns="[^"]*"/, ''),
  'with a prefix': (document) => document.replace(/<(\/?)([A-Za-z]+)/g, '<$1s3:$2').replace(' xmlns=', ' xmlns:s3='),
  'with attributes': (document) => document.replaceAll('<Key>', '<Key xml:space="preserve" type=\'x > y\'>'),
  'with other root elements': (document) =>
    document.replace(/(<\/?)[A-Za-z]+(?=[^<]*>\s*$)|(<)[A-Za-z]+(?= xmlns)/g, '$1$2Other'),
  'with white space between elements': (document) => document.replaceAll('><', '>\r\n\t <'),
  'with white space in tags': (document) => document.replace(/(<\/[A-Za-z]+)>/g, '$1 >'),
  'with comments': (document) => document.replaceAll('><', '><!-- <Key>no</Key> --><'),
  'with instructions': (document) => document.replaceAll('><', '><?x </Contents> ?><'),
  'with CDATA': (document) => document.replace(/>([^<>&]+)<\//g, '><![CDATA[$1]]></'),
  'with decimal references': (document) =>
    document.replace(/>([a-z0-9/]+)</g, (_, text) => `>${[...text].map((c) => `&#${c.charCodeAt(0)};`).join('')}<`),
  'with hexadecimal references': (document) =>
    document.replace(
      />([a-z0-9/]+)</g,
      (_, text) => `>${[...text].map((c) => `&#x${c.charCodeAt(0).toString(16)};`).join('')}<`,
    ),
  'with a document type': (document) => document.replace('?>', '?><!DOCTYPE r [<!ELEMENT r ANY>]>'),
  'with capitals': (document) => document.replace('>true<', '>True<').replace('>false<', '>FALSE<'),
};

test('each call reads its response in every spelling of XML', () => {
  const cases = /** @type {const} */ ([
    [
      readList,
      `<ListBucketResult xmlns="${NAMESPACE}"><Name>b</Name><IsTruncated>true</IsTruncated><Contents><Key>a/0</Key><Size>1</Size></Contents><Contents><Key>a/1</Key><Size>1</Size></Contents></ListBucketResult>`,
      {
        Contents: [{ Key: 'a/0' }, { Key: 'a/1' }],
        IsTruncated: true,
        EncodingType: undefined,
        NextContinuationToken: undefined,
      },
    ],
    [
      readDeletion,
      `<DeleteResult xmlns="${NAMESPACE}"><Deleted><Key>a/0</Key></Deleted><Error><Key>a/1</Key><Code>x</Code></Error></DeleteResult>`,
      { Deleted: [{ Key: 'a/0' }], Errors: [{ Key: 'a/1', Code: 'x' }] },
    ],
    [
      readCopy,
      `<CopyObjectResult xmlns="${NAMESPACE}"><LastModified>x</LastModified><ETag>&quot;ab&quot;</ETag></CopyObjectResult>`,
      { CopyObjectResult: { ETag: '"ab"' } },
    ],
    [
      readUpload,
      `<InitiateMultipartUploadResult xmlns="${NAMESPACE}"><Bucket>b</Bucket><UploadId>u1</UploadId></InitiateMultipartUploadResult>`,
      { UploadId: 'u1' },
    ],
    [
      readCompletion,
      `<CompleteMultipartUploadResult xmlns="${NAMESPACE}"><ETag>&quot;ab-2&quot;</ETag></CompleteMultipartUploadResult>`,
      { ETag: '"ab-2"' },
    ],
  ]);
  for (const [read, body, expected] of cases) {
    const document = `<?xml version="1.0" encoding="UTF-8"?>\n${body}`;
    assert.deepEqual(read(document), expected);
    for (const [spelling, write] of Object.entries(SPELLINGS)) {
      assert.deepEqual(read(write(document)), expected, `${spelling}: ${write(document)}`);
    }
  }
});
