import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import { mock, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { StopRequest } from '../../lib/cli/stop-request.js';
import { ENDING_SIGNALS } from '../../lib/measure/host/ending-signals.js';

const OTHER_SIGNALS = ENDING_SIGNALS.filter((name) => name !== 'SIGINT');

/** A process that receives signals, and records the statuses with which it would have exited. */
class FakeProcess extends EventEmitter {
  /** @type {unknown[]} */
  statuses = [];
  /** Signals that it sent to itself, without a listener that would have caught them. @type {string[]} */
  endedBy = [];
  pid = 1;

  /** @param {unknown} status */
  exit(status) {
    this.statuses.push(status);
    return /** @type {never} */ (undefined);
  }

  /** @type {NodeJS.Process['kill']} */
  kill(pid, signal) {
    assert.deepEqual([pid, this.listenerCount(String(signal))], [this.pid, 0]);
    this.endedBy.push(String(signal));
    return true;
  }
}

/** @param {boolean} isPersonThere */
function watching(isPersonThere) {
  const fake = new FakeProcess();
  const stopRequest = new StopRequest(fake, () => isPersonThere);
  /** @type {string[]} */
  const events = [];
  stopRequest.onRequest = (reason) => events.push(reason);
  stopRequest.onOffer = () => events.push('offer');
  stopRequest.onEndAtOnce = () => events.push('end');
  stopRequest.watch();
  const send = (/** @type {string} */ signal) => fake.emit(signal, signal);
  return { stopRequest, events, statuses: fake.statuses, endedBy: fake.endedBy, send };
}

/** @param {boolean} isPersonThere */
function listening(isPersonThere) {
  const watched = watching(isPersonThere);
  watched.stopRequest.listen(() => {});
  watched.stopRequest.onRequest = (reason) => watched.events.push(reason);
  return watched;
}

/** @param {() => Promise<void>} work run with a stopped clock */
async function withTimers(work) {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    await work();
  } finally {
    mock.timers.reset();
  }
}

/** @param {number} milliseconds */
async function pass(milliseconds) {
  mock.timers.tick(milliseconds);
  await nextTurn();
}

test('a signal before the run aborts the preparations, and ends the process', () => {
  for (const signal of ENDING_SIGNALS) {
    const { stopRequest, events, statuses, endedBy, send } = watching(true);
    stopRequest.signal.addEventListener('abort', () => events.push('aborted'));
    send(signal);
    const ends = signal === 'SIGHUP' ? [[signal], []] : [[], [128 + constants.signals[signal]]];
    assert.deepEqual([events, endedBy, statuses], [['aborted', 'end', signal], ...ends]);
  }
});

test('a signal after the end of a run stops what still waits, and keeps the status of the result', () => {
  for (const settled of [0, 1, 3]) {
    const { stopRequest, statuses, send } = listening(false);
    stopRequest.settle(settled);
    send('SIGINT');
    send('SIGTERM');
    assert.deepEqual([stopRequest.signal.aborted, stopRequest.status, statuses], [true, settled, []]);
  }
});

test('Row 41: without a terminal, no sequence of signals ends the process', () => {
  const signals = fc.array(fc.record({ signal: fc.constantFrom(...ENDING_SIGNALS), pause: fc.nat(3000) }), {
    minLength: 1,
  });
  return fc.assert(
    fc.asyncProperty(signals, (sequence) =>
      withTimers(async () => {
        const { events, statuses, send } = listening(false);
        for (const { signal, pause } of sequence) {
          await pass(pause);
          send(signal);
        }
        assert.deepEqual([events, statuses], [[sequence[0].signal], []]);
      }),
    ),
  );
});

test('Row 41: at a terminal, neither another signal nor SIGINT within a second of the first ends the process', () => {
  const others = fc.array(fc.record({ signal: fc.constantFrom(...OTHER_SIGNALS), pause: fc.nat(3000) }));
  const repeats = fc.array(fc.record({ signal: fc.constant('SIGINT'), pause: fc.nat(300) }), { maxLength: 3 });
  return fc.assert(
    fc.asyncProperty(others, repeats, others, (before, interrupts, after) =>
      withTimers(async () => {
        const { statuses, send } = listening(true);
        for (const { signal, pause } of [...before, ...interrupts, ...after]) {
          await pass(pause);
          send(signal);
        }
        assert.deepEqual(statuses, []);
      }),
    ),
  );
});

test('Row 41: a second after the first Ctrl-C, another one is offered, which exits immediately', () =>
  withTimers(async () => {
    const { events, statuses, send } = listening(true);
    send('SIGTERM');
    await pass(5000);
    send('SIGINT');
    await pass(999);
    send('SIGINT');
    assert.deepEqual(events, ['SIGTERM']);
    await pass(1);
    send('SIGTERM');
    assert.deepEqual([events, statuses], [['SIGTERM', 'offer'], []]);
    send('SIGINT');
    assert.deepEqual([events, statuses], [['SIGTERM', 'offer', 'end'], [130]]);
  }));

test('Row 41: a repeat that is seen a second late, because the process was held up, does not end it', () =>
  withTimers(async () => {
    const { events, statuses, send } = listening(true);
    send('SIGINT');
    mock.timers.tick(2000);
    // Node runs its timers first, and then handles the signals that arrived in the meantime.
    send('SIGINT');
    assert.deepEqual([events, statuses], [['SIGINT'], []]);
    await nextTurn();
    assert.deepEqual(events, ['SIGINT', 'offer']);
    send('SIGINT');
    assert.deepEqual(statuses, [130]);
  }));

test('a Ctrl-C ends the process as soon as it is offered', () =>
  withTimers(async () => {
    const { stopRequest, statuses, send } = listening(true);
    stopRequest.onOffer = () => send('SIGINT');
    send('SIGINT');
    await pass(1000);
    assert.deepEqual(statuses, [130]);
  }));

test('offers another Ctrl-C, whatever requested a stop before the first', () =>
  withTimers(async () => {
    const { stopRequest, events, statuses, send } = listening(true);
    stopRequest.outputLost(true);
    send('SIGINT');
    assert.deepEqual([stopRequest.signal.aborted, stopRequest.status], [true, 141]);
    await pass(1000);
    send('SIGINT');
    assert.deepEqual([events, statuses], [['the output was closed', 'offer', 'end'], [130]]);
  }));

test('once everything is done, offers nothing, and ignores signals while the process ends', () =>
  withTimers(async () => {
    const { stopRequest, events, send } = listening(true);
    stopRequest.settle(0);
    send('SIGINT');
    stopRequest.stopListening();
    await pass(1000);
    ENDING_SIGNALS.forEach(send);
    assert.deepEqual([events, stopRequest.status], [['SIGINT'], 0]);
    const other = listening(true);
    other.stopRequest.stopListening();
    ENDING_SIGNALS.forEach(other.send);
    assert.deepEqual([other.events, other.stopRequest.status], [[], null]);
  }));
