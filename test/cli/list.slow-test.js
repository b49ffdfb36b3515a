import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../../lib/index.js';
import { startCountingProxy } from '../helpers/counting-proxy.js';
import { startTestEndpoint } from '../helpers/local-s3.js';

for (const client of /** @type {const} */ (['direct', 'sdk'])) {
  test(`the ${client} client walks through all pages with tokens, and lists with a delimiter`, async (t) => {
    const endpoint = await startTestEndpoint(t);
    const { port, targets } = await startCountingProxy(t, endpoint.port);
    const { credentials, buckets } = endpoint;
    const store = { endpoint: `http://127.0.0.1:${port}`, bucket: buckets, credentials };
    const load = { objects: 100, threads: 4, size: 10, stages: 'write,list,remove', pageSize: 10, preflight: false };
    const { stages } = await run({ store, client, ...load, listWalk: true, delimiter: '/' });
    const list = stages.find(({ stage }) => stage === 'List');
    assert.deepEqual([list?.threads, list?.failed, list?.integrityErrors], [1, 0, 0]);
    const ofStage = targets.filter((target) => /max-keys=10(&|$)/.test(target));
    assert.equal(ofStage.length, list?.operations);
    assert.ok(ofStage.every((target) => target.includes('delimiter=%2F')));
    const isContinued = ofStage.filter((target) => target.includes('continuation-token='));
    assert.equal(isContinued.length, ofStage.length - buckets.length, 'all but the first page of each bucket');
  });
}
