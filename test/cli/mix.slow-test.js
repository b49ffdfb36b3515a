import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

/**
 * @import { Result, StageSum } from '../../lib/result/result.js'
 * @import { TestContext } from 'node:test'
 */

const OBJECTS = 1000;
const MIX = 'read=50,range=10,write=20,stat=10,copy=5,remove=5';
const SHARES = { write: 20, read: 50, range: 10, stat: 10, copy: 5, remove: 5 };
const SIZES = ['--size', '3kB', '--range-size', '500'];
const LOAD = [`${OBJECTS}`, '16', '--mix', MIX, ...SIZES, '--no-preflight'];

/**
 * @param {TestContext} t
 * @param {readonly string[]} parameters
 * @param {string} [faults]
 */
async function runMix(t, parameters, faults = '') {
  const endpoint = await startTestEndpoint(t, { faults });
  const command = await startCommand(t, [...parameters, '--json', 'result.json'], { dotEnv: dotEnvOf(endpoint) });
  const outcome = await command.outcome;
  /** @type {Result} */
  const result = JSON.parse(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
  return { endpoint, outcome, result };
}

/** @param {Result} result */
function mixedOf(result) {
  const mixed = result.stages.find(({ stage }) => stage === 'Mixed');
  assert.ok(mixed?.kinds !== undefined);
  return { mixed, kinds: mixed.kinds };
}

/** @param {StageSum} stage */
function wrongVersions({ staleReads, foreignReads, tornReads }) {
  return { staleReads, foreignReads, tornReads };
}

const NONE_WRONG = { staleReads: 0, foreignReads: 0, tornReads: 0 };

describe('a mixed load', { concurrency: 1 }, () => {
  test(`on two cores has exact shares, matches the store's counts, and leaves nothing`, async (t) => {
    const { endpoint, outcome, result } = await runMix(t, [...LOAD, '--cores', '2']);
    assertStatus(outcome, 0);
    const { mixed, kinds } = mixedOf(result);
    assert.deepEqual(
      result.stages.map(({ stage, end }) => [stage, end]),
      [
        ['Write', 'complete'],
        ['Mixed', 'complete'],
        ['Remove', 'complete'],
      ],
    );
    assert.deepEqual(
      Object.fromEntries(kinds.map(({ operation, operations }) => [operation, operations])),
      Object.fromEntries(Object.entries(SHARES).map(([name, share]) => [name, (OBJECTS * share) / 100])),
    );
    assert.deepEqual(wrongVersions(mixed), NONE_WRONG);
    assert.equal(mixed.operations, OBJECTS);

    const { requests, objects } = await endpoint.report();
    const removed = result.stages[2].operations;
    const of = (/** @type {string} */ name) => Number(kinds.find(({ operation }) => operation === name)?.attempts);
    const ours = {
      PUT: OBJECTS + of('write') + of('copy'),
      GET: of('read') + of('range'),
      HEAD: of('stat'),
      DELETE: of('remove') + removed,
    };
    const sum = (/** @type {readonly number[]} */ counts) => counts.reduce((total, count) => total + count, 0);
    // The totals are exact, because requests outside the stages are counted separately.
    const others = sum(Object.values(result.requests ?? {}));
    assert.equal(sum(Object.values(requests).map(({ total }) => total)), sum(Object.values(ours)) + others);
    for (const [method, count] of Object.entries(ours)) {
      const { total } = requests[/** @type {keyof typeof ours} */ (method)];
      assert.ok(total >= count && total <= count + others, `${total} ${method} requests, ${count} of ours`);
    }
    assert.deepEqual(Object.values(objects), [0, 0]);
  });

  test('finds every stale version that the store serves', async (t) => {
    const parameters = ['300', '16', '--mix', 'read=80,write=20', '--duration', '4s', '--gap', '1s'];
    const { endpoint, outcome, result } = await runMix(t, parameters, 'seed=3,GET.stale=20%');
    const { faults } = await endpoint.report();
    const { mixed } = mixedOf(result);
    assert.ok(faults.stale > 0);
    assert.deepEqual(wrongVersions(mixed), { staleReads: faults.stale, foreignReads: 0, tornReads: 0 });
    assertStatus(outcome, 1);
    assert.match(outcome.stderr, /^Mixed: integrity error: .*: the body is stale: got version \d+, but version \d+ /m);
    const line = `Mixed: ${faults.stale} integrity errors (${faults.stale} stale)`;
    assert.ok(outcome.stdout.includes(`\n${line}\n`));
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
