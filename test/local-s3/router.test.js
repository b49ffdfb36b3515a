import assert from 'node:assert/strict';
import { test } from 'node:test';
import { route } from '../../lib/local-s3/router.js';

test('distinguishes requests by method, path and query', () => {
  for (const [method, url, operation] of [
    ['PUT', '/b/k?x-id=PutObject', 'PUT'],
    ['GET', '/b/k', 'GET'],
    ['HEAD', '/b/a/b', 'HEAD'],
    ['DELETE', '/b//', 'DELETE'],
    ['HEAD', '/b', 'BUCKET'],
    ['HEAD', '/b/', 'BUCKET'],
    ['GET', '/b?list-type=2&prefix=p', 'LIST'],
    ['GET', '/b/?list-type=2', 'LIST'],
    ['POST', '/b?delete', 'POST'],
    ['POST', '/b/?delete=', 'POST'],
    ['GET', '/b', 'OTHER'],
    ['PUT', '/b', 'OTHER'],
    ['GET', '/b/k?uploads', 'OTHER'],
    ['GET', '/b?uploads&prefix=a', 'UPLOADS'],
    ['POST', '/b/k?uploads', 'CREATE'],
    ['POST', '/b/k?uploads=&x-id=CreateMultipartUpload', 'CREATE'],
    ['PUT', '/b/k?uploadId=u&partNumber=1', 'PART'],
    ['PUT', '/b/k?partNumber=1', 'OTHER'],
    ['POST', '/b/k?uploadId=u', 'COMPLETE'],
    ['DELETE', '/b/k?uploadId=u', 'ABORT'],
    ['GET', '/b/k?uploadId=u', 'OTHER'],
    ['POST', '/b/k', 'OTHER'],
    ['PATCH', '/b/k', 'OTHER'],
  ]) {
    const { operation: found, refusal } = route(method, url);
    assert.deepEqual([found, refusal === null], [operation, operation !== 'OTHER'], `${method} ${url}`);
  }
});

test('decodes bucket, key and query separately', () => {
  const { target } = route('GET', '/b%2D1/a%2Fb/%C3%A9%20+?prefix=a%26b&prefix=last%3D&flag');
  assert.deepEqual(
    { ...target, query: { ...target.query } },
    {
      path: '/b%2D1/a%2Fb/%C3%A9%20+',
      bucket: 'b-1',
      key: 'a/b/é +',
      query: { prefix: 'last=', flag: '' },
    },
  );
});

test('explains why it refuses a request', () => {
  for (const [method, url, code] of [
    ['GET', '/', 'InvalidURI'],
    ['GET', 'http://host/b', 'InvalidURI'],
    ['OPTIONS', '*', 'InvalidURI'],
    ['GET', '/b/%zz', 'InvalidURI'],
    ['GET', '/b/%ff', 'InvalidURI'],
    ['GET', '/b?prefix=%zz', 'InvalidURI'],
    ['GET', `/b/${'k'.repeat(1025)}`, 'KeyTooLongError'],
    ['PATCH', '/b/k', 'MethodNotAllowed'],
    ['GET', '/b/k?uploadId=u', 'NotImplemented'],
  ]) {
    assert.equal(route(method, url).refusal?.code, code, `${method} ${url}`);
  }
});

test('a bucket in the host name is not part of the path', () => {
  const host = 'bucket-a.localhost:9000';
  for (const [method, url, operation, key] of [
    ['PUT', '/a/key', 'PUT', 'a/key'],
    ['HEAD', '/', 'BUCKET', ''],
    ['GET', '/?list-type=2', 'LIST', ''],
    ['GET', '/bucket-a', 'GET', 'bucket-a'],
  ]) {
    const found = route(method, url, { host });
    assert.deepEqual([found.operation, found.target.bucket, found.target.key], [operation, 'bucket-a', key]);
    assert.equal(found.target.path, url.split('?')[0], 'what is signed');
  }
  for (const other of ['localhost:9000', '127.0.0.1:9000', 'bucket.store.test', 'localhost']) {
    assert.equal(route('GET', '/bucket-b/key', { host: other }).target.bucket, 'bucket-b');
  }
});

test('removes a base path, and rejects paths outside it', () => {
  const basePath = '/storage/v1/s3';
  const { target } = route('GET', `${basePath}/bucket-a/a/key`, { basePath });
  assert.deepEqual([target.bucket, target.key, target.path], ['bucket-a', 'a/key', `${basePath}/bucket-a/a/key`]);
  const inHost = route('GET', `${basePath}/a/key`, { basePath, host: 'bucket-a.localhost' }).target;
  assert.deepEqual([inHost.bucket, inHost.key], ['bucket-a', 'a/key']);
  for (const url of ['/bucket-a/key', basePath, `${basePath}/`, '/storage/v1/s3x/bucket-a']) {
    assert.equal(route('GET', url, { basePath }).refusal?.code, 'InvalidURI', url);
  }
});
