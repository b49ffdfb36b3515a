import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeSeconds } from '../../lib/model/host-series.js';
import { csvLines, decodeSeconds, hostMap, timeTable } from '../../lib/report/html/browser/seconds.js';

/** @import { StageSum } from '../../lib/model/result.js' */

const anySeconds = fc.array(fc.option(fc.nat(2 ** 32)));

test('the seconds of a host come out of the page as they went in', () => {
  fc.assert(
    fc.property(anySeconds, (tenths) => {
      const expected = tenths.map((value) => (value === null ? null : value / 10));
      assert.deepEqual(decodeSeconds(encodeSeconds(tenths)), expected);
    }),
  );
});

/**
 * @param {string} stage
 * @param {readonly number[]} seconds
 */
function stageWith(stage, seconds) {
  return /** @type {StageSum} */ (
    /** @type {unknown} */ ({
      stage,
      seconds: seconds.map((secondStart) => ({ secondStart, operations: secondStart, bytes: 2 * secondStart })),
    })
  );
}

test('stages share one axis, and no line goes over seconds that are missing', () => {
  const { seconds, stages } = timeTable([stageWith('Write', [10, 11, 15]), stageWith('Read', [15, 16])]);
  assert.deepEqual(seconds, [10, 11, 12, 15, 16]);
  assert.deepEqual(
    stages.map((stage) => stage.map((second) => second?.operations ?? null)),
    [
      [10, 11, null, 15, null],
      [null, null, null, 15, 16],
    ],
  );
});

/**
 * @param {string} host
 * @param {number} secondStart
 * @param {(number | null)[]} tenths
 */
function shareOf(host, secondStart, tenths) {
  return { host, series: { secondStart, tenths: encodeSeconds(tenths), operationBytes: 100, minutes: [] } };
}

const MERGED = /** @type {any} */ ({
  host: null,
  merge: { isDated: true },
  stages: [
    {
      stage: 'Write',
      seconds: [],
      merge: { shares: [shareOf('a', 10, [10, 20, null, 40]), shareOf('b,"c', 11, [5])] },
    },
  ],
});

test('the map of hosts has the mean of each column, and nothing where no line tells', () => {
  const map = hostMap(MERGED.stages, ['a', 'b,"c'], 2);
  assert.deepEqual(map, {
    from: 10,
    columnSeconds: 2,
    hosts: [
      [1.5, 2],
      [0.25, null],
    ],
  });
  assert.equal(hostMap([], ['a'], 2), null);
});

test('the CSV has the seconds of each host, with names in quotes where they need them', () => {
  assert.equal(
    csvLines(MERGED).join(''),
    'second_start,stage,host,ops,bytes\n' +
      '1970-01-01T00:00:10Z,Write,a,1,100\n' +
      '1970-01-01T00:00:11Z,Write,a,2,200\n' +
      '1970-01-01T00:00:11Z,Write,"b,""c",0.5,50\n' +
      '1970-01-01T00:00:13Z,Write,a,4,400\n',
  );
});

test('the CSV of one host has its seconds, and no date where there is none', () => {
  const stages = [stageWith('Read', [7])];
  const run = /** @type {any} */ ({ host: 'fra-1', stages });
  assert.equal(csvLines(run)[1], '1970-01-01T00:00:07Z,Read,fra-1,7,14\n');
  assert.equal(csvLines({ ...run, merge: { isDated: false } })[1], '00:00:07,Read,fra-1,7,14\n');
});
