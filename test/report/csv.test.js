import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOfHost } from '../helpers/host-lines.js';
import { DEFAULTS, planHosts } from '../helpers/host-plan.js';
import { formatCsv } from '../../lib/report/csv.js';
import { aggregateOf, madeLogs } from '../result/logs-of.js';

const OPTIONS = { ...DEFAULTS, hosts: 2, seconds: 5, skew: 100 };
const LOGS = Object.fromEntries(planHosts(OPTIONS).map((plan) => [plan.host, [...linesOfHost(plan)]]));
const AGGREGATE = aggregateOf(madeLogs(OPTIONS));

test('the time series has every second of every host, named by its start', () => {
  const expected = Object.entries(LOGS).flatMap(([host, lines]) =>
    lines
      .flatMap(({ tells = [] }) => tells)
      .flatMap((tells) => {
        if (!('rate' in tells)) {
          return [];
        }
        const time = new Date(tells.second * 1000).toISOString().replace('.000', '');
        const size = tells.stage === 'Write' || tells.stage === 'Read' ? 16_384 : 0;
        return [`${time},${tells.stage},${host},${tells.rate},${tells.rate * size}`];
      }),
  );
  const [head, ...rows] = [...formatCsv(AGGREGATE)].join('').trimEnd().split('\n');
  assert.equal(head, 'second_start,stage,host,ops,bytes');
  assert.deepEqual(rows.toSorted(), expected.toSorted());
  const times = rows.filter((row) => row.includes('Write')).map((row) => row.slice(0, '2026-01-31T23:59:58Z'.length));
  assert.deepEqual(times, times.toSorted());
});

test('a host name that looks like a formula gets an apostrophe', () => {
  const names = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '=HYPERLINK("x")', 'a=b'];
  const timeSeries = () => names.map((host) => ({ second: 0, stage: 'Write', host, operations: -1, bytes: 0 }));
  const hosts = [...formatCsv({ timeSeries, isDated: false })]
    .join('')
    .split('\n')
    .slice(1, -1)
    .map((row) => row.slice('00:00:00,Write,'.length, -',-1,0'.length));
  assert.deepEqual(hosts, [
    ...["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", '"\'\rx"'],
    ...['"\'=HYPERLINK(""x"")"', 'a=b'],
  ]);
});

test('a long series comes in small chunks', () => {
  const pieces = [...formatCsv(aggregateOf(madeLogs({ hosts: 1, seconds: 3000 })))];
  assert.ok(pieces.length > 5);
  assert.ok(pieces.every((piece) => piece.length < 70_000));
});
