import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// Runs the tests of a kind, by default the quick ones, and lists the files that took longest:
//
//     node test/run.js [slow | server | browser | edge | deploy] [--all-cases]
//
// The files of the quick tests in a folder share a process, because starting one and loading the modules costs more CPU than
// most files' tests do. A file that changes what its process shares, such as its timers, runs in its own process. Their
// properties are tried with a tenth of the cases, unless --all-cases is given or PROPERTY_CASES is 'all'.

const TESTS = fileURLToPath(new URL('.', import.meta.url));
const CASES = new URL('helpers/cases.js', import.meta.url).href;
const SLOWEST = new URL('helpers/slowest.js', import.meta.url).href;
const CHANGES_PROCESS = /\bmock\.(?:timers|method)\b|\bprocess\.env\.\w+ =|\bObject\.assign\(process\.env\b/;

/** How to run the tests of each kind. @type {Record<string, readonly string[]>} */
const KINDS = {
  slow: ['--test-concurrency=4', '--test-timeout=1200000'],
  server: ['--test-concurrency=2'],
  browser: ['--test-concurrency=1'],
  edge: ['--test-concurrency=1'],
  deploy: ['--test-concurrency=1'],
};

const [kind] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
process.exitCode = await (kind === undefined ? runQuick() : runKind(kind));

async function runQuick() {
  const entries = mkdtempSync(path.join(tmpdir(), 'r2-benchmark-tests-'));
  const cases = process.argv.includes('--all-cases') ? 'all' : (process.env['PROPERTY_CASES'] ?? 'few');
  try {
    const modules = foldersIn(TESTS).flatMap((folder) => entriesOf(folder, entries));
    return await run(['--test-concurrency=4', ...modules], { PROPERTY_CASES: cases });
  } finally {
    rmSync(entries, { recursive: true });
  }
}

/** @param {string} name */
async function runKind(name) {
  return run([...KINDS[name], ...foldersIn(TESTS).flatMap((folder) => testsIn(folder, `.${name}-test.js`))], {});
}

/**
 * @param {string} folder
 * @returns {string[]} paths
 */
function foldersIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(folder, name));
}

/**
 * @param {string} folder
 * @param {string} entries folder of the modules
 * @returns {string[]} modules, each of which imports what is to run in one process
 */
function entriesOf(folder, entries) {
  const files = testsIn(folder, '.test.js');
  const alone = files.filter((file) => CHANGES_PROCESS.test(readFileSync(file, 'utf8')));
  const together = files.filter((file) => !alone.includes(file));
  return [together, ...alone.map((file) => [file])]
    .filter((group) => group.length > 0)
    .map((group, number) => {
      const entry = path.join(entries, `${path.basename(folder)}-${number}.mjs`);
      const modules = [CASES, ...group.map((file) => pathToFileURL(file).href)];
      writeFileSync(entry, modules.map((url) => `import '${url}';\n`).join(''));
      return entry;
    });
}

/**
 * @param {string} folder
 * @param {string} suffix
 */
function testsIn(folder, suffix) {
  return readdirSync(folder)
    .filter((name) => name.endsWith(suffix))
    .map((name) => path.join(folder, name));
}

/**
 * @param {readonly string[]} parameters of Node's test runner
 * @param {Record<string, string>} env
 * @returns {Promise<number>} the exit status
 */
async function run(parameters, env) {
  const reporters = ['spec', SLOWEST].flatMap((reporter) => [
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=stdout',
  ]);
  const tests = spawn(process.execPath, ['--test', ...reporters, ...parameters], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return new Promise((resolve) => tests.on('exit', (code) => resolve(code ?? 1)));
}
