import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Clock } from '../../lib/clock/clock.js';
import { passesOf, runInterleaved } from '../../lib/run/interleaved-runs.js';
import { keysIn } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { recordingObserver } from '../helpers/recording-observer.js';
import { runConfig } from '../helpers/run-config.js';

/**
 * @import { QuadOrder, Side } from '../../lib/model/interleaved.js'
 * @import { Overrides } from '../helpers/run-config.js'
 * @import { TestContext } from 'node:test'
 */

const OBJECTS = 10;

/** @type {readonly QuadOrder[]} */
const ORDERS = ['BAAB', 'ABBA'];

/**
 * @param {TestContext} t
 * @param {Overrides} overrides
 * @param {object} [options]
 * @param {Partial<Record<Side, Overrides>>} [options.of]
 * @param {Partial<Record<Side, any>>} [options.observers]
 * @param {(turn: string, controller: AbortController) => void} [options.onTurn]
 */
async function interleave(t, overrides, { of = {}, observers = {}, onTurn = () => {} } = {}) {
  const endpoint = await startTestEndpoint(t);
  const controller = new AbortController();
  /** @type {string[]} */
  const turns = [];
  const sideOf = (/** @type {Side} */ side) => ({
    config: runConfig(endpoint, {
      ...{ objects: OBJECTS, passes: passesOf(ORDERS.length), runId: `pair-${side}`, preflight: false },
      ...overrides,
      ...of[side],
    }),
    deps: {
      clock: new Clock(),
      random: () => 0.5,
      signal: controller.signal,
      identity: { host: 'host', versions: {} },
      observer: observers[side] ?? recordingObserver().observer,
      launchedAt: 0,
    },
  });
  const runs = await runInterleaved(
    { a: sideOf('a'), b: sideOf('b') },
    {
      orders: ORDERS,
      signal: controller.signal,
      hooks: {
        isReady: () => turns.push('ready'),
        passStarts({ side, quad }) {
          const turn = `${quad ?? 'warm-up'} ${side}`;
          turns.push(turn);
          onTurn(turn, controller);
        },
        quadEnds: (_quad, place) => turns.push(`${place} ends`),
        turnsEnd: () => turns.push('end'),
      },
    },
  );
  return { runs, turns, keys: await keysIn(endpoint) };
}

test('each side warms up, and then they take turns in the order of the quads', async (t) => {
  const { runs, turns, keys } = await interleave(t, { stages: ['write', 'remove'] });
  assert.deepEqual(turns, [
    ...['ready', 'warm-up a', 'warm-up b'],
    ...['0 b', '0 a', '0 a', '0 b', '0 ends'],
    ...['1 a', '1 b', '1 b', '1 a', '1 ends', 'end'],
  ]);
  const passes = runs.quads.flatMap((quad) => quad.passes);
  assert.equal(passes.map(({ side }) => side).join(''), 'baababba');
  assert.ok(passes.every(({ stages }) => stages.every(({ operations }) => operations === OBJECTS)));
  assert.equal(runs.a.stages.length, 2 * passesOf(ORDERS.length));
  assert.deepEqual(keys, []);
});

test('if A is refused, B is not opened; if B is refused, A is cleaned up', async (t) => {
  const refused = { store: runConfig(NOWHERE).store };
  const first = await interleave(t, { preflight: true }, { of: { a: refused } });
  assert.ok(first.runs.a.problems.length > 0);
  assert.equal(first.runs.b, null);
  const second = await interleave(t, { preflight: true }, { of: { b: refused } });
  assert.deepEqual(second.runs.a.problems, []);
  assert.ok(Number(second.runs.b?.problems.length) > 0);
  assert.deepEqual([second.turns, second.keys], [[], []]);
});

for (const [where, event, text] of [['the wait for them', 'phaseStarts', 'waiting for its turn']]) {
  test(`an error in a turn of A, in ${where}, is recorded for A, which is cleaned up, and ends the turns`, async (t) => {
    let isInQuads = false;
    const broken = new Error('broken');
    const observer = new Proxy(
      {},
      {
        get: (_, name) => (/** @type {{ text?: string } | undefined} */ about) => {
          if (isInQuads && name === event && about?.text === text) {
            throw broken;
          }
        },
      },
    );
    const onTurn = (/** @type {string} */ turn) => (isInQuads = turn.startsWith('0'));
    const { runs, turns, keys } = await interleave(
      t,
      { stages: ['write', 'remove'] },
      { onTurn, observers: { a: observer } },
    );
    assert.deepEqual([runs.a.crash, runs.b?.crash], [broken, null]);
    // Everything written was removed, so without the crash neither side would need a clean-up.
    assert.deepEqual([runs.a.cleanup !== null, runs.b?.cleanup], [true, null]);
    assert.deepEqual(turns.slice(-3), ['0 b', '0 a', 'end']);
    assert.deepEqual([runs.quads, keys], [[], []]);
  });
}

const NOWHERE = {
  ...{ hostname: '127.0.0.1', port: 1, region: 'auto', tls: null, buckets: ['bucket'] },
  credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
};
