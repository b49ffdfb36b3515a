import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLine } from '../../lib/log/lines.js';
import { RecordParts, recordLines } from '../../lib/log/records.js';

const HEAD = { kind: 'stage', stage: 'Write' };

/** Fields of all sizes: many share a line, and long texts repeat. */
const longText = fc.stringMatching(/^[A-Za-z0-9+/]{0,3000}$/);
const value = fc.oneof(
  fc.jsonValue(),
  longText,
  fc.string({ unit: 'binary', maxLength: 2000 }),
  longText.map((text) => ({ operations: text, attempts: text, other: [text, null, 7] })),
);
const anyFields = fc.dictionary(fc.stringMatching(/^[a-z][A-Za-z]{2,12}$/), value, { maxKeys: 12 });

/** @param {readonly string[]} lines */
function read(lines) {
  const parts = new RecordParts();
  for (const line of lines) {
    const record = parseLine(line);
    assert.ok(record?.kind === 'machine', line.slice(0, 80));
    const { kind, stage, ...data } = record.data;
    parts.add(data);
  }
  return parts;
}

test('every record is restored from its lines, which stay below 1,000 characters', () => {
  fc.assert(
    fc.property(anyFields, (fields) => {
      const lines = recordLines(HEAD, fields);
      assert.ok(lines.every((line) => line.length < 1000 && !/[\n\r]/.test(line)));
      const parts = read(lines);
      assert.ok(parts.isWhole);
      assert.deepEqual(parts.fields(), JSON.parse(JSON.stringify(fields)));
    }),
  );
});

test('a record that lacks lines has its complete fields, and no others', () => {
  fc.assert(
    fc.property(anyFields, fc.infiniteStream(fc.boolean()), (fields, isLost) => {
      const lines = recordLines(HEAD, fields);
      const kept = lines.filter(() => !isLost.next().value);
      const parts = read(kept);
      assert.equal(parts.isWhole, kept.length === lines.length);
      const whole = JSON.parse(JSON.stringify(fields));
      for (const [name, field] of Object.entries(parts.fields())) {
        if (!JSON.stringify(fields[name]).includes('"attempts"')) {
          assert.deepEqual(field, whole[name]);
        }
      }
    }),
  );
});

test('a repeated text is written once', () => {
  const text = 'x'.repeat(5000);
  const once = recordLines(HEAD, { latency: { operations: text } }).join('').length;
  const often = recordLines(HEAD, { latency: { operations: text, attempts: text }, buckets: [{ text }] }).join(
    '',
  ).length;
  assert.ok(often < once + 300, `${often} characters, and ${once} for one`);
});

test('lines that cannot belong to a record are skipped', () => {
  const parts = new RecordParts();
  parts.add({ line: 3, lines: 2, a: 1 });
  parts.add({ line: 1, lines: 1e9, a: 1 });
  parts.add({ line: 'one', lines: 1, a: 1 });
  assert.deepEqual(parts.fields(), {});
  parts.add({ line: 1, lines: 1, ...JSON.parse('{"__proto__":{"isAdmin":true},"a":{"same":7}}') });
  const { a, isAdmin } = parts.fields();
  assert.deepEqual([a, isAdmin], [null, undefined]);
});
