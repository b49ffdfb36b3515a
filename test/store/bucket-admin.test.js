import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BucketAdmin, LIST_START, listPositionAfter } from '../../lib/store/bucket-admin.js';
import { MAX_DOCUMENT_BYTES } from '../../lib/store/object-connection.js';
import { AttemptError } from '../../lib/store/s3-error.js';
import { WITHHELD } from '../../lib/text/redact.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { startSocketServer } from '../helpers/socket-server.js';
import { openTestStore } from '../helpers/store.js';
import { startVersionedStore } from '../helpers/versioned-store.js';

/**
 * @import { ListPosition } from '../../lib/store/bucket-admin.js'
 * @import { Target } from '../helpers/store.js'
 * @import { VersionedStoreOptions } from '../helpers/versioned-store.js'
 * @import { TestContext } from 'node:test'
 */

const BUCKET = 'bucket-a';

/**
 * @param {TestContext} t
 * @param {Target} target
 * @param {number} [timeout] ms
 */
async function openAdmin(t, target, timeout = 10_000) {
  const { options } = await openTestStore(t, 'direct', target);
  const admin = new BucketAdmin(options, timeout);
  t.after(() => admin.close());
  return admin;
}

/**
 * @param {TestContext} t
 * @param {number} port of a store on this host
 */
function adminAt(t, port) {
  const credentials = { accessKeyId: 'key', secretAccessKey: 'a-secret-key' };
  return openAdmin(t, { hostname: '127.0.0.1', port, region: 'auto', credentials, tls: null });
}

/**
 * @param {TestContext} t
 * @param {string} document that a store answers to everything
 */
