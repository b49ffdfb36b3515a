import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coloOf } from '../../lib/s3/colo.js';

test('the data center stands after the dash', () => {
  assert.equal(coloOf('230b030023ae2822-SJC'), 'SJC');
  assert.equal(coloOf('9a0f2b3c4d5e6f70-FRA'), 'FRA');
});

test('whatever else stands there names none', () => {
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
