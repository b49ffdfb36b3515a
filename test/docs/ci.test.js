import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { shellWords } from '../../lib/text/shell-words.js';
import { readCommandLine } from '../../lib/cli/command-line.js';
import { FIGURES } from '../../lib/result/figures/catalogue.js';
import { runInProcess } from '../helpers/command.js';
import { fences } from './markdown.js';

const ROOT = new URL('../../', import.meta.url);
const OUTPUTS = { stdout: new PassThrough(), stderr: new PassThrough() };

const page = await readFile(new URL('docs/use/ci.md', ROOT), 'utf8');
const all = fences(page);
const [workflow] = all.filter(({ language }) => language === 'yaml').map(({ text }) => text);

test('the page lists every latency figure', () => {
  const [list] = /(?:`\w+`, )+`\w+` and `\w+`/.exec(page.split('## Figures')[1]) ?? [''];
  const latencies = FIGURES.filter(({ name, isLatency }) => isLatency && !name.includes('.'));
  assert.deepEqual(
    list.match(/\w+(?=`)/g),
    latencies.map(({ name }) => name),
  );
});

test('the example of a mistake on the page shows the real message', async () => {
  const [mistake] = all.filter(({ language }) => language === 'text').map(({ text }) => text);
  const { stderr } = await runInProcess(['10', '10', '--local', '--assert', 'reed.p99 < 50ms'], {});
  assert.equal(stderr.split('\n')[0], mistake.trimEnd());
});

test('the workflow uses the same actions as ours, and commands that parse', async () => {
  const ours = await readFile(new URL('.github/workflows/ci.yml', ROOT), 'utf8');
  const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
  assert.ok(actions.length > 1);
  assert.deepEqual(
    actions.filter((action) => !ours.includes(`uses: ${action}\n`)),
    [],
  );
  const [, command] = /- run: >-\n((?: {10}.*\n)+)/.exec(workflow) ?? [];
  const [node, program, ...parameters] = shellWords(command.trim());
  assert.deepEqual([node, program], ['node', 'r2-benchmark.js']);
  assert.equal(readCommandLine(parameters, OUTPUTS).command, 'run');
  assert.deepEqual(
    [...workflow.matchAll(/^ +(S3_\w+): \$\{\{ secrets\.(\w+) \}\}$/gm)].map(([, variable, secret]) => [
      variable,
      secret,
    ]),
    ['S3_HOSTNAME', 'S3_BUCKET', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'].map((name) => [name, name]),
  );
});
