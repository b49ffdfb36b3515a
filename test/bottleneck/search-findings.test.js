import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateBottleneck } from '../../lib/bottleneck/search-findings.js';

/**
 * @import { Bottleneck, ClientLoad } from '../../lib/model/result.js'
 * @import { RateConclusion } from '../../lib/model/search.js'
 */

/** @param {Bottleneck['cause']} cause @returns {Bottleneck} */
const named = (cause) => ({ cause, certainty: 'proven', evidence: 'of the step', advice: null });

/** @param {Partial<RateConclusion>} [found] */
function overRates(found) {
  return /** @type {RateConclusion} */ ({ bound: 'exact', rate: 400, isClientLimited: false, ...found });
}

const clientLoad = /** @type {ClientLoad} */ ({ eventLoopUtilization: 0.1 });

test('a rate above which answers are late is a limit beyond this host, unless the host had too little CPU', () => {
  const broken = { slo: 50, isByErrors: false };
  const shown = { bottleneck: named('inconclusive'), clientLoad };
  const found = rateBottleneck(overRates(), shown, { ...broken, isBusy: false });
  assert.deepEqual(
    [found.cause, found.evidence],
    ['beyond this host', 'responses took longer than 50.00ms at rates above about 400.0/s, event loop 10% busy'],
  );
  const busy = rateBottleneck(overRates(), shown, { ...broken, isBusy: true });
  assert.deepEqual(
    [busy.cause, busy.evidence],
    [
      'beyond this host',
      'responses took longer than 50.00ms at rates above about 400.0/s, but this host had too little CPU',
    ],
  );
  const full = { bottleneck: named('client CPU'), clientLoad };
  assert.deepEqual(rateBottleneck(overRates(), full, { ...broken, isBusy: true }), named('client CPU'));
});

test('a rate that this host missed, although its event loops had time left, takes more threads', () => {
  const broken = { slo: 50, isByErrors: false, isBusy: false };
  const missed = overRates({ bound: 'at least', isClientLimited: true });
  const causeOf = (/** @type {number} */ eventLoopUtilization, isBusy = false) => {
    const load = /** @type {ClientLoad} */ ({ eventLoopUtilization });
    const { cause, certainty } = rateBottleneck(
      missed,
      { bottleneck: named('inconclusive'), clientLoad: load },
      { ...broken, isBusy },
    );
    return `${certainty} ${cause}`;
  };
  assert.deepEqual(
    [causeOf(0.1), causeOf(0.8), causeOf(0.1, true)],
    ['likely concurrency', 'unknown inconclusive', 'likely host CPU'],
  );
});
