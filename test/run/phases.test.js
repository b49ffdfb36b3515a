import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Phases } from '../../lib/run/begin-run.js';
import { recordingObserver } from '../helpers/recording-observer.js';

test('a phase reports its start and its end, whatever its outcome', async () => {
  const { observer, events } = recordingObserver();
  const phases = new Phases(() => 0, observer, 0);
  assert.equal(await phases.during('measuring', async () => 7), 7);
  await assert.rejects(
    phases.during('waiting', () => Promise.reject(new Error('broken')), 1000),
    /broken/,
  );
  const [measuring, waiting] = [
    { text: 'measuring', endsAt: null },
    { text: 'waiting', endsAt: 1000 },
  ];
  assert.deepEqual(events, [
    ['phaseStarts', measuring],
    ['phaseEnds', measuring],
    ['phaseStarts', waiting],
    ['phaseEnds', waiting],
  ]);
});

test('a phase that took noticeable time is named, and a brief one is not', async () => {
  let now = 0;
  const phases = new Phases(() => now, recordingObserver().observer, now);
  assert.equal(phases.summary(), '');
  const lasting = (/** @type {number} */ milliseconds) => async () => {
    now += milliseconds;
  };
  await phases.during('checking the buckets', lasting(2440));
  await phases.during('opening the connections', lasting(99));
  await phases.during("measuring the store's clock", lasting(100));
  assert.equal(phases.summary(), "checking the buckets took 2.4s, measuring the store's clock took 0.1s");
});
