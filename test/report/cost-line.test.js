import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costLine } from '../../lib/report/cost-line.js';
import { NO_TARGET, runConfig } from '../helpers/run-config.js';

/** @import { Overrides } from '../helpers/run-config.js' */

/**
 * @param {string} hostname
 * @param {Overrides} [overrides]
 */
function lineFor(hostname, overrides) {
  return costLine(configFor(hostname, overrides));
}

/**
 * @param {string} hostname
 * @param {Overrides} [overrides]
 */
function configFor(hostname, overrides) {
  const config = runConfig({ ...NO_TARGET, hostname }, overrides);
  return { ...config, store: { ...config.store, isEmbedded: false } };
}

test('a million objects cost as much as in R2’s price list', () => {
  const line = lineFor('abc.r2.cloudflarestorage.com', { objects: 1_000_000 });
  assert.match(String(line), /\$5\.2200 for 1,000,002 Class A and 2,000,000 Class B operations/);
});

test('only the stages that run are billed, and deletes are free', () => {
  const host = 'abc.r2.cloudflarestorage.com';
  assert.match(
    String(lineFor(host, { objects: 1e6, stages: ['write', 'remove'] })),
    /\$4\.5047 for 1,001,034 Class A and 0 Class B/,
  );
  assert.match(
    String(lineFor(host, { objects: 1e6, stages: ['read'] })),
    /\$0\.3600 for 0 Class A and 1,000,000 Class B/,
  );
  assert.match(String(lineFor(host, { objects: 1e6, stages: ['remove'] })), /\$0\.0000 for 2 Class A and 0 Class B/);
});

test('several runs cost the sum of all, including the lists of each', () => {
  const config = configFor('abc.r2.cloudflarestorage.com', { objects: 1000 });
  assert.match(String(costLine(config, config)), /\$0\.0105 for 2,004 Class A and 4,000 Class B operations/);
  assert.equal(costLine(config, configFor('s3.amazonaws.com')), costLine(config));
});

test('hosts of jurisdictions belong to R2 as well', () => {
  assert.notEqual(lineFor('abc.eu.r2.cloudflarestorage.com'), null);
  assert.notEqual(lineFor('ABC.FEDRAMP.R2.CloudflareStorage.com'), null);
});

test('prices of other stores are unknown', () => {
  for (const hostname of [
    's3.amazonaws.com',
    '127.0.0.1',
    'r2.cloudflarestorage.com.example',
    'xr2.cloudflarestorage.com',
  ]) {
    assert.equal(lineFor(hostname), null, hostname);
  }
});
