import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { LiveCredentials } from '../../lib/s3/live-credentials.js';
import { MAX_DOCUMENT_BYTES } from '../../lib/s3/object-connection.js';
import { SigningRegion } from '../../lib/s3/signing-region.js';
import { openStore } from '../../lib/s3/object-store.js';
import { S3_CALLS } from '../../lib/s3/s3-calls.js';
import { timeoutError } from '../../lib/s3/s3-error.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { openTestStore, put, remove } from '../helpers/store.js';
import { startSocketServer, until } from '../helpers/socket-server.js';
import { testStore } from './store-suite.js';

/**
 * @import { TestContext } from 'node:test'
 * @import { SocketCallback } from '../../lib/http/keep-alive-agent.js'
 */

const TIME_LIMIT = { timeout: 120_000 };

testStore('direct');

/**
 * A connection to a store whose sockets come when the test hands them over.
 *
 * @param {TestContext} t
 */
async function openHeldUp(t) {
  const { hostname, port, region, credentials } = await startTestEndpoint(t);
  /** @type {{ callback: SocketCallback, isWanted: () => boolean }[]} */
  const asked = [];
  const agent = {
    reused: 0,
    /**
     * @param {SocketCallback} callback
     * @param {() => boolean} isWanted
     */
    connect: (callback, isWanted) => asked.push({ callback, isWanted }),
  };
  const store = await openStore('direct', {
    agent: /** @type {any} */ (agent),
    useTls: false,
    hostname,
    port,
    region: new SigningRegion(region),
    credentials: new LiveCredentials(credentials),
    buckets: [],
    keepAlive: true,
    threads: 1,
    now: () => performance.now(),
    epochNow: Date.now,
  });
  t.after(() => store.close());
  return {
    agent,
    asked,
    store,
    connection: store.openConnection(0),
    /** @param {number} place of the request for a socket */
    async handOver(place) {
      await until(() => asked.length > place);
      const socket = net.connect(port, hostname);
      await new Promise((resolve) => socket.once('connect', resolve));
      t.after(() => socket.destroy());
      asked[place].callback(null, socket, false);
    },
  };
}

test('direct: an attempt that is given up while it waits for its connection was not sent', TIME_LIMIT, async (t) => {
  const { connection, asked } = await openHeldUp(t);
  const sent = put(connection, 'bucket-a', 'key', Buffer.alloc(1), 1);
  await until(() => asked.length === 1);
  assert.equal(asked[0].isWanted(), true);
  connection.abort(timeoutError(1));
  await assert.rejects(sent, { kind: 'timeout', sent: false, outcomeUnknown: false });
  assert.equal(asked[0].isWanted(), false, 'the connection is not to be opened any more');
});

test('direct: a store that is closed wants none of the connections that it waits for', TIME_LIMIT, async (t) => {
  const { connection, asked, store } = await openHeldUp(t);
  const sent = put(connection, 'bucket-a', 'key', Buffer.alloc(1), 1);
  await until(() => asked.length === 1);
  await Promise.all([store.close(), assert.rejects(sent)]);
  assert.equal(asked[0].isWanted(), false);
});

test(
  'direct: a connection that comes after its attempt was given up says nothing of the one that is used',
  TIME_LIMIT,
  async (t) => {
    const { connection, agent, asked, handOver } = await openHeldUp(t);
    const givenUp = remove(connection, 'bucket-a', 'key');
    await until(() => asked.length === 1);
    connection.abort(timeoutError(1));
    await assert.rejects(givenUp);
    await Promise.all([remove(connection, 'bucket-a', 'key'), handOver(1)]);
    await handOver(0);
    await remove(connection, 'bucket-a', 'key');
    assert.deepEqual([asked.length, agent.reused], [2, 1]);
  },
);

test('direct: a list without an end is given up once it is longer than any that there is', TIME_LIMIT, async (t) => {
  const chunk = Buffer.alloc(65_536, '<Contents><Key>again</Key></Contents>');
  let sent = 0;
  const server = await startSocketServer(t, {
    onSocket(socket) {
      const goOn = () => {
        while (!socket.destroyed && socket.write(chunk)) {
          sent += chunk.length;
        }
      };
      socket.once('data', () => {
        socket.on('drain', goOn);
        socket.write('HTTP/1.1 200 OK\r\n\r\n<ListBucketResult>');
        goOn();
      });
    },
  });
  const { region, credentials } = await startTestEndpoint(t);
  const target = { hostname: '127.0.0.1', port: server.port, region, credentials, tls: null };
  const { connections } = await openTestStore(t, 'direct', target);
  const [connection] = connections;
  const request = { bucket: 'bucket-a', key: '', size: 0, body: null, sink: { accept() {} } };
  await assert.rejects(connection.send(S3_CALLS.ListObjectsV2, request), { kind: 'protocol', handling: 'fail' });
  await server.closed();
  assert.ok(sent > MAX_DOCUMENT_BYTES);
});
