import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { dotEnvOf, folderWith, keysIn, runCommand, startCommand } from '../helpers/command.js';
import { startTestEndpoint } from '../helpers/local-s3.js';
import { assertStatus } from '../helpers/outcome.js';

/**
 * @import { InterleavedComparison } from '../../lib/result/interleaved.js'
 * @import { Command } from '../helpers/command.js'
 */

const OBJECTS = 40;
const SMALL = ['ab', `${OBJECTS}`, '4', '--size', '1KiB', '--quads', '6'];
const SHORT = [...SMALL, '--stages', 'write,read', '--no-preflight'];

/**
 * @param {Command} command
 * @param {string} name of a file in its folder
 * @returns {Promise<InterleavedComparison>}
 */
async function jsonOf({ folder }, name) {
  return JSON.parse(await readFile(path.join(folder, name), 'utf8'));
}

describe('ab', { concurrency: 3 }, () => {
  test('runs two clients in turns of at least half a second against the --local endpoint, and reports which one uses more CPU', async (t) => {
    const sides = ['--a', '--client direct', '--b', '--client sdk'];
    const command = await startCommand(t, [
      ...[...SHORT, '--local', '--faults', 'latency=3ms', ...sides, '--run-id', 'pair'],
      ...['--json', 'ab.json', '--report', 'ab.html'],
    ]);
    const outcome = await command.outcome;
    assertStatus(outcome, 0);
    const { stdout, stderr } = outcome;

    assert.match(stderr, /^A: --client direct, runs pair-a1 to pair-a13 in local under benchmark\/$/m);
    assert.match(stderr, /^B: --client sdk, runs pair-b1 to pair-b13 in local under benchmark\/$/m);
    assert.equal(
      [...stderr.matchAll(/^\d+ of 26, [AB], (warm-up|quad \d): Write [\d,]+, Read [\d,]+ ops\/s/gm)].length,
      26,
    );

    const result = await jsonOf(command, 'ab.json');
    assert.deepEqual([result.kind, result.format, result.problems, result.quadsPlanned], ['ab', 1, [], 6]);
    assert.deepEqual([result.a?.options?.client, result.b?.options?.client], ['direct', 'sdk']);
    const orders = result.quads.map(({ order }) => order);
    for (const { order, passes } of result.quads) {
      assert.equal(passes.map(({ side }) => side.toUpperCase()).join(''), order);
      for (const { stages } of passes) {
        const [write, read] = stages;
        assert.deepEqual([write.stage, write.operations, read.stage], ['Write', OBJECTS, 'Read']);
        // The workers of a busy machine begin some ms after the turn's time has begun.
        assert.ok(Number(read.duration) > 400 && read.operations >= OBJECTS);
      }
    }
    // The SDK takes several times the CPU, which is visible even on a busy machine.
    const { verdict, ratio, low } = result.stages[1].metrics[3];
    assert.equal(verdict, 'more');
    assert.ok(Number(ratio) > 2 && Number(low) > 1);

    const page = await readFile(path.join(command.folder, 'ab.html'), 'utf8');
    assert.match(page, /<h1>\s*<span>B: Write /);
    for (const { metrics } of result.stages) {
      metrics.forEach(({ ratio: shown }) => assert.ok(page.includes(`<data value="${shown}">`)));
    }

    assert.ok(stdout.includes(orders.join(' ')));
  });

  test('wrong bytes while a side warms up end the comparison', async (t) => {
    const faults = ['--local', '--faults', 'GET.corrupt=100%'];
    const outcome = await runCommand(t, [...SHORT, ...faults, '--a', '', '--b', '']);
    assertStatus(outcome, 1);
    assert.match(outcome.stdout, /^ {2}A: while warming up, \d+ responses had the wrong content$/m);
  });

  test('names a side that preflight refuses, leaves nothing, and exits with status 2', async (t) => {
    const endpoint = await startTestEndpoint(t);
    const folder = await folderWith(t, {});
    await writeFile(path.join(folder, 'a.env'), dotEnvOf(endpoint));
    await writeFile(path.join(folder, 'b.env'), dotEnvOf(endpoint, { S3_BUCKET: 'another' }));
    const sides = ['--a', `--env-file ${folder}/a.env`, '--b', `--env-file ${folder}/b.env`];
    const outcome = await runCommand(t, [...SMALL, ...sides]);
    assertStatus(outcome, 2);
    assert.match(outcome.stderr, /^error: B: .*another/m);
    assert.equal(outcome.stdout, '');
    assert.deepEqual(await keysIn(endpoint), []);
  });

  test('SIGINT during a quad leaves nothing of either side, and exits with status 130', async (t) => {
    const endpoint = await startTestEndpoint(t, { faults: 'latency=10ms' });
    const sides = ['--a', '', '--b', '--no-keep-alive'];
    const command = await startCommand(t, [...SHORT, ...sides, '--json', 'ab.json'], { dotEnv: dotEnvOf(endpoint) });
    await command.shows('stderr', /^6 of 26, /m);
    command.child.kill('SIGINT');
    const outcome = await command.outcome;
    assertStatus(outcome, 130);
    assert.match(outcome.stderr, /^Stopping \(SIGINT\)/m);
    assert.match(outcome.stdout, /^ {2}The comparison ended early, after 1 of 6 quads: /m);
    const { quads, stages } = await jsonOf(command, 'ab.json');
    assert.equal(quads.length, 1);
    assert.ok(stages.every(({ metrics }) => metrics.every(({ verdict }) => verdict === 'cannot tell')));
    assert.deepEqual(await keysIn(endpoint), []);
  });
});
