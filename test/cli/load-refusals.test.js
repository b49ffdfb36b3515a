import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInProcess } from '../helpers/command.js';

const LOCAL = ['1000', '10', '--local'];

/** Parts of a load that a search rejects, and how. What it accepts is tested in every-load.slow-test.js. */
const LOADS = {
  'batch-remove': {
    load: ['--stages', 'write,batch-remove'],
    message: /batch-remove cannot be combined with --find-peak: each request removes so many objects/,
  },
  mix: { load: ['--mix', 'read=50,write=50'], message: /--mix cannot be combined with --find-peak/ },
  'until-stable': {
    load: ['--until-stable', '2%', '--duration', '60s'],
    message: /--duration cannot be combined with --find-peak|--until-stable cannot be combined with --find-peak/,
  },
};

for (const [what, { load, message }] of Object.entries(LOADS)) {
  test(`a search rejects ${what} by name`, async () => {
    const { status, stderr } = await runInProcess([...LOCAL, ...load, '--find-peak'], {});
    assert.equal(status, 2);
    assert.match(stderr, message);
  });
}
