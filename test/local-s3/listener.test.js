import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { Listener } from '../../lib/local-s3/listener.js';

/** A connection from one port of the client's, as often as it is used. */
class Connection extends EventEmitter {
  remoteAddress = '127.0.0.1';
  remotePort = 40_000;
  resets = 0;

  resetAndDestroy() {
    this.resets += 1;
  }
}

test('a connection is reset though the end of one from the same port was noticed only behind its beginning', () => {
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
