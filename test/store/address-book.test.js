import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressBook } from '../../lib/store/http/address-book.js';
import { mockLookup } from '../helpers/mock-lookup.js';

/** ms */
const ABSENCE = 60_000;

/** @param {AddressBook} book */
async function threeOf(book) {
  return [await book.next(), await book.next(), await book.next()];
}

test('the addresses of a name are handed out in turn, after one look-up', async (t) => {
  const lookup = mockLookup(t, () => ['192.0.2.1', '192.0.2.2']);
  const book = new AddressBook('store.test', () => 0);
  const [one, other, third] = await Promise.all([book.next(), book.next(), book.next()]);
  assert.deepEqual([one, other, third], ['192.0.2.1', '192.0.2.2', '192.0.2.1']);
  assert.deepEqual(lookup.names, ['store.test']);
});

test('the look-up’s time is told', async (t) => {
  let now = 100;
  mockLookup(t, () => {
    now += 12;
    return ['192.0.2.1'];
  });
  const book = new AddressBook('store.test', () => now);
  assert.equal(book.takeLookupTime(), null);
  await book.next();
  assert.equal(book.takeLookupTime(), 12);
  assert.equal(book.takeLookupTime(), null, 'it is told once');
});

test('only addresses of the requested version are handed out', async (t) => {
  mockLookup(t, () => ['192.0.2.1', '2001:db8::1']);
  for (const [family, address] of /** @type {const} */ ([
    [4, '192.0.2.1'],
    [6, '2001:db8::1'],
  ])) {
    assert.deepEqual(await threeOf(new AddressBook('store.test', () => 0, family)), [address, address, address]);
  }
});

test('an address needs no look-up', async (t) => {
  const lookup = mockLookup(t, () => []);
  for (const address of ['127.0.0.1', '::1']) {
    const book = new AddressBook(address, () => 0);
    assert.deepEqual(await threeOf(book), [address, address, address]);
    assert.equal(book.takeLookupTime(), null);
  }
  assert.deepEqual(lookup.names, []);
});

test('an address that did not answer gets another chance after a while', async (t) => {
  let now = 0;
  mockLookup(t, () => ['192.0.2.1', '192.0.2.2']);
  const book = new AddressBook('store.test', () => now);
  await book.next();
  await book.drop('192.0.2.2');
  now = ABSENCE - 1;
  assert.deepEqual(new Set(await threeOf(book)), new Set(['192.0.2.1']));
  now = ABSENCE;
  assert.deepEqual(new Set(await threeOf(book)), new Set(['192.0.2.1', '192.0.2.2']));
});

test('an address that fails several connections at once is left out once, and no other with it', async (t) => {
  mockLookup(t, () => ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  const book = new AddressBook('store.test', () => 0);
  await book.next();
  await book.drop('192.0.2.2');
  assert.equal(await book.drop('192.0.2.2'), true);
  assert.deepEqual(new Set(await threeOf(book)), new Set(['192.0.2.1', '192.0.2.3']));
});

test('behind the last address the name is looked up again, at most once a second', async (t) => {
  let now = 0;
  const answers = [['192.0.2.1'], ['192.0.2.9']];
  const lookup = mockLookup(t, () => answers[lookup.names.length - 1]);
  const book = new AddressBook('store.test', () => now);
  await book.next();
  now = 999;
  assert.equal(await book.drop('192.0.2.1'), false);
  assert.equal(await book.next(), '192.0.2.1');
  now = 1000;
  assert.equal(await book.drop('192.0.2.1'), false);
  assert.equal(await book.next(), '192.0.2.9');
  assert.equal(lookup.names.length, 2);
});

test('two addresses that fail at the same moment are both left out', async (t) => {
  mockLookup(t, () => ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  const book = new AddressBook('store.test', () => 0);
  await book.next();
  await Promise.all([book.drop('192.0.2.1'), book.drop('192.0.2.2')]);
  assert.deepEqual(await threeOf(book), ['192.0.2.3', '192.0.2.3', '192.0.2.3']);
});

test('a name that does not resolve is an error, and is looked up again the next time', async (t) => {
  const lookup = mockLookup(t, () => {
    if (lookup.names.length === 1) {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND store.test'), { code: 'ENOTFOUND' });
    }
    return ['192.0.2.1'];
  });
  const book = new AddressBook('store.test', () => 0);
  await assert.rejects(book.next(), { code: 'ENOTFOUND' });
  assert.equal(await book.next(), '192.0.2.1');
});

test('a name below localhost is that of this host, whatever the resolver knows', async (t) => {
  const lookup = mockLookup(t, () => ['127.0.0.1']);
  for (const name of ['localhost', 'bucket-a.localhost', 'Bucket.LOCALHOST', 'notlocalhost']) {
    await new AddressBook(name, () => 0).next();
  }
  assert.deepEqual(lookup.names, ['localhost', 'localhost', 'localhost', 'notlocalhost']);
});
