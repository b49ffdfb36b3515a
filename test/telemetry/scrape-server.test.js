import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { ScrapeServer } from '../../lib/telemetry/scrape-server.js';

/** @import { TestContext } from 'node:test' */

const LONG_MS = 600_000;
const NEVER = new AbortController().signal;

/** @param {TestContext} t */
async function openServer(t) {
  const server = await ScrapeServer.open({ host: '127.0.0.1', port: 0 });
  t.after(() => server.close());
  return server;
}

test('a scrape gets the text as it is then, in the format that Prometheus asks for', async (t) => {
  const server = await openServer(t);
  let scrapes = 0;
  server.serve(() => `scrapes ${++scrapes}\n`);
  const first = await fetch(server.url);
  assert.equal(first.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.equal(await first.text(), 'scrapes 1\n');
  assert.equal(await (await fetch(`${server.url}?a=b`)).text(), 'scrapes 2\n');
});

test('whoever asks for something else is told where the metrics are, and gets none', async (t) => {
  const server = await openServer(t);
  server.serve(() => assert.fail('nobody asked for it'));
  const other = await fetch(new URL('/', server.url));
  assert.deepEqual([other.status, await other.text()], [404, 'r2-benchmark: the metrics are at /metrics\n']);
  assert.equal((await fetch(server.url, { method: 'POST' })).status, 405);
});

test('it waits for a scrape that begins after the run, and no longer', async (t) => {
  const server = await openServer(t);
  server.serve(() => 'the end\n');
  await (await fetch(server.url)).text();
  const held = server.hold(LONG_MS, NEVER);
  assert.equal(await (await fetch(server.url)).text(), 'the end\n');
  assert.equal(await held, true);
});

test('it waits no longer than it was told to, or until it is stopped', async (t) => {
  const server = await openServer(t);
  assert.equal(await server.hold(1, NEVER), false);
  const stopped = new AbortController();
  const held = server.hold(LONG_MS, stopped.signal);
  stopped.abort();
  assert.equal(await held, false);
});

test('it does not wait where it was stopped before', async (t) => {
  const server = await openServer(t);
  assert.equal(await server.hold(LONG_MS, AbortSignal.abort()), false);
});

test('an error in the text of the metrics ends that scrape, which is not the last one, and nothing else', async (t) => {
  const server = await openServer(t);
  server.serve(() => {
    throw new TypeError('no\nfigures');
  });
  const held = server.hold(LONG_MS, NEVER);
  const failed = await fetch(server.url);
  assert.deepEqual(
    [failed.status, await failed.text()],
    [500, 'r2-benchmark: an unexpected error: TypeError: no figures\n'],
  );
  server.serve(() => 'the end\n');
  assert.equal(await (await fetch(server.url)).text(), 'the end\n');
  assert.equal(await held, true);
});

test('a port that is taken is an error before anything is served', async (t) => {
  const { url } = await openServer(t);
  await assert.rejects(ScrapeServer.open({ host: '127.0.0.1', port: Number(new URL(url).port) }), {
    code: 'EADDRINUSE',
  });
});

test('a scraper that goes away, or sends no HTTP, does no harm', async (t) => {
  const server = await openServer(t);
  server.serve(() => 'still there\n');
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write('no HTTP at all\r\n\r\n');
  await once(socket.resume(), 'close');
  assert.equal(await (await fetch(server.url)).text(), 'still there\n');
});
