import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isVariable, readVariables } from '../../lib/series/sweep-plan.js';

describe('--vary', () => {
  test('takes options, arguments and buckets, with the numbers that their values stand for', () => {
    const { variables, problems } = readVariables([
      'size=4KiB,1MiB',
      'threads=1,8',
      'client=direct,sdk',
      'buckets=1,2',
    ]);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      variables.map(({ label, values, numbers }) => [label, values, numbers]),
      [
        ['size', ['4KiB', '1MiB'], [4096, 1_048_576]],
        ['threads', ['1', '8'], [1, 8]],
        ['client', ['direct', 'sdk'], null],
        ['buckets', ['1', '2'], [1, 2]],
      ],
    );
  });

  test('takes a name as an option or as in the library, and yes or no for a flag', () => {
    const { variables, problems } = readVariables([
      '--part-size=8MiB,16MiB',
      'keepAlive=yes,no',
      'no-preflight=yes,no',
    ]);
    assert.deepEqual(
      variables.map(({ name, label }) => [name, label]),
      [
        ['partSize', 'part-size'],
        ['keepAlive', 'keep-alive'],
      ],
    );
    assert.match(problems.join(), /got "no-preflight"; did you mean preflight\?$/);
  });

  test('given once, splits at commas; given several times, each is one value', () => {
    const { variables, problems } = readVariables(['mix=read=90,write=10', 'mix=read=50,write=50']);
    assert.deepEqual([problems, variables[0].values], [[], ['read=90,write=10', 'read=50,write=50']]);
  });

  test('refuses options that set neither the load nor the store, values twice, and a name without values', () => {
    const names = ['run-id=a,b', 'max-cost=1,2', 'json=a,b', 'size=4KiB,4KiB', 'threads'];
    assert.equal(readVariables(names).problems.length, names.length);
  });
});

test('a list is only suggested for --vary if the option takes each of its values', () => {
  assert.ok(isVariable('size', '4KiB,1MiB') && isVariable('threads', '1,4'));
  const others = [
    ['size', '4KiB'],
    ['size', '4KiB=60,8MiB=x'],
    ['stages', 'put,get'],
    ['json', 'a,b'],
  ];
  assert.deepEqual(
    others.filter(([label, text]) => isVariable(label, text)),
    [],
  );
});
