import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { TurnProgress } from '../../lib/report/turn-progress.js';

/** @param {boolean} isLive */
function screenThat(isLive) {
  /** @type {string[]} */
  const shown = [];
  const screen = {
    isLive,
    logIsOnTerminal: isLive,
    look: { columns: 80, rows: 24, isUnicode: true, hasColour: true },
    draw: (/** @type {readonly string[]} */ lines) => shown.push(`draw ${lines.length}`),
    out: (/** @type {string} */ line) => shown.push(`out ${line}`),
    err: (/** @type {string} */ line) => shown.push(`err ${line}`),
    live: (/** @type {string} */ text) => shown.push(`live ${text}`),
  };
  return { screen, shown };
}

const TURN = { side: /** @type {const} */ ('b'), quad: 2, timeLeft: 80_000 };

test('on a terminal, each live line shows whose turn it is and the time left', () => {
  const { screen, shown } = screenThat(true);
  let now = 0;
  const progress = new TurnProgress(screen, { now: () => now, quads: 8, quiet: false });
  const side = progress.screenOf('b');
  assert.equal(side.isLive, true);
  side.live('Checking the buckets  1s');
  progress.starts({ side: 'b', quad: null, timeLeft: null });
  side.live('Write  20%');
  progress.starts(TURN);
  now = 5000;
  side.live('Read  50%');
  side.live('');
  progress.end();
  side.live('Clean-up');
  assert.deepEqual(shown, [
    'live B: Checking the buckets  1s',
    'live Warming up, B: Write  20%',
    'live Quad 3 of 8, B, 1m 15s left: Read  50%',
    'live ',
    'live B: Clean-up',
  ]);
});

test('elsewhere a line shows it every two seconds, until the turns are over', () => {
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    const { screen, shown } = screenThat(false);
    const progress = new TurnProgress(screen, { now: () => 0, quads: 8, quiet: false });
    mock.timers.tick(2000);
    progress.starts(TURN);
    mock.timers.tick(4000);
    progress.end();
    mock.timers.tick(10_000);
    assert.deepEqual(shown, ['err Quad 3 of 8, B, 1m 20s left', 'err Quad 3 of 8, B, 1m 20s left']);
  } finally {
    mock.timers.reset();
  }
});
