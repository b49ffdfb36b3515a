import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startLocalS3 } from '../lib/local-s3/start.js';
import { COMMANDS } from './oracle-commands.js';
import { outlineOf, pageText, withPlaceholders } from './oracle-text.js';

/** @import { OracleCommand } from './oracle-commands.js' */

// Freezes what the program prints and writes, so that two commits can be compared before and after a change of structure:
//
//   node scripts/oracle.js FOLDER [--checkout FOLDER] [--only TEXT]
//
// runs each command of oracle-commands.js with the program of a checkout (default: this one) and writes its exit status,
// its output and its files as text into a file of FOLDER. Times, rates and ids are replaced with placeholders. Then
// `diff -ru` of two such folders shows every visible difference.

const { values, positionals } = parseArgs({
  options: { checkout: { type: 'string', default: path.join(import.meta.dirname, '..') }, only: { type: 'string' } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) {
  throw new Error('expected a folder: node scripts/oracle.js FOLDER');
}
const BUCKETS = ['bucket-a', 'bucket-b'];
const KEYS = { accessKeyId: 'oracle-access-key', secretAccessKey: 'oracle-secret-key' };
const TIMEOUT_MS = 120_000;

await mkdir(folder, { recursive: true });
for (const [name, command] of Object.entries(COMMANDS)) {
  if (values.only === undefined || name.includes(values.only)) {
    process.stdout.write(`${name}\n`);
    await writeFile(path.join(folder, `${name}.txt`), await transcript(command));
  }
}

/**
 * @param {OracleCommand} command
 * @returns {Promise<string>}
 */
async function transcript({ lines, faults = '', isTimed = false }) {
  const directory = await mkdtemp(path.join(tmpdir(), 'r2-benchmark-oracle-'));
  const store = await startLocalS3({ buckets: BUCKETS, credentials: KEYS, faults });
  try {
    await writeFile(path.join(directory, '.env'), dotEnvOf(store.port));
    let text = '';
    for (const line of lines) {
      const { status, stdout, stderr } = await run(line, directory);
      text += `$ ${line}\nstatus ${status}\n-- stdout\n${stdout}-- stderr\n${stderr}`;
    }
    for (const file of (await readdir(directory)).filter((name) => name !== '.env').sort()) {
      const content = await readFile(path.join(directory, file), 'utf8');
      text += `-- ${file}\n${file.endsWith('.json') ? outlineOf(content, isTimed) : pageText(file, content)}\n`;
    }
    for (const bucket of BUCKETS) {
      text += `-- objects left in ${bucket}: ${(await store.list(bucket)).length}\n`;
    }
    return withPlaceholders(text, isTimed);
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
}

/** @param {number} port */
function dotEnvOf(port) {
  return [
    `S3_BUCKET=${BUCKETS.join(',')}`,
    'S3_HOSTNAME=127.0.0.1',
    `S3_PORT=${port}`,
    'S3_USE_SSL=false',
    `S3_ACCESS_KEY=${KEYS.accessKeyId}`,
    `S3_SECRET_KEY=${KEYS.secretAccessKey}`,
    '',
  ].join('\n');
}

/**
 * Runs a line by the shell, with `bench` for the program, `peak` for the merge, and `$BENCH` for the program where only a
 * process will do.
 *
 * @param {string} line
 * @param {string} directory
 */
async function run(line, directory) {
  const program = (/** @type {string} */ name) => `'${process.execPath}' '${path.resolve(values.checkout, name)}'`;
  const script = `BENCH="${process.execPath} ${path.resolve(values.checkout, 'r2-benchmark.js')}"; bench() { ${program('r2-benchmark.js')} "$@"; }; peak() { ${program('peak-performance.js')} "$@"; }; ${line}`;
  const env = { PATH: process.env.PATH, HOME: directory, COLUMNS: '100' };
  const child = spawn('bash', ['-c', script], { cwd: directory, env, timeout: TIMEOUT_MS });
  const output = { stdout: '', stderr: '' };
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
    child[name].setEncoding('utf8').on('data', (/** @type {string} */ text) => (output[name] += text));
  }
  child.stdin.end();
  const status = await new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)));
  return { status, ...output };
}
