import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isExempt } from '../../lib/options/store/environment.js';
import { proxyChoice } from '../../lib/options/values.js';

test('NO_PROXY contains hosts, suffixes and addresses, with or without a port', () => {
  for (const [host, list, expected] of /** @type {[string, string, boolean][]} */ ([
    ['a.store.test', 'store.test', true],
    ['a.store.test', '.store.test', true],
    ['a.store.test', '*.store.test', true],
    ['A.Store.TEST', 'x, store.test ,y', true],
    ['a.store.test', 'x store.test', true],
    ['astore.test', 'store.test', false],
    ['store.test', 'a.store.test', false],
    ['a.store.test', 'store.test:443', true],
    ['a.store.test', 'store.test:80', false],
    ['a.store.test', '*', true],
    ['a.store.test', '', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '.2.7', false],
    ['2001:db8::7', '2001:db8::7', true],
    ['2001:db8::7', '[2001:db8::7]:443', true],
    ['2001:db8::7', '[2001:db8::7]:80', false],
    ['127.0.0.3', '', true],
    ['::1', '', true],
    ['localhost', '', true],
    ['bucket.localhost', '', true],
    ['notlocalhost', '', false],
  ])) {
    assert.equal(isExempt({ hostname: host, port: 443 }, list), expected, `${host} in "${list}"`);
  }
});

test('reads any NO_PROXY without an error', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'a.*:/[]0129, -') }),
      fc.constantFrom('a.b', '::2', '10.0.0.1'),
      (list, hostname) => {
        assert.equal(typeof isExempt({ hostname, port: 1 }, list), 'boolean');
      },
    ),
  );
});

test('--proxy accepts a URL without a password, env or none', () => {
  assert.deepEqual(proxyChoice('http://proxy.test:3128'), { hostname: 'proxy.test', port: 3128 });
  assert.deepEqual(proxyChoice('[::1]:3128'), { hostname: '::1', port: 3128 });
  assert.deepEqual([proxyChoice('env'), proxyChoice('none')], ['env', 'none']);
  assert.throws(() => proxyChoice('http://me:word@proxy.test'), /^RangeError: expected a URL without a password/);
  for (const given of ['', 'https://proxy.test', 'socks5://proxy.test', 'http://proxy.test/path', 'http://a b']) {
    assert.throws(() => proxyChoice(given), /^RangeError: expected env, none or a proxy such as/);
  }
});
