import fc from 'fast-check';
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { OPERATIONS } from '../../lib/load/operations/registry.js';
import { makeTrace } from '../../lib/load/replay/make-trace.js';
import { readLogs } from '../../lib/load/replay/read-logs.js';
import { MEMBER_VALUES } from '../../lib/load/workload/trace.js';
import { cases } from '../helpers/cases.js';
import { CSV_HEADER, csvLine, dottedR2Line, r2Line, s3Line, writeFiles } from '../helpers/traffic-logs.js';

/**
 * @import { FormatName } from '../../lib/load/replay/log-formats.js'
 * @import { Trace } from '../../lib/result/config.js'
 * @import { Traffic } from '../helpers/traffic-logs.js'
 */

const START = Date.UTC(2026, 8, 1, 12);
const WHOLE = { from: 0, length: Infinity, limit: Infinity };

/** @type {readonly Traffic[]} */
const TRAFFIC = [
  { at: START, does: 'GetObject', key: 'a/1', size: 1000, bytes: 1000 },
  { at: START + 1000, does: 'GetObject', key: 'a/1', size: 1000, bytes: 100 },
  { at: START + 2000, does: 'PutObject', key: 'b "2", ü', size: 50 },
  { at: START + 3000, does: 'HeadObject', key: 'b "2", ü', size: 50 },
  { at: START + 4000, does: 'CopyObject', key: 'c', size: 70 },
  { at: START + 5000, does: 'DeleteObject', key: 'b "2", ü' },
];

/** @param {readonly string[]} lines */
function text(lines) {
  return lines.map((line) => `${line}\n`).join('');
}

/** @param {Trace} trace */
function described(trace) {
  return Array.from({ length: trace.requests }, (_, request) => [
    Math.round(trace.times[request]),
    OPERATIONS[trace.codes[request]].name,
    trace.targets[request],
    trace.amounts[request],
  ]);
}

/**
 * @param {Readonly<Record<string, string | Uint8Array>>} files
 * @param {Parameters<typeof readLogs>[1]} [options]
 */
async function traceOf(files, options) {
  const { recorded } = await readLogs(writeFiles(files), options);
  return makeTrace(recorded, WHOLE);
}

const EXPECTED = [
  [0, 'read', 0, 0],
  [1000, 'range', 0, 100],
  [2000, 'write', 2, 0],
  [3000, 'stat', 2, 0],
  [4000, 'copy', 1, 0],
  [5000, 'remove', 2, 1],
];

const FILES = {
  'R2 lines with nested names': text(TRAFFIC.map(r2Line)),
  'R2 lines with dotted names': text(TRAFFIC.map(dottedR2Line)),
  'an R2 array': JSON.stringify(TRAFFIC.map((each) => JSON.parse(r2Line(each)))),
  'an indented R2 array': JSON.stringify(
    TRAFFIC.map((each) => JSON.parse(dottedR2Line(each))),
    null,
    2,
  ),
  CSV: text([CSV_HEADER, ...TRAFFIC.map(csvLine)]),
  'CSV whose first cells are empty': text([`id,${CSV_HEADER}`, ...TRAFFIC.map((each) => `,${csvLine(each)}`)]),
  'CSV with Windows line ends and a byte order mark': `\uFEFF${text([CSV_HEADER, ...TRAFFIC.map(csvLine)]).replaceAll('\n', '\r\n')}`,
};

for (const [what, content] of Object.entries(FILES)) {
  test(`reads ${what}`, async () => {
    const trace = await traceOf({ log: content });
    assert.deepEqual(described(trace), EXPECTED);
    assert.deepEqual([trace.objects, trace.prepared, [...trace.sizes]], [3, 2, [1000, 70, 50]]);
  });
}

test('reads S3 lines, and spreads the requests of a second over it', async () => {
  const lines = [...TRAFFIC.map(s3Line), s3Line({ ...TRAFFIC[5], does: 'HeadObject', key: 'c', size: 70 })];
  const trace = await traceOf({ log: text(lines) });
  const times = [0, 1000, 2000, 3000, 4000, 5000, 5500];
  assert.deepEqual(
    described(trace).map(([time]) => time),
    times,
  );
  assert.deepEqual(
    described(trace)
      .slice(0, 6)
      .map((each) => each.slice(1)),
    EXPECTED.map((each) => each.slice(1)),
  );
});

test('reads every file in one order of time, compressed or not', async () => {
  const [first, second] = [TRAFFIC.slice(0, 3), TRAFFIC.slice(3)];
  const shuffled = [4, 0, 5, 2, 1, 3].map((index) => TRAFFIC[index]);
  /** @type {Record<string, string | Uint8Array>[]} */
  const sets = [
    { b: text(second.map(r2Line)), a: text(first.map(dottedR2Line)) },
    { a: gzipSync(text(shuffled.map(r2Line))) },
    { a: Buffer.concat([gzipSync(text(second.map(r2Line))), gzipSync(text(first.map(r2Line)))]) },
  ];
  for (const files of sets) {
    const times = described(await traceOf(files)).map(([time, name]) => [time, name]);
    assert.deepEqual(
      times,
      EXPECTED.map(([time, name]) => [time, name]),
    );
  }
});

