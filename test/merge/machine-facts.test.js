import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHistogramPart, readRunLine, readStageLine } from '../../lib/merge/machine-facts.js';
import { cases } from '../helpers/cases.js';

const RUN = {
  kind: 'run',
  format: 1,
  run: '20260131-120000-x7k2',
  host: 'fra-1',
  shard: '0/3',
  start: '2026-01-31T12:00:00.123Z',
  clock: { offset: -7012.4, uncertainty: 6.2 },
  options: { size: 16_384, stages: ['read', 'write'] },
};

const STAGE = {
  kind: 'stage',
  stage: 'Write',
  end: 'complete',
  start: 1_795_173_998_064.572,
  stop: 1_795_174_009_358.313,
  operations: 1000,
  bytes: 16_384_000,
  attempts: 1019,
  clock: { offset: -7012.4, uncertainty: 8 },
  errors: { timeout: 19 },
};

test('a run line tells what identifies the run, its day and its clock', () => {
  assert.deepEqual(readRunLine(RUN), {
    format: 1,
    run: '20260131-120000-x7k2',
    host: 'fra-1',
    shard: '0/3',
    start: Date.UTC(2026, 0, 31, 12, 0, 0, 123),
    clock: { offset: -7012.4, uncertainty: 6.2 },
    size: 16_384,
    sizes: null,
    access: null,
    mix: null,
    versions: null,
    options: { size: 16_384, stages: ['read', 'write'] },
    stages: ['Read', 'Write'],
    isSearch: false,
    unusable: [],
  });
});

test('a run line tells what was mixed, and nothing that is no mix', () => {
  const mixOf = (/** @type {unknown} */ mix) => readRunLine({ ...RUN, options: { ...RUN.options, mix } }).mix;
  assert.deepEqual(['read=70,write=30', 'read\u001b[2J', 7].map(mixOf), ['read=70,write=30', null, null]);
});

test('a run line tells of a search for the peak', () => {
  assert.equal(readRunLine({ ...RUN, options: { ...RUN.options, findPeak: true } }).isSearch, true);
  assert.equal(readRunLine({ ...RUN, options: { ...RUN.options, findPeak: 'yes' } }).isSearch, false);
});

test('of a run line that says nothing, nothing is known', () => {
  const nothing = {
    format: null,
    run: null,
    host: null,
    shard: null,
    start: null,
    clock: null,
    size: null,
    sizes: null,
    access: null,
    mix: null,
    versions: null,
    options: null,
    stages: [],
    isSearch: false,
    unusable: [],
  };
  assert.deepEqual(readRunLine({}), nothing);
});

/** @type {[string, unknown][]} */
const STRANGE = [
  ['run', '../../etc'],
  ['run', 7],
  ['host', 'fra\u001b[2J'],
  ['host', ''],
  ['shard', '1 of 3'],
  ['shard', '5/3'],
  ['shard', '0/0'],
  ['shard', '00/3'],
  ['shard', 3],
  ['start', 'yesterday'],
  ['start', 0],
  ['start', '1970-01-01T00:00:00Z'],
  ['clock', { offset: 'a', uncertainty: 1 }],
  ['clock', { offset: 1, uncertainty: -1 }],
];

for (const [name, value] of STRANGE) {
  test(`${JSON.stringify(value)} is not taken for the ${name} of a run`, () => {
    const facts = readRunLine({ ...RUN, [name]: value });
    assert.equal(/** @type {any} */ (facts)[name], null);
    assert.equal(facts.unusable.length, 1);
    assert.ok(facts.unusable[0].startsWith(`"${name}": `), facts.unusable[0]);
  });
}

test('a stage line tells times, counts and errors; a count that is missing is zero', () => {
  const facts = readStageLine(STAGE);
  assert.deepEqual(
    [facts?.stage, facts?.start, facts?.stop, facts?.end],
    ['Write', STAGE.start, STAGE.stop, 'complete'],
  );
  assert.deepEqual([facts?.counts.attempts, facts?.counts.failed, facts?.errors], [1019, 0, [['timeout', 19]]]);
});

test('a count that is none is named and not used, and a field of a later version is named, or added up where it is a count', () => {
  const facts = readStageLine({ ...STAGE, bytes: -5, retries: '19', shreds: 3, copied: 'x', unsent: 2 });
  assert.deepEqual(facts?.unusable, ['"bytes": "-5"', '"retries": "19"']);
  assert.deepEqual([facts?.unknown, facts?.further], [['copied'], { shreds: 3 }]);
  assert.deepEqual([facts?.counts.bytes, facts?.counts.unsent], [0, 2]);
});

test('the stages that a run was to go through may be those of a later version', () => {
  const stagesOf = (/** @type {unknown} */ stages) => readRunLine({ ...RUN, options: { stages } });
  assert.deepEqual(stagesOf(['write', 'copy-part', 'list', 'list']).stages, ['Write', 'Copy-part', 'List']);
  assert.deepEqual(stagesOf(['write', 'Copy part']).unusable, ['"stages": "[\\"write\\",\\"Copy part\\"]"']);
});

for (const name of ['stage', 'start', 'stop', 'operations']) {
  test(`a stage line without its ${name} tells nothing`, () => {
    assert.equal(readStageLine({ ...STAGE, [name]: undefined }), null);
  });
}

test('a stage that stops before it starts tells nothing', () => {
  assert.equal(readStageLine({ ...STAGE, stop: STAGE.start - 1 }), null);
});

test('errors that are no counts, or that are named by control characters, are named and not used', () => {
  const errors = JSON.parse('{"__proto__":3,"timeout":-1,"a\\u001bb":2,"503":4}');
  const facts = readStageLine({ ...STAGE, errors });
  assert.deepEqual(facts?.errors, [
    ['503', 4],
    ['__proto__', 3],
  ]);
  assert.deepEqual(facts?.unusable, ['"timeout": "-1"', '"a\\u001bb": "2"']);
});

test('a part of a histogram has its number', () => {
  const part = { stage: 'Write', unit: 'us', part: 1, of: 2, data: 'abc' };
  assert.deepEqual(readHistogramPart(part), {
    ...{ stage: 'Write', operation: null, slotStart: null },
    ...{ part: 1, of: 2, data: 'abc' },
  });
  const strange = [{ part: 0 }, { part: 3 }, { of: 1e9 }, { unit: 'ms' }, { data: 5 }, { stage: 'list' }];
  assert.deepEqual(
    strange.map((change) => readHistogramPart({ ...part, ...change })),
    strange.map(() => null),
  );
});

test('whatever a machine line holds, it is read without harm', () => {
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('Write', 1_795_173_998_064, '0/1'));
  const names = [...new Set([RUN, STAGE, { part: 1, of: 1, data: '', unit: '' }].flatMap((data) => Object.keys(data)))];
  const data = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
  fc.assert(
    fc.property(data, (fields) => {
      assert.ok(Array.isArray(readRunLine(fields).stages));
      const facts = readStageLine(fields);
      assert.ok(facts === null || Object.values(facts.counts).every((count) => count === null || count >= 0));
      const part = readHistogramPart(fields);
      assert.ok(part === null || part.part <= part.of);
    }),
    { numRuns: cases(500) },
  );
});
