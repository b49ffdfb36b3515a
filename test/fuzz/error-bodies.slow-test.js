import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttemptError, classifyAnswer, parseErrorBody } from '../../lib/store/s3-error.js';
import { WITHHELD } from '../../lib/text/redact.js';
import { startCpuTime } from '../helpers/cpu-time.js';
import { attempt, openTestStore, get } from '../helpers/store.js';
import { UNPRINTABLE } from './civil.js';
import { answerOf, startHostileStore, targetOf } from './hostile-store.js';

/**
 * @import { ObjectConnection } from '../../lib/store/object-store.js'
 * @import { TestContext } from 'node:test'
 */

const CLIENTS = /** @type {const} */ (['direct', 'sdk']);
const TIME_LIMIT = { timeout: 300_000 };

/** No body takes this long, even on a busy machine. */
const MAX_ATTEMPT_MS = 60_000;

/** Much longer than any of the bodies takes, much shorter than endless work. */
const MAX_CPU_MS = 10_000;

const MEBIBYTE = 2 ** 20;
const MAX_MESSAGE_LENGTH = 'HTTP 403 : '.length + 2 * 200 + 1;

const laughs = Array.from({ length: 12 }, (_, place) => `<!ENTITY l${place + 1} "${`&l${place};`.repeat(10)}">`).join(
  '',
);

/** @type {Readonly<Record<string, string | Buffer>>} */
const HOSTILE = {
  'entities that grow without end': `<?xml version="1.0"?><!DOCTYPE Error [<!ENTITY l0 "ha">${laughs}]><Error><Code>X</Code><Message>&l12;</Message></Error>`,
  'an entity that is a file': `<!DOCTYPE Error [<!ENTITY x SYSTEM "file:///etc/passwd">]><Error><Code>X</Code><Message>&x;</Message></Error>`,
  'a type without end': `<!DOCTYPE Error [${'<!ENTITY a "b">'.repeat(100_000)}`,
  'elements that are never closed': '<Error>'.repeat(100_000),
  'attributes without end': `<Error ${'a="b" '.repeat(100_000)}`,
  'a comment without end': `<Error><!--${'-'.repeat(MEBIBYTE)}`,
  'a message of megabytes': `<Error><Code>X</Code><Message>${'ha '.repeat(2 * MEBIBYTE)}</Message></Error>`,
  'characters that no XML may hold':
    '<Error><Code>X</Code><Message>\u0000\u001b[2J&#0;&#x1b;&#xD800;&#1114112;</Message></Error>',
  'a message that reads otherwise than it is':
    '<Error><Code>X</Code><Message>\u202egnp.exe\u2028error: all is well</Message></Error>',
  'bytes that are no UTF-8': Buffer.from(
    '<Error><Code>\xff\xfe</Code><Message>\xc0\xaf\xed\xa0\x80</Message></Error>',
    'latin1',
  ),
  'UTF-16': Buffer.from('\ufeff<Error><Code>AccessDenied</Code></Error>', 'utf16le'),
  'a code that every object has':
    '<Error><Code>__proto__</Code><Message>toString</Message><constructor>x</constructor></Error>',
  'a page': '<html><head><title>403</title><script>alert("</script>")</script></head><body><p>No<br></body></html>',
};

const PIECES = [
  ...['<Error>', '</Error>', '<Code>', '</Code>', '<Message>', '</Message>', '<Code/>', '<Message', 'AccessDenied'],
  ...[
    '<!DOCTYPE x [',
    ']>',
    '<!ENTITY x "',
    '">',
    '&x;',
    '&amp;',
    '&#x1b;',
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '<?',
    '?>',
  ],
  ...['\u0000', '\u202e', '\n', ' ', '"', 'a.b', 'x'.repeat(70), '<RequestId>'],
];
const body = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 20 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

/** @param {AttemptError} error */
function assertReadable({ message }) {
  assert.ok(message.length <= MAX_MESSAGE_LENGTH + 1, `${message.length} characters`);
  assert.doesNotMatch(message, UNPRINTABLE);
  assert.doesNotMatch(message, /undefined|\[object/);
}

test('any body gives both code and message, or neither', () => {
  fc.assert(
    fc.property(body, fc.integer({ min: 300, max: 599 }), (text, status) => {
      const { code, message } = parseErrorBody(text);
      assert.match(code, /^[A-Za-z0-9.]{0,64}$/);
      // XML escapes are decoded, which never makes a text longer.
      assert.ok(message.length <= text.length);
      const error = classifyAnswer({ status, code, message, now: 0 });
      assertReadable(error);
      assert.ok(['retry', 'fail', 'stop'].includes(error.handling));
    }),
    { numRuns: 2000 },
  );
});

for (const client of CLIENTS) {
  test(`${client}: a refusal is recognised, whatever its body`, TIME_LIMIT, async (t) => {
    const { store, connection } = await openHostile(t, client);
    for (const [what, content] of Object.entries(HOSTILE)) {
      for (const [status, handling] of /** @type {[number, string][]} */ ([
        [403, 'stop'],
        [500, 'retry'],
        [412, 'fail'],
      ])) {
        store.answer = answerOf(status, content);
        const cpuTime = startCpuTime();
        const error = await refusal(connection);
        assert.deepEqual([error.handling, error.status], [handling, status], `${what}: ${error.message}`);
        assert.ok(cpuTime() < MAX_CPU_MS, `${what}: ${cpuTime()}ms`);
        assertReadable(error);
        assert.doesNotMatch(error.message, /root:|haha|exe\.png/, what);
      }
    }
  });

  test(`${client}: a text with a secret is withheld, however XML spells it`, TIME_LIMIT, async (t) => {
    const { store, connection } = await openHostile(t, client);
    const secret = targetOf(store).credentials.secretAccessKey;
    for (const radix of [10, 16]) {
      const mark = radix === 16 ? '#x' : '#';
      const written = [...secret].map((each) => `&${mark}00000${each.charCodeAt(0).toString(radix)};`).join('');
      store.answer = answerOf(403, `<Error><Code>X</Code><Message>got ${written} instead</Message></Error>`);
      const { message } = await refusal(connection);
      assert.equal(message, `HTTP 403 X: ${WITHHELD}`);
    }
  });

  test(`${client}: any body is shown in one line, or not at all`, TIME_LIMIT, async (t) => {
    const { store, connection } = await openHostile(t, client);
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(400, 403, 404, 429, 500, 503), async (text, status) => {
        store.answer = answerOf(status, text);
        const error = await refusal(connection);
        assert.equal(error.status, status);
        assertReadable(error);
      }),
      { numRuns: 300 },
    );
  });
}

/**
 * @param {TestContext} t
 * @param {'direct' | 'sdk'} client
 */
async function openHostile(t, client) {
  const store = await startHostileStore(t);
  const { connections } = await openTestStore(t, client, targetOf(store), { timeout: MAX_ATTEMPT_MS });
  return { store, connection: connections[0] };
}

/**
 * @param {ObjectConnection} connection
 * @returns {Promise<AttemptError>}
 */
async function refusal(connection) {
  const error = await attempt(connection, () => get(connection, 'bucket-a', 'a-key')).then(
    () => assert.fail('accepted as an answer'),
    (reason) => reason,
  );
  assert.ok(error instanceof AttemptError, error?.stack);
  return error;
}
