import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { AttemptDeadlines } from '../../lib/store/retry.js';

/**
 * @import { ObjectConnection } from '../../lib/store/object-store.js'
 * @import { TestContext } from 'node:test'
 */

/**
 * @param {TestContext} t
 * @param {object} options
 * @param {number} options.timeout ms
 * @param {readonly number[]} options.startedAt of the attempt on each connection
 */
function watchConnections(t, { timeout, startedAt }) {
  let now = 1000;
  /** @type {{ place: number, kind: string, message: string, at: number }[]} */
  const aborted = [];
  const connections = startedAt.map((started, place) => ({
    startedAt: started,
    moved: 3 * 1024 ** 2,
    movedBefore: 1024 ** 2,
    /** @param {{ kind: string, message: string }} error */
    abort: ({ kind, message }) => aborted.push({ place, kind, message, at: now }),
  }));
  const deadlines = new AttemptDeadlines({
    timeout,
    now: () => now,
    connections: /** @type {ObjectConnection[]} */ (/** @type {unknown} */ (connections)),
  });
  mock.timers.enable({ apis: ['setInterval'] });
  t.after(() => mock.timers.reset());
  deadlines.start();
  return {
    deadlines,
    aborted,
    connections,
    /** @param {number} milliseconds */
    pass(milliseconds) {
      for (let passed = 0; passed < milliseconds; passed += 1) {
        now += 1;
        mock.timers.tick(1);
      }
    },
  };
}

test('an attempt is ended behind its time, at most a twentieth of it late', (t) => {
  const { aborted, pass } = watchConnections(t, { timeout: 200, startedAt: [1000] });
  pass(200);
  assert.equal(aborted.length, 0);
  pass(11);
  assert.equal(aborted[0]?.kind, 'timeout');
  assert.match(aborted[0].message, /with 2\.0 MiB of its object: try a longer --timeout$/);
  assert.ok(aborted[0].at > 1200 && aborted[0].at <= 1211);
});

test('a connection without an attempt, or with a younger one, is let be', (t) => {
  const { aborted, pass } = watchConnections(t, { timeout: 100, startedAt: [0, 1000, 1090] });
  pass(150);
  assert.deepEqual([...new Set(aborted.map(({ place }) => place))], [1]);
});

test('an attempt that ended in time is not ended again', (t) => {
  const { aborted, connections, pass } = watchConnections(t, { timeout: 100, startedAt: [1000] });
  pass(50);
  connections[0].startedAt = 0;
  pass(500);
  assert.equal(aborted.length, 0);
});

test('nothing is ended after the stop', (t) => {
  const { aborted, deadlines, pass } = watchConnections(t, { timeout: 100, startedAt: [1000] });
  deadlines.stop();
  pass(500);
  assert.equal(aborted.length, 0);
});
