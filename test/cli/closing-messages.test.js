import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closingMessages, exitStatus } from '../../lib/cli/closing-messages.js';
import { newResult } from '../../lib/run/cleanup/cleanup.js';
import { LATER, NO_TARGET, runConfig } from '../helpers/run-config.js';

/**
 * @import { RunResult } from '../../lib/result/result.js'
 * @import { Overrides } from '../helpers/run-config.js'
 */

/** @param {Overrides} [overrides] */
function configOf(overrides) {
  const { store } = runConfig({ ...NO_TARGET, buckets: ['b'] });
  return runConfig(NO_TARGET, { runId: 'r', size: 1024, store: { ...store, isEmbedded: false }, ...overrides });
}

const CONFIG = configOf();
const CLEAN = { ...newResult(), removed: 5, left: 0 };
const STAGE = { end: 'complete', operations: 9, failed: 0, skipped: 0, integrityErrors: 0, objectsNeeded: null };

/**
 * @param {object} parts of an otherwise successful result
 * @returns {RunResult}
 */
function result(parts) {
  return /** @type {any} */ ({
    problems: [],
    existing: null,
    kept: 0,
    stages: [STAGE],
    cleanup: null,
    crash: null,
    ...parts,
  });
}

/**
 * @param {object} parts
 * @param {number | null} [asked] the status of a stop request
 */
function statusOf(parts, asked = null) {
  return exitStatus(result(parts), /** @type {any} */ ({ status: asked }));
}

test('a fully successful run exits with status 0', () => {
  assert.equal(statusOf({}), 0);
  assert.equal(statusOf({ cleanup: CLEAN }), 0);
});

test('anything missing makes a run incomplete', () => {
  for (const flaw of [
    { failed: 1 },
    { operations: 0 },
    { integrityErrors: 1 },
    { end: 'stalled' },
    { end: 'stopped' },
    { ramp: { of: 'threads', steps: [{ shortfall: null }, { shortfall: 'stalled' }] } },
    { search: { steps: [{ operations: 9 }, { operations: 0, errors: 1 }] } },
  ]) {
    assert.equal(statusOf({ stages: [STAGE, { ...STAGE, ...flaw }] }), 1, JSON.stringify(flaw));
  }
  assert.equal(statusOf({ cleanup: { ...CLEAN, left: 1 } }), 1);
  assert.equal(statusOf({ cleanup: { ...CLEAN, left: -1 } }), 1);
  assert.equal(statusOf({ crash: new Error('unexpected') }), 1);
});

test('a configuration problem outranks an incomplete run, and a signal outranks both', () => {
  const parts = { problems: ['no bucket'], stages: [{ ...STAGE, end: 'fatal' }] };
  assert.equal(statusOf(parts), 2);
  assert.equal(statusOf(parts, 130), 130);
  assert.equal(statusOf({ ...parts, isTransient: true }), 1, 'troubles of the store are not the configuration’s');
});

test('remaining objects are an error with a command, removed ones a notice', () => {
  assert.deepEqual(closingMessages(result({}), CONFIG, LATER), { notices: [], errors: [] });
  const clean = closingMessages(result({ cleanup: CLEAN }), CONFIG, LATER);
  assert.match(clean.notices[0], /5 objects removed .* 0 left$/);
  assert.deepEqual(clean.errors, []);
  const cleanup = { ...CLEAN, left: 2, problems: ['k: AccessDenied'] };
  const { notices, errors } = closingMessages(result({ cleanup, problems: ['denied'] }), CONFIG, LATER);
  assert.deepEqual(notices, []);
  assert.deepEqual(errors.slice(0, 2), ['error: denied', 'error: clean-up: k: AccessDenied']);
  assert.match(errors[2], /2 left; try again with: node r2-benchmark\.js cleanup r$/);
});

test('does not suggest another clean-up of uploads that the store cannot list', () => {
  const unlisted = { ...CLEAN, uploadsLeft: -1, problems: ['the uploads of the run cannot be listed'] };
  assert.doesNotMatch(closingMessages(result({ cleanup: unlisted }), CONFIG, LATER).errors.join('\n'), /try again/);
  const listed = { ...CLEAN, uploadsLeft: 3 };
  assert.match(
    closingMessages(result({ cleanup: listed }), CONFIG, LATER).errors.join('\n'),
    /3 uploads left; try again with/,
  );
});

test('reports kept objects with the command that removes them, if there are any', () => {
  const keeping = configOf({ keep: true });
  assert.match(closingMessages(result({}), keeping, LATER).notices[0], /kept.* cleanup r$/);
  assert.deepEqual(closingMessages(result({ stages: [] }), keeping, LATER).notices, []);
  const [first, second] = closingMessages(result({ kept: 9 }), keeping, LATER).notices;
  assert.match(first, /^Read .*: node r2-benchmark\.js 9 4 --size 1KiB --stages read,stat --run-id r$/);
  assert.match(second, / cleanup r$/);
});

test('reports a run ID in use with the commands that read and remove its objects', () => {
  const existing = { count: 7, isWhole: true, readable: { count: 6, size: 512 }, unlisted: new Map() };
  const said = closingMessages(result({ stages: [], problems: ['in use'], existing }), CONFIG, LATER).errors;
  assert.equal(said[0], 'error: in use');
  assert.match(said[1], /^Read them with: .* 6 4 --size 512B --stages read,stat --run-id r$/);
  assert.match(said[2], /^Remove them with: .* cleanup r$/);
  const probesAlone = { ...existing, readable: null };
  assert.equal(
    closingMessages(result({ problems: ['in use'], existing: probesAlone }), CONFIG, LATER).errors.length,
    2,
  );
});

test('reports how many objects to pass if Write ran out of them, unless other stages compensate for it', () => {
  const stage = { ...STAGE, stage: 'Write', duration: 186, objects: 300, objectsNeeded: 37_000 };
  const noticesOf = (/** @type {Overrides} */ overrides) =>
    closingMessages(result({ stages: [stage, STAGE] }), configOf({ duration: 15_000, ...overrides }), LATER).notices;
  const told = [
    'Write ran out of objects after 0.2s of 15.0s: to fill that --duration, pass about 37000 <objects> instead of 300',
  ];
  assert.deepEqual(noticesOf({ sharesSlots: true }), told);
  assert.deepEqual(noticesOf({ stages: ['write', 'remove'] }), told);
  assert.deepEqual(noticesOf({ stages: ['write', 'read', 'remove'] }), [], 'reads go round over the 300');
  const mix = [{ operation: 'read', share: 100 }];
  assert.deepEqual(noticesOf({ stages: ['write', 'mixed', 'remove'], mix }), []);
});
