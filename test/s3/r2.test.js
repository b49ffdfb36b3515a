import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isR2 } from '../../lib/s3/r2.js';

test('R2 is known by the name of its hosts, those of jurisdictions included', () => {
  const hosts = ['abc.r2.cloudflarestorage.com', 'abc.eu.r2.cloudflarestorage.com', 'ABC.R2.CloudflareStorage.com'];
  assert.deepEqual(hosts.map(isR2), [true, true, true]);
  const others = ['r2.cloudflarestorage.com.example', 'xr2.cloudflarestorage.com', 's3.amazonaws.com', '127.0.0.1'];
  assert.deepEqual(others.map(isR2), [false, false, false, false]);
});
