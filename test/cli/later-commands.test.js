import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanupCommand, readAgainCommand, whatMayRemain } from '../../lib/cli/later-commands.js';
import { LATER, NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @import { Overrides } from '../helpers/run-config.js' */

/** @param {Overrides} overrides */
const placeOf = (overrides) => runConfig(NO_TARGET, { runId: 'r', ...overrides });

test('the clean-up command includes a non-default prefix', () => {
  assert.match(cleanupCommand(placeOf({}), LATER), / cleanup r$/);
  assert.match(cleanupCommand(placeOf({ prefix: 'x/y' }), LATER), / cleanup r --prefix x\/y$/);
  assert.match(
    cleanupCommand(placeOf({}), { ...LATER, options: { region: 'weur', profile: 'my r2', addressing: 'virtual' } }),
    / cleanup r --region weur --profile 'my r2' --addressing virtual$/,
  );
});

test('a run that writes nothing leaves nothing that its end at once could offer to remove', () => {
  const left = (/** @type {string[]} */ ...stages) => {
    const config = placeOf({ stages });
    return whatMayRemain({ ...config, store: { ...config.store, isEmbedded: false } }, LATER);
  };
  assert.deepEqual(left('read', 'stat'), []);
  assert.equal(left('read', 'copy').length, 1);
});

test("a shard's commands clean up and read its own objects", () => {
  const place = placeOf({ shard: { index: 1, count: 4 }, threads: 50 });
  assert.match(cleanupCommand(place, LATER), / cleanup r --shard 1\/4$/);
  assert.equal(
    readAgainCommand(place, { count: 30, size: 1000 }, LATER),
    'node r2-benchmark.js 30 30 --size 1000B --stages read,stat --run-id r --shard 1/4',
  );
  const sizes = /** @type {const} */ ({ kind: 'log-uniform', min: 1024, max: 4096 });
  assert.match(
    readAgainCommand(place, { count: 30, size: 4096, sizes }, LATER),
    / 30 30 --size 1KiB\.\.4KiB --stages /,
  );
});

test('the clean-up command is quoted for a shell, whatever the names', () => {
  const place = placeOf({});
  assert.equal(
    cleanupCommand(place, { ...LATER, options: { envFile: "my bucket's.env" } }),
    `node r2-benchmark.js cleanup r --env-file 'my bucket'\\''s.env'`,
  );
  const variables = { S3_BUCKET: 'a, b', S3_PORT: '9000', S3_REGION: '' };
  assert.equal(
    cleanupCommand(place, { ...LATER, options: { envFile: '.env' }, variables }),
    `S3_BUCKET='a, b' S3_PORT=9000 S3_REGION='' node r2-benchmark.js cleanup r`,
  );
});

test('the clean-up command also works for the Worker', () => {
  const place = placeOf({ client: 'edge' });
  assert.equal(cleanupCommand(place, LATER), 'node r2-benchmark.js cleanup r --client edge');
});
