import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInProcess } from '../helpers/command.js';

const LOCAL = ['1000', '10', '--local'];

/**
 * Parts of a load that a search and a calibration reject, and how. What a search accepts is tested in
 * every-load.slow-test.js.
 *
 * @type {Readonly<Record<string, { load: readonly string[], findPeak?: RegExp, calibrate: RegExp }>>}
 */
const LOADS = {
  list: { load: ['--stages', 'list'], calibrate: /--calibrate takes no --stages other than write, read/ },
  range: { load: ['--stages', 'range'], calibrate: /--calibrate takes no --stages other than write, read/ },
  copy: { load: ['--stages', 'copy'], calibrate: /--calibrate takes no --stages other than write, read/ },
  'batch-remove': {
    load: ['--stages', 'write,batch-remove'],
    findPeak: /batch-remove cannot be combined with --find-peak: each request removes so many objects/,
    calibrate: /--calibrate takes no --stages other than write, read/,
  },
  multipart: { load: ['--multipart', '--size', '16MiB'], calibrate: /--calibrate cannot be combined with --multipart/ },
  checksum: { load: ['--checksum', 'crc64nvme'], calibrate: /--checksum cannot be combined with --calibrate/ },
  mix: {
    load: ['--mix', 'read=50,write=50'],
    findPeak: /--mix cannot be combined with --find-peak/,
    calibrate: /--mix cannot be combined with --calibrate/,
  },
  access: { load: ['--access', 'uniform'], calibrate: /--access cannot be combined with --calibrate/ },
  existing: { load: ['--existing', 'data/'], calibrate: /--existing cannot be combined with --calibrate/ },
  'until-stable': {
    load: ['--until-stable', '2%', '--duration', '60s'],
    findPeak: /--duration cannot be combined with --find-peak|--until-stable cannot be combined with --find-peak/,
    calibrate: /--until-stable cannot be combined with --calibrate/,
  },
};

for (const [what, { load, findPeak, calibrate }] of Object.entries(LOADS)) {
  if (findPeak !== undefined) {
    test(`a search rejects ${what} by name`, async () => {
      const { status, stderr } = await runInProcess([...LOCAL, ...load, '--find-peak'], {});
      assert.equal(status, 2);
      assert.match(stderr, findPeak);
    });
  }
  test(`a calibration rejects ${what} by name`, async () => {
    const { status, stderr } = await runInProcess(['--calibrate', ...load], {});
    assert.equal(status, 2);
    assert.match(stderr, calibrate);
  });
}
