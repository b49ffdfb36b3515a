import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInProcess } from '../helpers/command.js';

const LOCAL = ['1000', '10', '--local'];

/**
 * What a search and a calibration do not take of a load, and how that is said. What a search takes is tried in
 * every-load.slow-test.js.
 *
 * @type {Readonly<Record<string, { load: readonly string[], findPeak?: RegExp, calibrate: RegExp }>>}
 */
const LOADS = {
  list: { load: ['--stages', 'list'], calibrate: /--calibrate: it measures .*, expected no other --stages/ },
  range: { load: ['--stages', 'range'], calibrate: /--calibrate: it measures .*, expected no other --stages/ },
  copy: { load: ['--stages', 'copy'], calibrate: /--calibrate: it measures .*, expected no other --stages/ },
  'batch-remove': {
    load: ['--stages', 'write,batch-remove'],
    findPeak: /--find-peak: batch-remove does not go with a search, because its requests take too many objects/,
    calibrate: /--calibrate: it measures .*, expected no other --stages/,
  },
  multipart: { load: ['--multipart', '--size', '16MiB'], calibrate: /--calibrate: .*, expected no --multipart/ },
  checksum: { load: ['--checksum', 'crc64nvme'], calibrate: /--calibrate: .*, expected no --checksum/ },
  mix: {
    load: ['--mix', 'read=50,write=50'],
    findPeak: /--mix: a search goes through its stages one operation at a time, expected no --find-peak/,
    calibrate: /--calibrate: .*, expected no --mix/,
  },
  access: { load: ['--access', 'uniform'], calibrate: /--calibrate: .*, expected no --access/ },
  existing: { load: ['--existing', 'data/'], calibrate: /--calibrate: .*: expected no --existing/ },
  'until-stable': {
    load: ['--until-stable', '2%', '--duration', '60s'],
    findPeak: /--find-peak: .*--duration|--duration: .*--find-peak|--until-stable: .*--find-peak/,
    calibrate: /--calibrate: .*, expected no --until-stable/,
  },
};

for (const [what, { load, findPeak, calibrate }] of Object.entries(LOADS)) {
  if (findPeak !== undefined) {
    test(`a search refuses ${what} by name`, async () => {
      const { status, stderr } = await runInProcess([...LOCAL, ...load, '--find-peak'], {});
      assert.equal(status, 2);
      assert.match(stderr, findPeak);
    });
  }
  test(`a calibration refuses ${what} by name`, async () => {
    const { status, stderr } = await runInProcess(['--calibrate', ...load], {});
    assert.equal(status, 2);
    assert.match(stderr, calibrate);
  });
}