test('an R2 batch is one request, and so are the lines of an S3 batch', async () => {
  const keys = ['x', 'y', 'x', 'z'];
  const r2 = text([r2Line({ at: START, does: 'DeleteObjects', keys })]);
  const lines = keys.flatMap((key) =>
    ['one', 'two'].map((request) => s3Line({ at: START, does: 'DeleteObjects', key: `${request}${key}`, request })),
  );
  for (const [content, requests] of /** @type {const} */ ([
    [r2, 1],
    [text(lines), 2],
  ])) {
    const trace = await traceOf({ log: content });
    assert.equal(trace.requests, requests);
    const members = [];
    for (let member = trace.amounts[0]; member !== 0; member = trace.members[MEMBER_VALUES * member + 2]) {
      members.push([...trace.members.subarray(MEMBER_VALUES * member, MEMBER_VALUES * member + 2)]);
    }
    assert.equal(members.length, 3, 'each key once');
    assert.deepEqual(
      members.map(([, changes]) => changes),
      [1, 1, 1],
    );
  }
});

test('a list keeps its number of keys and gets an object of the run', async () => {
  const read = TRAFFIC[0];
  for (const line of [r2Line, s3Line]) {
    const trace = await traceOf({
      log: text([line(read), line({ at: START + 1000, does: 'ListObjectsV2', maxKeys: 50 })]),
    });
    assert.deepEqual(described(trace)[1].slice(1), ['list', 0, 50]);
  }
});

test('an unchanged object that the client has already counts as a stat', async () => {
  const trace = await traceOf({ log: r2Line({ at: START, does: 'GetObject', key: 'a', size: 10, status: 304 }) });
  assert.deepEqual(described(trace), [[0, 'stat', 0, 0]]);
});

test('operations that no log contains are not replayed', async () => {
  const lines = ['read', 'swap', 'create', 'range', 'GET'].map((does) => csvLine({ ...TRAFFIC[0], does }));
  const [file] = writeFiles({ 'a.csv': text([CSV_HEADER, ...lines]) });
  const { recorded } = await readLogs([file]);
  assert.equal(recorded.count, 1);
  assert.deepEqual([...recorded.others.keys()], ['swap', 'create', 'range', 'GET']);
});

test('requests out of order are replayed by time, and those of one time in the order of the log', async () => {
  const at = [50, 10, 50, 30, 10, 20, 50];
  const lines = at.map((offset, index) => csvLine({ ...TRAFFIC[0], at: 1e12 + offset, key: `k${index}` }));
  const [file] = writeFiles({ 'a.csv': text([CSV_HEADER, ...lines]) });
  const { recorded } = await readLogs([file]);
  const { times, targets, requests } = makeTrace(recorded, { from: 0, length: Infinity, limit: Infinity });
  assert.deepEqual([...times.subarray(0, requests)], [0, 0, 10, 20, 40, 40, 40]);
  assert.deepEqual([...targets.subarray(0, requests)], [1, 4, 5, 3, 0, 2, 6]);
});

test('counts what it leaves out, and names the first lines that it cannot read', async () => {
  const good = r2Line(TRAFFIC[0]);
  const lines = [
    ...[good.slice(0, 40), good, '', 'noise', '{"action":"GetObject"}', '[1]'],
    ...[r2Line({ ...TRAFFIC[0], status: 404 }), r2Line({ ...TRAFFIC[0], does: 'UploadPart' })],
    r2Line({ ...TRAFFIC[0], size: 6 * 1024 ** 3 }),
  ];
  const [file] = writeFiles({ 'damaged.ndjson': text(lines) });
  const { recorded, unreadable, unreadableAt, formats } = await readLogs([file]);
  assert.deepEqual(formats, ['r2']);
  assert.equal(recorded.count, 1);
  assert.equal(recorded.failed, 1);
  assert.deepEqual(
    [...recorded.others],
    [
      ['UploadPart', 1],
      ['GetObject of more than 4.9 GiB', 1],
    ],
  );
  assert.equal(unreadable, 4);
  assert.deepEqual(
    unreadableAt,
    [1, 4, 5].map((line) => `${file}:${line}`),
  );
});

test('an array that ends early yields its complete elements', async () => {
  const content = JSON.stringify(
    TRAFFIC.map((each) => JSON.parse(r2Line(each))),
    null,
    1,
  );
  const [file] = writeFiles({ cut: content.slice(0, -100) });
  const { recorded, unreadable, unreadableAt } = await readLogs([file]);
  assert.equal(recorded.count, TRAFFIC.length - 1);
  assert.equal(unreadable, 1);
  assert.match(unreadableAt[0], /cut:\d+$/);
});

