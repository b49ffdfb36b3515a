import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coloOf, isR2 } from '../../lib/store/address.js';

test('R2 is known by the name of its hosts, those of jurisdictions included', () => {
  const hosts = ['abc.r2.cloudflarestorage.com', 'abc.eu.r2.cloudflarestorage.com', 'ABC.R2.CloudflareStorage.com'];
  assert.deepEqual(hosts.map(isR2), [true, true, true]);
  const others = ['r2.cloudflarestorage.com.example', 'xr2.cloudflarestorage.com', 's3.amazonaws.com', '127.0.0.1'];
  assert.deepEqual(others.map(isR2), [false, false, false, false]);
});

test('the data centre stands after the dash', () => {
  assert.equal(coloOf('230b030023ae2822-SJC'), 'SJC');
  assert.equal(coloOf('9a0f2b3c4d5e6f70-FRA'), 'FRA');
});

test('any other text names none', () => {
  for (const ray of [
    '',
    '230b030023ae2822',
    '230b030023ae2822-',
    '-FRA',
    'a-fra',
    'a-FRAN',
    'a-FRA-x',
    'a-FRA\n',
    'A-FRA',
  ]) {
    assert.equal(coloOf(ray), null, ray);
  }
  fc.assert(fc.property(fc.string(), (ray) => assert.match(coloOf(ray) ?? 'XXX', /^[A-Z]{3}$/)));
});
