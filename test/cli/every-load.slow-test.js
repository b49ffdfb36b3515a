import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { PROGRAM, dotEnvOf, runCommand, startCommand, startProgram } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';
import { resultFrom } from '../helpers/result-schema.js';
import { hasScript } from '../helpers/script.js';

/**
 * A load, and its own row in the table at the end.
 *
 * @typedef {object} TriedLoad
 * @property {string} what
 * @property {readonly string[]} parameters
 * @property {string} stage
 * @property {string} assertion that is true
 */

/** @type {readonly TriedLoad[]} */
const LOADS = [
  {
    what: 'list',
    parameters: ['300', '8', '--stages', 'write,list,remove', '--page-size', '20'],
    stage: 'List',
    assertion: 'list.p99 < 100s',
  },
  {
    what: 'range',
    parameters: ['300', '8', '--stages', 'write,range,remove', '--range-size', '500'],
    stage: 'Range',
    assertion: 'range.firstByte.p99 < 100s',
  },
  {
    what: 'copy',
    parameters: ['300', '8', '--stages', 'write,copy,remove'],
    stage: 'Copy',
    assertion: 'copy.errors == 0',
  },
  {
    what: 'batch-remove',
    parameters: ['300', '8', '--stages', 'write,batch-remove', '--batch', '50'],
    stage: 'Batch-remove',
    assertion: 'batch-remove.operations > 0',
  },
  {
    what: 'multipart',
    parameters: ['4', '2', '--size', '11MiB', '--multipart', '--stages', 'write,remove'],
    stage: 'Write',
    assertion: 'write.parts.p99 < 100s',
  },
  {
    what: 'checksum',
    parameters: ['300', '8', '--checksum', 'crc64nvme'],
    stage: 'Write',
    assertion: 'write.rate > 0',
  },
  {
    what: 'mix',
    parameters: ['300', '8', '--mix', 'read=70,write=20,stat=5,remove=5'],
    stage: 'Mixed',
    assertion: 'mixed.read.p99 < 100s',
  },
  {
    what: 'sizes',
    parameters: ['300', '8', '--size', '1KiB=60,32KiB=40'],
    stage: 'Read',
    assertion: 'read.bytes > 1MB',
  },
  { what: 'access', parameters: ['300', '8', '--access', 'zipf:0.99'], stage: 'Read', assertion: 'read.failed == 0' },
];

/** The live view is redrawn four times per second. */
const SLOW = ['--local', '--faults', 'latency=60ms'];

describe('every load', { concurrency: 2 }, () => {
  for (const { what, parameters, stage, assertion } of LOADS) {
    test(`${what} can be asserted, reported, merged from its log and its result, and compared`, async (t) => {
      const files = ['--json', 'result.json', '--log', 'log.txt', '--report', 'report.html', '--csv', 'seconds.csv'];
      const command = await startCommand(t, [...parameters, '--local', ...files, '--assert', assertion]);
      assertStatus(await command.outcome, 0);
      const file = (/** @type {string} */ name) => path.join(command.folder, name);
      const read = (/** @type {string} */ name) => readFile(file(name), 'utf8');
      const result = resultFrom(await read('result.json'));
      const found = result.stages.find((/** @type {any} */ each) => each.stage === stage);
      assert.ok(found.operations > 0);
      assert.deepEqual([found.failed, found.integrityErrors], [0, 0]);
      assert.match(await read('report.html'), new RegExp(`>${stage}<`));
      assert.match(await read('seconds.csv'), new RegExp(`^[^,]+,${stage},`, 'm'));
      for (const source of ['result.json', 'log.txt']) {
        const merged = await runCommand(t, ['merge', file(source), '--json', '-']);
        assertStatus(merged, 0);
        const sum = JSON.parse(merged.stdout).stages.find((/** @type {any} */ each) => each.stage === stage);
        assert.deepEqual([sum.operations, sum.bytes], [found.operations, found.bytes], source);
        assertStatus(await runCommand(t, ['report', file(source), '-o', file(`${source}.html`)]), 0);
        assert.match(await read(`${source}.html`), new RegExp(`>${stage}<`));
        const text = await runCommand(t, ['merge', file(source)]);
        assert.match(text.stdout, new RegExp(`^${stage}$`, 'm'));
      }
      const compared = await runCommand(t, [
        'compare',
        file('result.json'),
        file('result.json'),
        '--assert',
        assertion,
      ]);
      assertStatus(compared, 0);
      // A run of a few seconds is too short for a verdict.
      assert.match(compared.stdout.replace(/\s+/g, ' '), new RegExp(` ${stage} \\(\\d+ and \\d+ whole seconds`));
    });

    test(
      `${what} has a live view`,
      { skip: hasScript() ? false : 'needs the command script of util-linux' },
      async (t) => {
        const line = [process.execPath, PROGRAM, ...parameters, ...SLOW].map((word) => `"${word}"`).join(' ');
        const command = await startProgram(t, 'script', ['-qec', line, '/dev/null'], { env: { SHELL: '/bin/sh' } });
        const outcome = await command.outcome;
        assertStatus(outcome, 0);
        assert.match(outcome.stdout, new RegExp(`${stage} \\d/\\d +[#.]+ +\\d+%`));
      },
    );
  }

  test('a search finds the capacity of list, range and copy', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'queue=600' });
    const stages = [
      '--stages',
      'write,list,range,copy,remove',
      '--page-size',
      '2',
      '--range-size',
      '500',
      '--size',
      '1KiB',
    ];
    const outcome = await runCommand(t, ['60000', '4', ...stages, '--find-peak'], { dotEnv: dotEnvOf(endpoint) });
    assertStatus(outcome, 0);
    for (const stage of ['List', 'Range', 'Copy']) {
      assert.match(outcome.stdout, new RegExp(`^${stage} capacity: `, 'm'));
    }
  });
});
