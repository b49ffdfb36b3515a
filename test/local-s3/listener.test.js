import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { Listener } from '../../lib/local-s3/listener.js';

/** A connection from the same client port each time. */
class Connection extends EventEmitter {
  remoteAddress = '127.0.0.1';
  remotePort = 40_000;
  resets = 0;

  resetAndDestroy() {
    this.resets += 1;
  }
}

test('resets a connection even if the end of its predecessor on the same port was noticed only after its start', () => {
  const server = new EventEmitter();
  let connections = 0;
  const listener = new Listener(/** @type {any} */ (server), () => (connections += 1));
  const [earlier, later] = [new Connection(), new Connection()];
  server.emit('connection', earlier);
  server.emit('connection', later);
  earlier.emit('close');
  listener.reset(/** @type {any} */ (later));
  assert.deepEqual([connections, earlier.resets, later.resets], [2, 0, 1]);
  later.emit('close');
  listener.reset(/** @type {any} */ (later));
  assert.equal(later.resets, 1, 'a connection that has ended is forgotten');
});
