import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ObjectVersions, isRemoval, stateOf, versionMemory, versionOf } from '../../lib/workload/object-versions.js';
import { cases } from '../helpers/cases.js';

const OBJECTS = 3;

/** The tested object has neighbours whose words must not change. */
const OBJECT = 1;

function freshVersions() {
  return new ObjectVersions(versionMemory(OBJECTS, 1000), OBJECTS);
}

/**
 * The documented rule in terms of sets: the versions of one object, each with its outcome.
 */
class Reference {
  /** @type {{ removes: boolean, isDoubtful: boolean, isRefused: boolean }[]} */
  versions = [{ removes: false, isDoubtful: false, isRefused: false }];
  lowest = 0;

  get highest() {
    return this.versions.length - 1;
  }

  /**
   * @param {number} version
   * @param {number} lowest
   * @param {number} highest
   */
  judge(version, lowest, highest) {
    const found = this.versions[version];
    if (found?.isRefused) {
      return 'foreign';
    }
    if (found?.isDoubtful) {
      return 'maybe';
    }
    return version < lowest ? 'stale' : version > highest ? 'foreign' : 'allowed';
  }

  /**
   * @param {number} lowest
   * @param {number} highest
   */
  judgeAbsence(lowest, highest) {
    if (this.versions.some(({ removes, isDoubtful }) => removes && isDoubtful)) {
      return 'maybe';
    }
    const between = this.versions.slice(lowest, highest + 1);
    return between.some(({ removes, isRefused }) => removes && !isRefused) ? 'allowed' : 'stale';
  }
}

/** Possible events of an object, in any meaningful order. */
const EVENT = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('start'), removes: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('acknowledge') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refuse') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('doubt') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('give up') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('send') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer'), read: fc.nat(), version: fc.nat({ max: 8 }) }) },
);

/** @typedef {{ kind: string, removes?: boolean, read?: number, version?: number }} Event */

/** @param {readonly Event[]} events */
function holdAgainstReference(events) {
  const versions = freshVersions();
  const reference = new Reference();
  let state = -1;
  /** @type {{ lowest: number, state: number }[]} */
  const reads = [];
  for (const { kind, removes = false, read = 0, version = 0 } of events) {
    const current = reference.versions[reference.highest];
    if (kind === 'start' && state === -1) {
      state = versions.start(OBJECT, removes);
      reference.versions.push({ removes, isDoubtful: false, isRefused: false });
      assert.deepEqual([versionOf(state), isRemoval(state)], [reference.highest, removes]);
    } else if (kind === 'acknowledge' && state !== -1) {
      versions.acknowledge(OBJECT, state);
      reference.lowest = current.isDoubtful ? reference.lowest : reference.highest;
      state = -1;
    } else if (kind === 'refuse' && state !== -1) {
      versions.refuse(OBJECT, state);
      current.isRefused = !current.isDoubtful;
      state = -1;
    } else if (kind === 'doubt' && state !== -1) {
      versions.doubt(OBJECT, state);
      current.isDoubtful = true;
    } else if (kind === 'give up' && state !== -1 && current.isDoubtful) {
      versions.refuse(OBJECT, state);
      state = -1;
    } else if (kind === 'send') {
      reads.push({ lowest: reference.lowest, state: versions.lowest(OBJECT) });
    } else if (kind === 'answer' && reads.length > 0) {
      const [sent] = reads.splice(read % reads.length, 1);
      const highest = versions.highest(OBJECT);
      for (let each = 0; each < reference.versions.length + 2; each++) {
        // No payload has the number of a removal.
        if (reference.versions[each]?.removes) {
          continue;
        }
        assert.equal(
          versions.judge(OBJECT, each, sent.state, highest),
          reference.judge(each, sent.lowest, reference.highest),
          `version ${each}`,
        );
      }
      const absence = versions.judgeAbsence(OBJECT, sent.state, highest);
      assert.equal(absence, reference.judgeAbsence(sent.lowest, reference.highest), 'absence');
      if (
        reference.versions[version]?.removes === false &&
        versions.judge(OBJECT, version, sent.state, highest) === 'allowed'
      ) {
        versions.hasRead(OBJECT, version);
        reference.lowest = Math.max(reference.lowest, version);
      }
    }
    assert.equal(versionOf(versions.lowest(OBJECT)), reference.lowest);
    assert.equal(versionOf(versions.highest(OBJECT)), reference.highest);
  }
}

/**
 * A strongly consistent store that loses responses: a request without a response may be carried out at any later
 * time.
 *
 * @param {readonly { kind: string, removes: boolean, chance: number }[]} events
 */