async function adminOfDocument(t, document) {
  const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${document.length}\r\n\r\n${document}`;
  const { port } = await startSocketServer(t, { onSocket: (socket) => socket.on('data', () => socket.write(answer)) });
  return adminAt(t, port);
}

/**
 * @param {TestContext} t
 * @param {readonly string[]} keys
 * @param {string} [faults]
 */
async function adminOf(t, keys, faults = '') {
  const endpoint = await startTestEndpoint(t, { faults });
  await Promise.all(keys.map((key) => endpoint.put(BUCKET, key, Buffer.from('x'))));
  return { endpoint, admin: await openAdmin(t, endpoint) };
}

/**
 * @param {BucketAdmin} admin
 * @param {string} prefix
 * @param {string} startAfter
 */
async function pageOf(admin, prefix, startAfter) {
  const { objects, next } = await admin.listPage(BUCKET, prefix, listPositionAfter(startAfter));
  return { keys: objects.map(({ key }) => key), isLast: next === null };
}

test('a page holds the keys under a prefix in their order', async (t) => {
  const { admin } = await adminOf(t, ['p/b', 'p/a', 'q/a', 'p', 'p/c & <d>']);
  assert.deepEqual(await pageOf(admin, 'p/', ''), { keys: ['p/a', 'p/b', 'p/c & <d>'], isLast: true });
  assert.deepEqual(await pageOf(admin, 'p/', 'p/a'), { keys: ['p/b', 'p/c & <d>'], isLast: true });
  assert.deepEqual(await pageOf(admin, 'nothing/', ''), { keys: [], isLast: true });
});

test('a list without an end is given up once it is longer than any that there is', async (t) => {
  const chunk = Buffer.alloc(65_536, '<Contents><Key>again</Key></Contents>');
  for (const length of ['', `content-length: ${10 * MAX_DOCUMENT_BYTES}\r\n`]) {
    let sent = 0;
    const server = await startSocketServer(t, {
      onSocket(socket) {
        const write = () => {
          while (!socket.destroyed && socket.write(chunk)) {
            sent += chunk.length;
          }
        };
        socket.once('data', () => {
          socket.on('drain', write);
          socket.write(`HTTP/1.1 200 OK\r\n${length}\r\n<ListBucketResult>`);
          write();
        });
      },
    });
    const admin = await adminAt(t, server.port);
    await assert.rejects(admin.listPage(BUCKET, 'p/', LIST_START), {
      ...{ name: 'AttemptError', kind: 'protocol', handling: 'fail' },
      message: 'the response is longer than any S3 document: more than 8388608 bytes',
    });
    await server.closed();
    assert.ok(sent > MAX_DOCUMENT_BYTES / 2);
  }
});

test('a page holds a thousand keys, and reports that there are more', async (t) => {
  const keys = Array.from({ length: 1001 }, (_, place) => `p/${String(place).padStart(4, '0')}`);
  const { admin } = await adminOf(t, keys);
  assert.deepEqual(await pageOf(admin, 'p/', ''), { keys: keys.slice(0, 1000), isLast: false });
  assert.deepEqual(await pageOf(admin, 'p/', keys[999]), { keys: keys.slice(1000), isLast: true });
});

test('the next page is requested by token, or by marker and key if the store sends none', async (t) => {
  const keys = Array.from({ length: 1001 }, (_, place) => `p/${String(place).padStart(4, '0')}`);
  const { admin } = await adminOf(t, keys);
  for (const foreign of [false, true]) {
    const list = (/** @type {ListPosition} */ from) =>
      foreign ? admin.listForeignPage(BUCKET, 'p/', from) : admin.listPage(BUCKET, 'p/', from);
    const { next } = await list(LIST_START);
    assert.deepEqual(Object.keys(next?.input ?? {}), ['ContinuationToken']);
    const { objects, next: end } = await list(next ?? LIST_START);
    assert.deepEqual([objects.map(({ key }) => key), end], [[keys[1000]], null]);
  }
  const page = '<IsTruncated>true</IsTruncated><Contents><Key>p/b</Key><Size>1</Size></Contents>';
  const first = await (
    await adminOfDocument(t, `<ListBucketResult>${page}</ListBucketResult>`)
  ).listPage(BUCKET, 'p/', LIST_START);
  assert.deepEqual(first.next, { after: 'p/b', input: { StartAfter: 'p/b', Marker: 'p/b' } });
});

test('a page that begins before the end of the previous one is refused, as is an empty one without a token', async (t) => {
  const again = '<IsTruncated>true</IsTruncated><Contents><Key>p/b</Key><Size>1</Size></Contents>';
  const admin = await adminOfDocument(t, `<ListBucketResult>${again}</ListBucketResult>`);
  const { next } = await admin.listPage(BUCKET, 'p/', LIST_START);
  await assert.rejects(admin.listPage(BUCKET, 'p/', next ?? LIST_START), /lists keys that were not requested/);
  const empty = '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>';
  const emptyAdmin = await adminOfDocument(t, empty);
  await assert.rejects(emptyAdmin.listPage(BUCKET, 'p/', LIST_START), {
    message: 'the list of bucket bucket-a claims to continue but contains no objects',
  });
});

test('a batch of keys is deleted, those that do not exist included, and no other', async (t) => {
  const { admin, endpoint } = await adminOf(t, ['p/a', 'p/b & c', 'p/d']);
  assert.deepEqual(await admin.deleteBatch(BUCKET, ['p/a', 'p/b & c', 'p/not-there']), []);
  assert.deepEqual(await endpoint.list(BUCKET), ['p/d']);
});

test('the store’s reason for a key that it did not delete is reported, however short', async (t) => {
  const errors = [
    '<Key>p/a</Key><Code>AccessDenied</Code><Message>Locked.</Message>',
    '<Key>p/b</Key><Message>Locked.</Message>',
    '<Key>p/c</Key><Code>AccessDenied</Code>',
    '<Key>p/d</Key>',
    '<Code>InternalError</Code>',
    '<Key>p/&#27;[2J</Key><Message>no &#27;] a-s&#x65;cret\\u002dkey</Message>',
    '',
  ];
  const document = `<DeleteResult>${errors.map((error) => `<Error>${error}</Error>`).join('')}</DeleteResult>`;
  const admin = await adminOfDocument(t, document);
  assert.deepEqual(await admin.deleteBatch(BUCKET, ['p/a', 'p/b', 'p/c', 'p/d', 'p/e', 'p/f']), [
    'p/a: AccessDenied Locked.',
    'p/b: Locked.',
    'p/c: AccessDenied',
    'p/d: no reason given',
    'an unnamed key: InternalError',
    String.raw`p/\u{1b}[2J: ${WITHHELD}`,
    'an unnamed key: no reason given',
  ]);
});

test('a refusal is an attempt’s error', async (t) => {
  const { admin } = await adminOf(t, [], 'LIST.status=503:100%,POST.status=403:100%');
  await assert.rejects(admin.listPage(BUCKET, 'p/', LIST_START), {
    name: 'AttemptError',
    kind: 'throttled',
    handling: 'retry',
  });
  await assert.rejects(admin.deleteBatch(BUCKET, ['p/a']), { name: 'AttemptError', kind: 'denied', handling: 'stop' });
  await assert.rejects(admin.listPage('elsewhere', 'p/', LIST_START), { name: 'AttemptError', kind: 'no-bucket' });
});

test('a request that is never answered ends in time, and is tried again by the caller that retries', async (t) => {
  const endpoint = await startTestEndpoint(t, { faults: 'LIST.hang=100%' });
  const admin = await openAdmin(t, endpoint, 100);
  await assert.rejects(admin.listPage(BUCKET, 'p/', LIST_START), (error) => {
    assert.ok(error instanceof AttemptError);
    assert.deepEqual([error.kind, error.handling], ['timeout', 'retry']);
    return true;
  });
});

test('whether an object is there is asked of its key', async (t) => {
  const { admin } = await adminOf(t, ['p/a']);
  assert.deepEqual([await admin.has(BUCKET, 'p/a'), await admin.has(BUCKET, 'p/b')], [true, false]);
  const { admin: denied } = await adminOf(t, ['p/a'], 'HEAD.status=403:100%');
  await assert.rejects(denied.has(BUCKET, 'p/a'), { name: 'AttemptError', kind: 'denied' });
});

test('keys that a URL or XML has to escape are found, listed and deleted', async (t) => {
  const keys = ['p/ +?#%41&=', 'p/<é>"\'', 'p/\u{1f600}', 'p/a\rb\nc'].toSorted((one, other) =>
    Buffer.compare(Buffer.from(one), Buffer.from(other)),
  );
  const { admin, endpoint } = await adminOf(t, keys);
  for (const key of keys) {
    assert.equal(await admin.has(BUCKET, key), true, key);
  }
  const { objects, ...page } = await admin.listForeignPage(BUCKET, 'p/', LIST_START);
  const keysOf = objects.map(({ key }) => key);
  assert.deepEqual({ keys: keysOf, ...page }, { keys, next: null, unreadable: 0, isDecoded: true });
  assert.deepEqual((await admin.listForeignPage(BUCKET, '', listPositionAfter(keys[2]))).objects.length, 1);
  assert.deepEqual(await admin.deleteBatch(BUCKET, keys), []);
  assert.deepEqual(await endpoint.list(BUCKET), []);
});

test('requests at the same time each get their own answer', async (t) => {
  const keys = Array.from({ length: 40 }, (_, place) => `p/${String(place).padStart(2, '0')}`);
  const { admin } = await adminOf(t, keys);
  const pages = await Promise.all(keys.map((key) => pageOf(admin, key, '')));
  assert.deepEqual(
    pages,
    keys.map((key) => ({ keys: [key], isLast: true })),
  );
  assert.equal(admin.requests, keys.length);
});

/**
 * @param {TestContext} t
 * @param {VersionedStoreOptions} [options]
 */
async function versionedAdmin(t, options) {
  const store = await startVersionedStore(t, options);
  const admin = await adminAt(t, store.port);
  const body = Buffer.from('x');
  store.versions.set('p/a', [
    { id: '3', body: null },
    { id: '2', body },
    { id: '1', body },
  ]);
  store.versions.set('p/b', [{ id: '4', body }]);
  store.versions.set('q', [{ id: '5', body }]);
  return { store, admin };
}

test('a list of versions shows what a read returns, older versions and delete markers, page by page', async (t) => {
  for (const pageLength of [1, 2, 3, 1000]) {
    const { admin } = await versionedAdmin(t, { pageLength });
    const found = [];
    let page = await admin.listVersionsPage(BUCKET, 'p/', LIST_START);
    found.push(...page.versions);
    while (page.next !== null) {
      page = await admin.listVersionsPage(BUCKET, 'p/', page.next);
      found.push(...page.versions);
    }
    const inOrder = found.toSorted((one, other) => Number(one.versionId) - Number(other.versionId));
    assert.deepEqual(inOrder, [
      { key: 'p/a', versionId: '1', isObject: false },
      { key: 'p/a', versionId: '2', isObject: false },
      { key: 'p/a', versionId: '3', isObject: false },
      { key: 'p/b', versionId: '4', isObject: true },
    ]);
  }
});

test('versions are removed one by one, and those that are refused are named', async (t) => {
  const { admin, store } = await versionedAdmin(t);
  store.mayRemove = (_key, id) => id !== '2';
  const versions = ['1', '2', '3'].map((versionId) => ({ key: 'p/a', versionId, isObject: false }));
  assert.deepEqual(await admin.deleteVersions(BUCKET, versions), ['p/a: AccessDenied']);
  assert.deepEqual(
    store.versions.get('p/a')?.map(({ id }) => id),
    ['2'],
  );
});

test('a bucket shows whether it keeps versions, or an object of it does', async (t) => {
  const { admin } = await versionedAdmin(t, { status: 'Suspended' });
  assert.equal(await admin.versioningOf(BUCKET), 'Suspended');
  assert.equal(await admin.versionIdOf(BUCKET, 'p/b'), '4');
  const { admin: plain } = await adminOf(t, ['p/a']);
  assert.equal(await plain.versionIdOf(BUCKET, 'p/a'), null);
  await assert.rejects(plain.versioningOf(BUCKET), { status: 501 });
});

test('a list of versions that continues at its beginning is refused', async (t) => {
  const truncated = '<IsTruncated>true</IsTruncated>';
  for (const [next, expected] of [
    ['', /is stuck: the next page does not advance/],
    [
      '<NextKeyMarker>k</NextKeyMarker><NextVersionIdMarker>v</NextVersionIdMarker>',
      /is stuck: the next page does not advance/,
    ],
    ['<NextKeyMarker>a</NextKeyMarker>', /is stuck: the next page does not advance/],
    [null, /the response to ListObjectVersions is not a list/],
  ]) {
    const body =
      next === null ? '<ListVersionsResult/>' : `<ListVersionsResult>${truncated}${next}</ListVersionsResult>`;
    const admin = await adminOfDocument(t, body);
    await assert.rejects(
      admin.listVersionsPage(BUCKET, '', { after: 'k', input: { IdMarker: 'v' } }),
      /** @type {RegExp} */ (expected),
    );
  }
});
