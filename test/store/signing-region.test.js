import assert from 'node:assert/strict';
import { test } from 'node:test';
import { S3_CALLS } from '../../lib/store/object-store.js';
import { AttemptError, classifyAnswer } from '../../lib/store/s3-error.js';
import { EMPTY_PAYLOAD_HASH, RequestSigner } from '../../lib/store/sigv4.js';
import { LiveCredentials, SigningRegion } from '../../lib/store/live-credentials.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { openTestStore } from '../helpers/store.js';

const REQUEST = { bucket: 'bucket-a', key: 'absent', size: 0, body: null, sink: { accept() {} } };

/**
 * @param {string} region that the store names
 * @param {string} [code]
 */
function refusal(region, code = 'AuthorizationHeaderMalformed') {
  return classifyAnswer({ status: 400, code, region, now: 0 });
}

/** @param {string} configured */
function recorded(configured) {
  /** @type {string[]} */
  const corrections = [];
  const region = new SigningRegion(configured, (expected, before) => corrections.push(`${before} → ${expected}`));
  return { region, corrections };
}

for (const client of /** @type {const} */ (['direct', 'sdk'])) {
  test(`the ${client} client signs for the region that a refusal names`, async (t) => {
    const endpoint = await startTestEndpoint(t, { region: 'eu-home-1' });
    const { connections, options } = await openTestStore(t, client, { ...endpoint, region: 'us-east-1' });
    const [connection] = connections;
    const send = () => connection.send(S3_CALLS.GetObject, REQUEST).catch((error) => error);
    const refused = await send();
    assert.ok(refused instanceof AttemptError);
    assert.deepEqual([refused.kind, refused.handling, refused.region], ['denied', 'stop', 'eu-home-1']);
    options.region.correct(refused, 1);
    assert.deepEqual([refused.handling, options.region.current], ['retry', 'eu-home-1']);
    assert.equal((await send()).kind, 'not-found');
  });

  test(`the ${client} client ignores a region that contains a part of a secret`, async (t) => {
    const credentials = { accessKeyId: 'test-access-key', secretAccessKey: 'test-secret-key' };
    const endpoint = await startTestEndpoint(t, { credentials, region: 'x-test-secret-key' });
    const { connections } = await openTestStore(t, client, { ...endpoint, region: 'us-east-1' });
    const refused = await connections[0].send(S3_CALLS.GetObject, REQUEST).catch((error) => error);
    assert.deepEqual([refused.kind, refused.region], ['denied', '']);
  });
}

test('a corrected region is signed for at once, though credentials and date are kept for a second', () => {
  const signerFor = (/** @type {SigningRegion} */ region) =>
    new RequestSigner({
      credentials: new LiveCredentials({ accessKeyId: 'key', secretAccessKey: 'secret' }),
      region,
      host: 'store.test',
      now: () => 0,
    });
  const sign = (/** @type {RequestSigner} */ signer) => signer.sign('GET', '/bucket/key', EMPTY_PAYLOAD_HASH);
  const { region } = recorded('us-east-1');
  const signer = signerFor(region);
  assert.deepEqual(sign(signer), sign(signerFor(new SigningRegion('us-east-1'))));
  region.correct(refusal('auto'), 1);
  assert.deepEqual(sign(signer), sign(signerFor(new SigningRegion('auto'))));
});

test('a region is corrected once: a request that is refused again, or for yet another region, is not retried', () => {
  const { region, corrections } = recorded('us-east-1');
  const [first, again, another] = ['auto', 'auto', 'eu-west-1'].map((each) => refusal(each));
  region.correct(first, 1);
  region.correct(again, 2);
  region.correct(another, 1);
  assert.deepEqual(
    [first, again, another].map(({ handling }) => handling),
    ['retry', 'stop', 'stop'],
  );
  assert.deepEqual([region.current, corrections], ['auto', ['us-east-1 → auto']]);
});

test('a request that was under way while another one corrected the region is retried without a second notice', () => {
  const { region, corrections } = recorded('us-east-1');
  const refusals = [refusal('auto'), refusal('auto')];
  refusals.forEach((error) => region.correct(error, 1));
  assert.deepEqual(
    refusals.map(({ handling }) => handling),
    ['retry', 'retry'],
  );
  assert.equal(corrections.length, 1);
});

test('a store that names the same region, or an invalid one, ends the run as before', () => {
  for (const named of ['us-east-1', '', 'a b', '-x', 'x-', '\u001b[2J', 'a.b', 'é', 'x'.repeat(64), '../../x']) {
    const { region, corrections } = recorded('us-east-1');
    const error = refusal(named);
    region.correct(error, 1);
    assert.deepEqual([error.handling, region.current, corrections], ['stop', 'us-east-1', []], JSON.stringify(named));
  }
});
