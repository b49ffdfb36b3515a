import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { dotEnvOf, keysIn, startCommand } from '../helpers/command.js';
import { billedRequests } from '../helpers/billed-requests.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

const LATENCY = 'latency=20ms';

const LOADS = /** @type {const} */ ([
  {
    load: 'attempts that fail, on two cores',
    parameters: ['--cores', '2'],
    faults: `seed=5,${LATENCY},PUT.status=503:20%,PUT.lost=3%`,
    end: 'Write',
  },
  {
    load: 'a mix',
    parameters: ['--mix', 'read=70,write=20,stat=10'],
    objects: 200,
    limit: 0.003,
    end: 'Mixed',
  },
]);

describe('--max-cost with --duration', { concurrency: 2 }, () => {
  for (const { load, parameters, end, ...given } of LOADS) {
    const { faults, objects, limit } = { faults: LATENCY, objects: 100_000, limit: 0.004, ...given };

    test(`${load}: ends the stage within a second's requests of the limit, and the run with status 1`, async (t) => {
      const endpoint = await startTestEndpoint(t, { faults });
      const options = ['--duration', '60s', '--max-cost', `${limit}`, '--json', 'result.json', '--size', '1KiB'];
      const command = await startCommand(t, [`${objects}`, '8', ...options, ...parameters], {
        dotEnv: dotEnvOf(endpoint),
      });
      const outcome = await command.outcome;
      assertStatus(outcome, 1);
      assert.match(outcome.stderr, new RegExp(`^${end}: ended because --max-cost was reached`, 'm'));
      const { stages } = JSON.parse(await readFile(path.join(command.folder, 'result.json'), 'utf8'));
      const last = stages.at(-1);
      assert.deepEqual([last.stage, last.end], [end, 'unpaid']);
      // https://developers.cloudflare.com/r2/pricing/
      const { A, B } = await billedRequests(endpoint);
      const bill = 4.5e-6 * A + 0.36e-6 * B;
      const second = (1000 * last.attempts * (end === 'Write' ? 4.5e-6 : 1.5e-6)) / last.duration;
      // One second may have twice the mean, on a machine that was busy in the others.
      assert.ok(bill <= limit + 2 * second && bill > 0.5 * limit, `$${bill}`);
      assert.deepEqual(await keysIn(endpoint), []);
    });
  }
});
