import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coloLine } from '../../lib/report/stage-findings.js';

/** @param {Record<string, number>[]} colos of the stages */
function lineOf(...colos) {
  const connections = { opened: 0, reused: 0, lookupTime: null, tcp: null, tls: null };
  return coloLine(colos.map((each) => ({ connections: { ...connections, colos: each } })));
}

test('the data centres of all stages are named, busiest first', () => {
  assert.equal(lineOf({ FRA: 1200 }, {}), 'FRA (1,200 connections)');
  assert.equal(lineOf({ FRA: 1 }), 'FRA (1 connection)');
  assert.equal(lineOf({ AMS: 2, FRA: 1 }, { FRA: 47 }), 'FRA (48 connections), AMS (2)');
});

test('a store that is not behind Cloudflare, or a result without data centres, gives no line', () => {
  assert.equal(lineOf({}, {}), null);
  assert.equal(coloLine([{ connections: null }, {}]), null);
});
