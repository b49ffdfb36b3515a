import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUCKET_CALLS } from '../../lib/store/bucket-admin.js';
import { XmlElement, readXml } from '../../lib/text/xml.js';
import { MAX_DOCUMENT_BYTES } from '../../lib/store/object-connection.js';
import { startCpuTime } from '../helpers/cpu-time.js';

/**
 * @param {keyof typeof BUCKET_CALLS} name
 * @param {string} document
 * @returns {any} the call's output
 */
function read(name, document) {
  const { readOutput } = BUCKET_CALLS[name];
  const { root, isWhole } = readXml(document);
  return readOutput?.(isWhole ? root : new XmlElement(''), []);
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

test('a list of objects has their keys, sizes, dates and ETags', () => {
  const entries = [
    '<Contents><Key>a&amp;&#x20;b</Key><LastModified>2026-01-31T00:00:01.500Z</LastModified><ETag>&quot;e&quot;</ETag><Size>12</Size><Owner><ID>o</ID></Owner></Contents>',
    '<Contents><Key>\u00e9</Key><LastModified>soon</LastModified><Size>many</Size></Contents>',
    '<Contents><Size></Size></Contents>',
    '<Contents><Size>-5</Size></Contents>',
    '<Contents><Size>1e308</Size></Contents>',
  ];
  const list = `${HEAD}<ListBucketResult xmlns="x"><IsTruncated>true</IsTruncated><EncodingType>url</EncodingType>${entries.join('\n')}</ListBucketResult>\n`;
  assert.deepEqual(read('ListObjectsV2', list), {
    Contents: [
      { Key: 'a& b', size: 12, modifiedAt: Date.UTC(2026, 0, 31, 0, 0, 1, 500), etag: '"e"' },
      { Key: '\u00e9', size: NaN, modifiedAt: 0, etag: '' },
      ...Array(3).fill({ Key: '', size: NaN, modifiedAt: 0, etag: '' }),
    ],
    IsTruncated: true,
    NextContinuationToken: undefined,
    EncodingType: 'url',
  });
});

test('a document that is another one, or not whole, does not show whether the list continues', () => {
  const end = '<IsTruncated>false</IsTruncated>';
  const roots = /** @type {const} */ ({
    ListObjectsV2: 'ListBucketResult',
    ListObjectVersions: 'ListVersionsResult',
    ListMultipartUploads: 'ListMultipartUploadsResult',
  });
  for (const [name, root] of Object.entries(roots)) {
    const call = /** @type {keyof typeof roots} */ (name);
    const truncationIn = (/** @type {string} */ document) => {
      const { IsTruncated, isTruncated = IsTruncated } = read(call, document);
      return isTruncated;
    };
    assert.equal(truncationIn(`<${root}>${end}</${root}>`), false);
    for (const document of [
      '',
      `<html><body>${end}</body></html>`,
      `<${root}>${end}`,
      `<${root}></${root}>`,
      `<${root}><IsTruncated>perhaps</IsTruncated></${root}>`,
    ]) {
      assert.equal(truncationIn(document), undefined, document);
    }
  }
});

test('a list of versions has versions, delete markers and the position of the next page', () => {
  const entries = [
    '<Version><Key>a</Key><VersionId>2</VersionId><IsLatest>true</IsLatest></Version>',
    '<DeleteMarker><Key>b</Key><VersionId>3</VersionId><IsLatest>true</IsLatest></DeleteMarker>',
    '<Version><Key>b</Key><VersionId>null</VersionId><IsLatest>false</IsLatest></Version>',
  ];
  const next = '<NextKeyMarker>b&lt;</NextKeyMarker><NextVersionIdMarker>4</NextVersionIdMarker>';
  const list = `${HEAD}<ListVersionsResult><KeyMarker/><IsTruncated>true</IsTruncated>${next}${entries.join('')}</ListVersionsResult>`;
  assert.deepEqual(read('ListObjectVersions', list), {
    entries: [
      { key: 'a', versionId: '2', isObject: true },
      { key: 'b', versionId: 'null', isObject: false },
      { key: 'b', versionId: '3', isObject: false },
    ],
    isTruncated: true,
    nextKey: 'b<',
    nextId: '4',
  });
});

test('a list of uploads has their ids and dates', () => {
  const upload =
    '<Upload><Key>a</Key><UploadId>u</UploadId><Initiator><ID>i</ID></Initiator><Initiated>2026-01-31T00:00:00Z</Initiated></Upload>';
  const list = `<ListMultipartUploadsResult><UploadIdMarker/><IsTruncated>false</IsTruncated>${upload}</ListMultipartUploadsResult>`;
  assert.deepEqual(read('ListMultipartUploads', list), {
    entries: [{ key: 'a', uploadId: 'u', initiatedAt: Date.UTC(2026, 0, 31) }],
    isTruncated: false,
    nextKey: undefined,
    nextId: undefined,
  });
});

test('versioning has a status, or never had one', () => {
  const configuration = (/** @type {string} */ content) =>
    read('GetBucketVersioning', `<VersioningConfiguration>${content}</VersioningConfiguration>`);
  assert.deepEqual(configuration('<Status>Enabled</Status>'), { status: 'Enabled' });
  assert.deepEqual(configuration(''), { status: undefined });
});

test('a key with half a surrogate pair becomes one that a URL can hold', () => {
  const list = '<ListBucketResult><Contents><Key>a&#xD800;b</Key></Contents></ListBucketResult>';
  assert.equal(read('ListObjectsV2', list).Contents[0].Key, 'a\ufffdb');
});

test('a document of the greatest length is read in time, whatever is in it', () => {
  for (const piece of ['<Contents>', '<Contents><Key>', '<IsTruncated>', '</Contents>', '&#x41;', '<']) {
    const document = `<ListBucketResult>${piece.repeat(MAX_DOCUMENT_BYTES / piece.length)}`;
    const cpuTime = startCpuTime();
    assert.equal(read('ListObjectsV2', document).IsTruncated, undefined);
    assert.ok(cpuTime() < 4000, piece);
  }
});

test('a default retention has a mode, and a number of days or years', () => {
  const retentionOf = (/** @type {string} */ content) =>
    read('GetObjectLockConfiguration', `<L><Rule><DefaultRetention>${content}</DefaultRetention></Rule></L>`).retention;
  assert.equal(retentionOf('<Mode>COMPLIANCE</Mode><Years>2</Years>'), 'COMPLIANCE, 2 years');
});
