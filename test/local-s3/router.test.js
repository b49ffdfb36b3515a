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
    ['POST', '/b/?delete=', 'POST'],
    ['GET', '/b?uploads&prefix=a', 'UPLOADS'],
    ['POST', '/b/k?uploads=&x-id=CreateMultipartUpload', 'CREATE'],
    ['PUT', '/b/k?uploadId=u&partNumber=1', 'PART'],
    ['POST', '/b/k?uploadId=u', 'COMPLETE'],
    ['DELETE', '/b/k?uploadId=u', 'ABORT'],
  ]) {
    const { operation: found, refusal } = route(method, url);
    assert.deepEqual([found, refusal], [operation, null], `${method} ${url}`);
  }
});

test('explains why it refuses a request', () => {
  for (const [method, url, code] of [
    ['GET', '/', 'InvalidURI'],
    ['GET', 'http://host/b', 'InvalidURI'],
    ['OPTIONS', '*', 'InvalidURI'],
    ['GET', '/b/%zz', 'InvalidURI'],
    ['GET', '/b?prefix=%ff', 'InvalidURI'],
    ['GET', `/b/${'k'.repeat(1025)}`, 'KeyTooLongError'],
    ['PATCH', '/b/k', 'NotImplemented'],
    ['GET', '/b', 'NotImplemented'],
    ['GET', '/b/k?uploadId=u', 'NotImplemented'],
    ['PUT', '/b/k?partNumber=1', 'NotImplemented'],
  ]) {
    const { operation, refusal } = route(method, url);
    assert.deepEqual([operation, refusal?.code], ['OTHER', code], `${method} ${url}`);
  }
});

test('decodes bucket, key and query separately', () => {
  const { target } = route('GET', '/b%2D1/a%2Fb/%C3%A9%20+?prefix=a%26b&prefix=last%3D&flag');
  const { path, bucket, key, query } = target;
  assert.deepEqual([path, bucket, key], ['/b%2D1/a%2Fb/%C3%A9%20+', 'b-1', 'a/b/é +']);
  assert.deepEqual({ ...query }, { prefix: 'last=', flag: '' });
});

test('a bucket in the host name is not part of the path, and a base path is removed', () => {
  const basePath = '/storage/v1/s3';
  const host = 'bucket-a.localhost:9000';
  for (const [url, naming, bucket, key] of /** @type {[string, object, string, string][]} */ ([
    ['/a/key', { host }, 'bucket-a', 'a/key'],
    ['/?list-type=2', { host }, 'bucket-a', ''],
    ['/bucket-a', { host }, 'bucket-a', 'bucket-a'],
    [`${basePath}/bucket-b/a/key`, { basePath }, 'bucket-b', 'a/key'],
    [`${basePath}/a/key`, { basePath, host }, 'bucket-a', 'a/key'],
    ['/bucket-b/key', { host: 'bucket.store.test' }, 'bucket-b', 'key'],
    ['/bucket-b/key', { host: 'localhost:9000' }, 'bucket-b', 'key'],
  ])) {
    const { target } = route('GET', url, naming);
    assert.deepEqual([target.bucket, target.key, target.path], [bucket, key, url.split('?')[0]]);
  }
  for (const url of ['/bucket-a/key', `${basePath}/`, '/storage/v1/s3x/bucket-a']) {
    assert.equal(route('GET', url, { basePath }).refusal?.code, 'InvalidURI', url);
  }
});
