import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WITHHELD, redact } from '../../lib/text/redact.js';
import { LiveCredentials } from '../../lib/store/live-credentials.js';
import { EMPTY_PAYLOAD_HASH, RequestSigner } from '../../lib/store/sigv4.js';

/** @param {string} name */
function keys(name) {
  return { accessKeyId: `id-${name}`, secretAccessKey: `secret-of-${name}`, sessionToken: `token-of-${name}` };
}

test('requests are signed with credentials that were replaced from the next second on, and with all parts of them', () => {
  const live = new LiveCredentials(keys('first'));
  let now = Date.UTC(2026, 0, 31, 12);
  const options = { region: 'auto', host: 'store.test', now: () => now };
  const signer = new RequestSigner({ ...options, credentials: live });
  const sign = (/** @type {RequestSigner} */ each) => each.sign('GET', '/bucket/key', EMPTY_PAYLOAD_HASH);
  const signedWith = (/** @type {object} */ credentials) =>
    sign(new RequestSigner({ ...options, credentials: new LiveCredentials(/** @type {any} */ (credentials)) }));

  const permanent = { accessKeyId: 'id-third', secretAccessKey: 'secret-of-third' };
  for (const credentials of [keys('first'), keys('second'), permanent]) {
    const before = sign(signer);
    live.replace(credentials);
    assert.deepEqual(sign(signer), before, 'a second has one key');
    now += 1000;
    assert.deepEqual(sign(signer), signedWith(credentials));
  }
});

test('who listens hears of each replacement until it has enough', () => {
  const live = new LiveCredentials(keys('first'));
  /** @type {string[]} */
  const heard = [];
  const stop = live.onReplaced(({ accessKeyId }) => heard.push(accessKeyId));
  live.replace(keys('second'));
  stop();
  live.replace(keys('third'));
  assert.deepEqual(heard, ['id-second']);
  assert.equal(live.current.accessKeyId, 'id-third');
});

test('secrets of the current credentials and of those before do not show', () => {
  const live = new LiveCredentials(keys('aaaaaaaa'));
  assert.equal(redact('aaaaaaaa is in it'), WITHHELD);
  assert.equal(redact('bbbbbbbb is not'), 'bbbbbbbb is not');
  live.replace(keys('bbbbbbbb'));
  live.replace(keys('cccccccc'));
  for (const name of ['aaaaaaaa', 'bbbbbbbb', 'cccccccc']) {
    assert.equal(redact(`<${name}>`), WITHHELD);
    assert.equal(redact(`<${keys(name).sessionToken}>`), WITHHELD);
  }
});