test('refuses a file that is no log of requests, and one that ends in the middle', async () => {
  const cut = gzipSync(text(TRAFFIC.map(r2Line))).subarray(0, -12);
  const [foreign, compressed] = writeFiles({ 'nginx.log': '127.0.0.1 - - "GET / HTTP/1.1" 200\n', 'cut.gz': cut });
  await assert.rejects(readLogs([foreign]), /nginx\.log: no line could be read, expected R2 Data Access Logs/);
  await assert.rejects(readLogs([compressed]), /cut\.gz: unexpected end of file/);
  await assert.rejects(readLogs([`${foreign}-missing`]), /ENOENT/);
});

test('--format refuses a file of another format', async () => {
  const [file] = writeFiles({ log: text(TRAFFIC.map(r2Line)) });
  await assert.rejects(
    readLogs([file], { format: 's3' }),
    /log: no line could be read, expected S3 server access logs/,
  );
});

test('an object of unknown size gets the size of another', async () => {
  const trace = await traceOf({
    log: text([r2Line({ ...TRAFFIC[0], size: 0, bytes: 0 }), r2Line({ ...TRAFFIC[2], size: 77 })]),
  });
  assert.deepEqual([...trace.sizes], [77, 77]);
});

test('hosts replay disjoint objects, from the same start', async () => {
  const many = Array.from({ length: 200 }, (_, index) => ({ ...TRAFFIC[0], at: START + index, key: `k${index % 40}` }));
  const files = { log: text(many.map(r2Line)) };
  const shards = await Promise.all([0, 1, 2].map((index) => traceOf(files, { shard: { index, count: 3 } })));
  const whole = await traceOf(files);
  assert.equal(
    shards.reduce((sum, { objects }) => sum + objects, 0),
    whole.objects,
  );
  const times = shards.flatMap((trace) => described(trace).map(([time]) => Number(time)));
  assert.deepEqual(
    times.toSorted((one, other) => one - other),
    described(whole).map(([time]) => time),
  );
});

test('--from, --for and --limit cut out a part', async () => {
  const { recorded } = await readLogs(writeFiles({ log: text(TRAFFIC.map(r2Line)) }));
  const part = makeTrace(recorded, { from: 1500, length: 3000, limit: 2 });
  assert.deepEqual(described(part), [
    [500, 'write', 0, 0],
    [1500, 'stat', 0, 0],
  ]);
  assert.deepEqual([part.objects, part.prepared], [1, 0]);
});

const traffic = fc.record({
  at: fc.integer({ min: 0, max: 5000 }).map((after) => START + after),
  does: fc.constantFrom('GetObject', 'HeadObject', 'PutObject', 'CopyObject', 'DeleteObject'),
  key: fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.string({ unit: 'grapheme', minLength: 1 })),
  size: fc.integer({ min: 1, max: 1e12 }),
});

test('every format states the same requests, whatever the keys', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(traffic, { minLength: 1, maxLength: 30 }), async (all) => {
      const plain = all.map((each) => ({
        ...each,
        key: each.key.replaceAll(/[\r\n\u2028\u2029]/g, '') || 'x',
        at: Math.floor(each.at / 1000) * 1000,
      }));
      const contents = [
        text(plain.map(r2Line)),
        JSON.stringify(plain.map((each) => JSON.parse(dottedR2Line(each)))),
        text([CSV_HEADER, ...plain.map(csvLine)]),
      ];
      const [first, ...others] = await Promise.all(contents.map((content) => traceOf({ log: content })));
      others.forEach((other) => {
        assert.deepEqual(described(other), described(first));
        assert.deepEqual(other.sizes, first.sizes);
      });
    }),
    { numRuns: cases(40) },
  );
});

test('each change of an object follows the one before, and prepared objects count as changed once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(traffic, { minLength: 1, maxLength: 60 }), async (all) => {
      const trace = await traceOf({ log: text(all.map(r2Line)) });
      const changes = Array.from({ length: trace.objects }, (_, object) => Number(object < trace.prepared));
      let before = 0;
      for (const [time, operation, target, amount] of described(trace)) {
        assert.ok(Number(time) >= before);
        before = Number(time);
        if (operation === 'write' || operation === 'remove') {
          assert.equal(amount, changes[Number(target)]++);
        }
      }
    }),
    { numRuns: cases(40) },
  );
});

test('damage anywhere in a file costs the lines that it hits, or the file, but never the run', async () => {
  /** @type {Record<FormatName, string>} */
  const contents = { r2: text(TRAFFIC.map(r2Line)), s3: text(TRAFFIC.map(s3Line)), csv: FILES.CSV };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(contents), FILES['an R2 array']),
      fc.array(fc.tuple(fc.nat(1000), fc.uint8Array({ maxLength: 9 }), fc.nat(20)), { minLength: 1, maxLength: 4 }),
      async (content, damages) => {
        let bytes = Buffer.from(content);
        for (const [at, inserted, removed] of damages) {
          bytes = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);
        }
        const [file] = writeFiles({ [path.basename('log')]: bytes });
        try {
          const { recorded, unreadable } = await readLogs([file]);
          assert.ok(recorded.count + unreadable <= bytes.length);
          makeTrace(recorded, WHOLE);
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
          assert.match(error.message, /^[^\n]*log: [^\n]+$/);
        }
      },
    ),
    { numRuns: cases(150) },
  );
});
