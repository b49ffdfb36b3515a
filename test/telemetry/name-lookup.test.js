import assert from 'node:assert/strict';
import { promisify } from 'node:util';
import { test } from 'node:test';
import { NameLookup } from '../../lib/telemetry/name-lookup.js';
import { OtlpSender } from '../../lib/telemetry/otlp-sender.js';
import { startProgram } from '../helpers/command.js';

/** What looks names up at name servers that never answer. */
const HANGING = ['-e', 'setInterval(() => {}, 1e6)'];

/** @param {unknown} answer that a program prints */
const printing = (answer) => ['-e', `process.stdout.write(${JSON.stringify(JSON.stringify(answer))})`];

test('a name has the addresses that the system knows', async () => {
  assert.deepEqual(await new NameLookup().of('127.0.0.1'), [{ address: '127.0.0.1', family: 4 }]);
});

test('sockets get all addresses, or the first one', async () => {
  const addresses = [
    { address: '2001:db8::1', family: 6 },
    { address: '192.0.2.1', family: 4 },
  ];
  const { lookup } = new NameLookup(printing({ addresses }));
  assert.deepEqual(await promisify(lookup)('collector.example', { all: true }), addresses);
  const [first] = addresses;
  await new Promise((resolve) => {
    lookup('collector.example', {}, (error, address, family) => {
      assert.deepEqual([error, address, family], [null, first.address, first.family]);
      resolve(undefined);
    });
  });
});

test('this host needs no look-up', async () => {
  const addresses = await new NameLookup(HANGING).of('localhost');
  assert.deepEqual(
    addresses.map(({ address }) => address),
    ['127.0.0.1', '::1'],
  );
});

test('a name that is not known is an error, and is looked up again once that is forgotten', async () => {
  const names = new NameLookup(printing({ code: 'EAI_AGAIN' }));
  const first = names.of('collector.example');
  await assert.rejects(first, { code: 'EAI_AGAIN' });
  assert.equal(names.of('collector.example'), first);
  names.forget();
  const second = names.of('collector.example');
  assert.notEqual(second, first);
  await assert.rejects(second, { code: 'EAI_AGAIN' });
});

test('a look-up that is given up keeps the process from ending no longer', async (t) => {
  const lookupUrl = new URL('../../lib/telemetry/name-lookup.js', import.meta.url).href;
  const program = `
    import { NameLookup } from ${JSON.stringify(lookupUrl)};
    const names = new NameLookup(${JSON.stringify(HANGING)});
    names.of('collector.example').catch(({ code }) => console.log(code));
    names.close();`;
  const started = await startProgram(t, process.execPath, ['--input-type=module', '-e', program]);
  const { status, stdout } = await started.outcome;
  assert.deepEqual([status, stdout], [0, 'ENOTFOUND\n']);
});

test('an export waits for a name no longer than it may', async (t) => {
  const url = new URL('http://collector.example:4318/v1/metrics');
  const target = { url, isTls: false, headers: {}, timeout: 200, compresses: false };
  const deps = { now: () => performance.now(), random: () => 0, names: new NameLookup(HANGING) };
  const sender = new OtlpSender(target, deps);
  t.after(() => sender.close());
  const { hasArrived, reason } = await sender.send(() => ({}), deps.now() + 400, new AbortController().signal);
  assert.deepEqual([hasArrived, reason], [false, 'no answer in time']);
});
