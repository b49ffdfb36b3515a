import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrationTable } from '../../lib/calibration/calibration-table.js';
import { calibrationWith, provenStage } from '../helpers/calibration.js';

test('the table shows host and loop, and explains what is unproven', () => {
  const unproven = { ...provenStage('Stat', 1), operationsPerSecond: null, unproven: 'the endpoint was busier' };
  const stages = [provenStage('Write', 12_345.4), unproven];
  assert.deepEqual(calibrationTable(calibrationWith({ stages })), [
    'What the client alone can do on this-host (2 usable cores): direct client over TLS, objects of 16KiB, 100 threads on one event loop',
    'Stage      host ops/s     loop ops/s    client busy  endpoint busy',
    'Write          24,691         12,345            98%            60%',
    'Stat    unproven: the endpoint was busier',
  ]);
});

test('the table shows other settings', () => {
  const [title] = calibrationTable(calibrationWith({ usableCores: 1, useTls: false, keepAlive: false, client: 'sdk' }));
  assert.match(title, /\(1 usable core\): sdk client without TLS, one connection per request, objects of 16KiB/);
});
