import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { runCommand, startCommand } from '../helpers/command.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';

/**
 * A load, and the stages that only it has.
 *
 * @typedef {object} TriedLoad
 * @property {string} what
 * @property {readonly string[]} parameters
 * @property {readonly string[]} stages
 * @property {string} assertion that is true
 */

/** @type {readonly TriedLoad[]} */
const LOADS = [
  {
    what: 'a run of the optional stages',
    parameters: [
      ...['300', '8', '--stages', 'write,list,range,copy,batch-remove', '--page-size', '20', '--range-size', '500'],
      ...['--batch', '50', '--size', '1KiB=60,32KiB=40', '--access', 'zipf:0.99'],
    ],
    stages: ['List', 'Range', 'Copy', 'Batch-remove'],
    assertion: 'list.p99 < 100s, range.firstByte.p99 < 100s, copy.errors == 0, batch-remove.operations > 0',
  },
  {
    what: 'multipart',
    parameters: ['4', '2', '--size', '11MiB', '--multipart', '--stages', 'write,remove'],
    stages: ['Write'],
    assertion: 'write.parts.p99 < 100s',
  },
  {
    what: 'a mix',
    parameters: ['300', '8', '--mix', 'read=70,write=20,stat=5,remove=5'],
    stages: ['Mixed'],
    assertion: 'mixed.read.p99 < 100s',
  },
];

describe('every load', { concurrency: 2 }, () => {
  for (const { what, parameters, stages, assertion } of LOADS) {
    test(`${what} can be asserted, reported, and merged from its log and its result`, async (t) => {
      const files = ['--json', 'result.json', '--log', 'log.txt', '--report', 'report.html', '--csv', 'seconds.csv'];
      const assertions = assertion.split(', ').flatMap((each) => ['--assert', each]);
      const command = await startCommand(t, [...parameters, '--local', ...files, ...assertions]);
      assertStatus(await command.outcome, 0);
      const file = (/** @type {string} */ name) => path.join(command.folder, name);
      const read = (/** @type {string} */ name) => readFile(file(name), 'utf8');
      const result = resultFrom(await read('result.json'));
      const merged = await Promise.all(
        ['result.json', 'log.txt'].map(async (source) => {
          const outcome = await runCommand(t, ['merge', file(source), '--json', '-']);
          assertStatus(outcome, 0);
          return JSON.parse(outcome.stdout);
        }),
      );
      for (const stage of stages) {
        const of = (/** @type {any} */ each) => each.stages.find((/** @type {any} */ one) => one.stage === stage);
        const { operations, bytes, failed, integrityErrors } = of(result);
        assert.ok(operations > 0);
        assert.deepEqual([failed, integrityErrors], [0, 0]);
        assert.match(await read('report.html'), new RegExp(`>${stage}<`));
        assert.match(await read('seconds.csv'), new RegExp(`^[^,]+,${stage},`, 'm'));
        for (const sum of merged) {
          assert.deepEqual([of(sum).operations, of(sum).bytes], [operations, bytes]);
        }
      }
    });
  }
});
