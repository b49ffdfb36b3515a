import assert from 'node:assert/strict';
import { test } from 'node:test';
import { route } from '../../lib/local-s3/router.js';

test('each request is told apart by method, path and query', () => {
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
    ['POST', '/b/k', 'OTHER'],
    ['PATCH', '/b/k', 'OTHER'],
  ]) {
    const { operation: found, refusal } = route(method, url);
    assert.deepEqual([found, refusal === null], [operation, operation !== 'OTHER'], `${method} ${url}`);
  }
});

test('bucket, key and query are decoded, each by itself', () => {
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

test('what is refused says why', () => {
  for (const [method, url, code] of [
    ['GET', '/', 'InvalidURI'],
    ['GET', 'http://host/b', 'InvalidURI'],
    ['OPTIONS', '*', 'InvalidURI'],
    ['GET', '/b/%zz', 'InvalidURI'],
    ['GET', '/b/%ff', 'InvalidURI'],
    ['GET', '/b?prefix=%zz', 'InvalidURI'],
    ['GET', `/b/${'k'.repeat(1025)}`, 'KeyTooLongError'],
    ['PATCH', '/b/k', 'MethodNotAllowed'],
    ['POST', '/b/k?uploads', 'NotImplemented'],
  ]) {
    assert.equal(route(method, url).refusal?.code, code, `${method} ${url}`);
  }
});