function readFromConsistentStore(events) {
  const versions = freshVersions();
  let content = stateOf(0, false);
  /** Attempts that may still take effect. @type {number[]} */
  const late = [];
  let state = -1;
  let isApplied = false;
  /** @type {{ lowest: number, content: number | null }[]} */
  const reads = [];
  for (const { kind, removes, chance } of events) {
    if (kind === 'start' && state === -1) {
      state = versions.start(OBJECT, removes);
      isApplied = false;
    } else if (kind === 'apply' && state !== -1) {
      content = state;
      isApplied = true;
    } else if (kind === 'acknowledge' && isApplied && state !== -1) {
      versions.acknowledge(OBJECT, state);
      state = -1;
    } else if (kind === 'refuse' && !isApplied && state !== -1) {
      versions.refuse(OBJECT, state);
      state = -1;
    } else if (kind === 'lose' && state !== -1) {
      versions.doubt(OBJECT, state);
      late.push(state);
      isApplied = false;
      if (chance % 2 === 0) {
        versions.refuse(OBJECT, state);
        state = -1;
      }
    } else if (kind === 'late' && late.length > 0) {
      content = late.splice(chance % late.length, 1)[0];
    } else if (kind === 'send') {
      reads.push({ lowest: versions.lowest(OBJECT), content: null });
    } else if (kind === 'serve' && reads.length > 0) {
      reads[chance % reads.length].content ??= content;
    } else if (kind === 'answer' && reads.length > 0) {
      const [read] = reads.splice(chance % reads.length, 1);
      const served = read.content ?? content;
      const highest = versions.highest(OBJECT);
      const version = versionOf(served);
      const verdict = isRemoval(served)
        ? versions.judgeAbsence(OBJECT, read.lowest, highest)
        : versions.judge(OBJECT, version, read.lowest, highest);
      assert.ok(verdict === 'allowed' || verdict === 'maybe', `${verdict} of state ${served}`);
      assert.ok(
        isRemoval(served) || versions.candidates(OBJECT, read.lowest, highest).includes(version),
        'a version that may be read is a candidate',
      );
      if (verdict === 'allowed') {
        if (isRemoval(served)) {
          versions.hasMissed(OBJECT, read.lowest, highest);
        } else {
          versions.hasRead(OBJECT, version);
        }
      }
    }
  }
}

const STORE_EVENT = fc.record({
  kind: fc.constantFrom('start', 'apply', 'acknowledge', 'refuse', 'lose', 'late', 'send', 'serve', 'answer'),
  removes: fc.boolean(),
  chance: fc.nat({ max: 1000 }),
});

describe('the versions that a read may return', () => {
  test('follow the rule for any sequence of events', () => {
    fc.assert(
      fc.property(fc.array(EVENT, { maxLength: 60 }), (events) => holdAgainstReference(events)),
      { numRuns: cases(2000) },
    );
  });

  test('include everything that a consistent store can return, even if it loses responses and delays requests', () => {
    fc.assert(
      fc.property(fc.array(STORE_EVENT, { maxLength: 80 }), (events) => readFromConsistentStore(events)),
      { numRuns: cases(3000) },
    );
  });

  test('start with version 0 alone', () => {
    const versions = freshVersions();
    const [lowest, highest] = [versions.lowest(OBJECT), versions.highest(OBJECT)];
    assert.equal(versions.judge(OBJECT, 0, lowest, highest), 'allowed');
    assert.equal(versions.judge(OBJECT, 1, lowest, highest), 'foreign');
    assert.equal(versions.judgeAbsence(OBJECT, lowest, highest), 'stale');
  });

  test('exclude older versions after a read has returned a newer one', () => {
    const versions = freshVersions();
    const before = versions.lowest(OBJECT);
    versions.start(OBJECT, false);
    const highest = versions.highest(OBJECT);
    assert.equal(versions.judge(OBJECT, 1, before, highest), 'allowed');
    versions.hasRead(OBJECT, 1);
    assert.equal(versions.judge(OBJECT, 0, before, highest), 'allowed', 'of a read that was sent before');
    assert.equal(versions.judge(OBJECT, 0, versions.lowest(OBJECT), highest), 'stale');
  });

  test('include the object and its absence if the first write had no known outcome', () => {
    const versions = freshVersions();
    versions.setUnknown(OBJECT);
    const [lowest, highest] = [versions.lowest(OBJECT), versions.highest(OBJECT)];
    assert.equal(versions.judge(OBJECT, 0, lowest, highest), 'maybe');
    assert.equal(versions.judgeAbsence(OBJECT, lowest, highest), 'allowed');
    versions.acknowledge(OBJECT, versions.start(OBJECT, false));
    const [later, latest] = [versions.lowest(OBJECT), versions.highest(OBJECT)];
    assert.equal(versions.judge(OBJECT, 1, later, latest), 'allowed');
    assert.equal(versions.judge(OBJECT, 0, later, latest), 'maybe', 'the first write may be carried out late');
    assert.equal(versions.judgeAbsence(OBJECT, later, latest), 'stale');
  });

  test('include absence if a removal started after the response, which hides the previous one', () => {
    const versions = new ObjectVersions(versionMemory(OBJECTS, 10), OBJECTS);
    const lowest = versions.lowest(OBJECT);
    for (const removes of [true, false]) {
      versions.acknowledge(OBJECT, versions.start(OBJECT, removes));
    }
    const highest = versions.highest(OBJECT);
    versions.start(OBJECT, true);
    assert.equal(versions.judgeAbsence(OBJECT, lowest, highest), 'allowed');
    assert.equal(versions.judgeAbsence(OBJECT, highest, highest), 'stale', 'none was under way before');
  });

  test('extend to the last version that was started if there is no space to note doubts', () => {
    const versions = new ObjectVersions(versionMemory(OBJECTS, 10), OBJECTS);
    assert.equal(versions.hasForgotten, false);
    for (let change = 0; change < 20; change++) {
      const state = versions.start(OBJECT, false);
      versions.doubt(OBJECT, state);
      versions.refuse(OBJECT, state);
    }
    assert.equal(versions.hasForgotten, true);
    const highest = versions.highest(OBJECT);
    assert.equal(versions.judge(OBJECT, 5, versions.lowest(OBJECT), highest), 'maybe');
    assert.equal(versions.judge(OBJECT, versionOf(highest), versions.lowest(OBJECT), highest), 'maybe');
    assert.equal(versions.judge(OBJECT, versionOf(highest) + 1, versions.lowest(OBJECT), highest), 'foreign');
    assert.equal(versions.judgeAbsence(OBJECT, versions.lowest(OBJECT), highest), 'maybe');
    assert.equal(
      versions.judge(0, 1, versions.lowest(0), versions.highest(0)),
      'foreign',
      'other objects are distinguished',
    );
  });
});
