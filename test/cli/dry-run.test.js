import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dryRunLines } from '../../lib/cli/dry-run.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

test('a dry run shows requests by class, cost and time at 80 columns', () => {
  const config = runConfig(/** @type {any} */ (NO_TARGET), { objects: 10_000, threads: 100, size: 16_384 });
  const lines = dryRunLines([config], 10);
  assert.ok(
    lines.every((line) => line.length <= 80),
    lines.join('\n'),
  );
  assert.match(lines.join('\n'), /^Write +10000 +10000 +- +- +156\.3 +1\.0s$/m);
});
