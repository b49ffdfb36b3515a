import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionMeter } from '../../lib/meter/connection-meter.js';

test('it tells what the connections since the last call cost', () => {
  const meter = new ConnectionMeter();
  meter.opened({ tcp: 1, tls: 10 });
  meter.opened({ tcp: 3, tls: 30 });
  const { tcp, tls } = meter.take();
  assert.deepEqual([tcp?.count, tcp?.mean, tcp?.maximum], [2, 2, 3]);
  assert.deepEqual([tls?.count, tls?.mean, tls?.maximum], [2, 20, 30]);
  assert.deepEqual(meter.take(), { tcp: null, tls: null });
  meter.opened({ tcp: 5, tls: 50 });
  assert.equal(meter.take().tls?.minimum, 50);
});

test('over plain HTTP there is nothing to tell of TLS', () => {
  const meter = new ConnectionMeter();
  meter.opened({ tcp: 1, tls: null });
  const { tcp, tls } = meter.take();
  assert.equal(tcp?.count, 1);
  assert.equal(tls, null);
});
