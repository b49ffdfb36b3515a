import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScenario } from '../../bench/truth/run-scenario.js';
import { scenariosOf } from '../../bench/truth/scenarios.js';

// The short version of `npm run truth`: one run of each scenario, without its variants. On a busy machine a cause may remain open, or be the
// other processes, but no wrong cause may be called proven.

const OBJECTS = 250;
const MAX_STAGES = 2;

/** A cause that a busy machine does not hide, because the store reports it itself, */
const ALWAYS_SHOWN = 'store throttling';

/** if its rate is low enough for a client on any machine. */
const REFUSING = Object.freeze({ faults: 'rate=100,latency=5ms' });

for (const scenario of scenariosOf().possible) {
  const { name, causes, stages } = scenario;
  if (causes.plain === undefined || name.includes(': ')) {
    continue;
  }
  const { right, supersets } = causes.plain;
  test(`${name}: a plain run names no wrong cause`, async () => {
    const tried = stages.split(',').slice(0, MAX_STAGES);
    const endpoint = right === ALWAYS_SHOWN ? REFUSING : scenario.endpoint;
    const load = { objects: OBJECTS, options: ['--stages', tried.join()] };
    const results = await runScenario({ ...scenario, endpoint }, load);
    const proven = results.filter(({ bottleneck }) => bottleneck.certainty === 'proven');
    const named = proven.map(({ bottleneck }) => bottleneck.cause);
    const allowed = right === ALWAYS_SHOWN ? [right] : [right, ...supersets, 'host CPU'];
    assert.equal(results.length, tried.length);
    assert.deepEqual(
      named.filter((cause) => !allowed.includes(cause)),
      [],
    );
  });
}
